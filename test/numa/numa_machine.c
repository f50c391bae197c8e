/* A machine with four NUMA nodes, seen from inside: tools/numa-vm boots a kernel with this program as its only process.
 * It asserts about the machine that tools/numa-vm describes (NODES nodes of PER_NODE CPUs, distances as in `distance`),
 * so it is of no use anywhere else, and says so. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../faults/fault_support.h"
#include "schedule/pool.h"
#include "topology/quota.h"

enum { NODES = 4, PER_NODE = 2, CPUS = NODES * PER_NODE };

/* As on tools/numa-vm's command line: two near pairs, and node 3 at the end of a line. */
static const unsigned distance[NODES][NODES] = {{10, 16, 22, 28}, {16, 10, 22, 28}, {22, 22, 10, 16}, {28, 28, 16, 10}};

void setUp(void)
{
    watchdog(120);
}

void tearDown(void)
{
    alarm(0);
}

static heist_pool *bound_pool(heist_bind bind, heist_strategy strategy)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = CPUS;
    options.bind = bind;
    options.strategy = strategy;
    options.strict = true;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_STRING("", heist_pool_notes(pool));
    return pool;
}

/* ---- the machine ---- */

static void the_machine_is_read_as_it_was_described(void)
{
    heist__machine m;
    char note[HEIST__NOTE];
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__machine_load(&m, NULL, note, sizeof note), note);
    TEST_ASSERT_EQUAL_UINT(CPUS, m.pu_count);
    TEST_ASSERT_EQUAL_UINT(NODES, m.node_count);
    for (unsigned a = 0; a < CPUS; a++) {
        TEST_ASSERT_EQUAL_UINT(m.pus[a].os_cpu / PER_NODE, m.pus[a].os_node);
        for (unsigned b = 0; b < CPUS; b++) {
            unsigned expected = distance[m.pus[a].os_node][m.pus[b].os_node];
            TEST_ASSERT_EQUAL_UINT(expected, heist__node_distance(&m, m.pus[a].node, m.pus[b].node));
        }
    }
    heist__machine_free(&m);
}

/* ---- binding ---- */

/* Waits until tasks of all workers are here. As none leaves before, each worker runs exactly one of them. */
static void meet(unsigned *here)
{
    __atomic_fetch_add(here, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(here, __ATOMIC_ACQUIRE) < CPUS) sched_yield();
}

typedef struct {
    cpu_set_t mask[CPUS];
    unsigned here;
} muster;

static void report_mask(void *argument)
{
    muster *m = argument;
    sched_getaffinity(0, sizeof m->mask[0], &m->mask[heist_worker_number()]);
    meet(&m->here);
}

static void gather(heist_pool *pool, muster *m)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < CPUS; i++) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, report_mask, m, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
}

static unsigned only_cpu(const cpu_set_t *mask)
{
    TEST_ASSERT_EQUAL_INT(1, CPU_COUNT(mask));
    unsigned cpu = 0;
    while (!CPU_ISSET(cpu, mask)) cpu++;
    return cpu;
}

static void workers_bound_to_cores_have_one_each(void)
{
    static const heist_bind ways[] = {HEIST_BIND_CORE, HEIST_BIND_COMPACT, HEIST_BIND_SPREAD};
    for (unsigned way = 0; way < 3; way++) {
        heist_pool *pool = bound_pool(ways[way], HEIST_STRATEGY_NEAR);
        muster m;
        gather(pool, &m);
        cpu_set_t all;
        CPU_ZERO(&all);
        for (unsigned i = 0; i < CPUS; i++) {
            unsigned cpu = only_cpu(&m.mask[i]);
            TEST_ASSERT_FALSE(CPU_ISSET(cpu, &all));
            CPU_SET(cpu, &all);
        }
        if (ways[way] == HEIST_BIND_COMPACT)
            TEST_ASSERT_EQUAL_UINT(only_cpu(&m.mask[0]) / PER_NODE, only_cpu(&m.mask[1]) / PER_NODE);
        if (ways[way] == HEIST_BIND_SPREAD)
            TEST_ASSERT_NOT_EQUAL(only_cpu(&m.mask[0]) / PER_NODE, only_cpu(&m.mask[1]) / PER_NODE);
        free_pool(pool);
    }
}

static void workers_bound_to_nodes_have_all_of_one(void)
{
    heist_pool *pool = bound_pool(HEIST_BIND_NODE, HEIST_STRATEGY_NEAR);
    muster m;
    gather(pool, &m);
    unsigned workers_on[NODES] = {0};
    for (unsigned i = 0; i < CPUS; i++) {
        TEST_ASSERT_EQUAL_INT(PER_NODE, CPU_COUNT(&m.mask[i]));
        unsigned cpu = 0;
        while (!CPU_ISSET(cpu, &m.mask[i])) cpu++;
        TEST_ASSERT_TRUE(CPU_ISSET(cpu + 1, &m.mask[i]));
        TEST_ASSERT_EQUAL_UINT(0, cpu % PER_NODE);
        workers_on[cpu / PER_NODE]++;
    }
    for (unsigned node = 0; node < NODES; node++) TEST_ASSERT_EQUAL_UINT(PER_NODE, workers_on[node]);
    free_pool(pool);
}

/* ---- memory ---- */

/* The node that the page of `p` is on, or a negative errno: the page has not been touched, or is not there. */
static int node_of_page(const void *p)
{
    void *page = (void *)((uintptr_t)p & ~(uintptr_t)4095);
    int status = -EFAULT;
    if (syscall(SYS_move_pages, 0, 1ul, &page, NULL, &status, 0)) return -errno;
    return status;
}

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

typedef struct {
    unsigned here;
    int stack_node[CPUS];
} visit;

/* Touches what a worker touches: its deque, its stack, a grown ring of detached tasks. */
static void nothing(void *argument)
{
    (void)argument;
}

static void visit_worker(void *argument)
{
    visit *v = argument;
    int local = 0;
    for (int i = 0; i < 600; i++) heist_detach(NULL, nothing, NULL); /* beyond the first ring */
    HEIST_RUN(NULL, fib, 12);
    v->stack_node[heist_worker_number()] = node_of_page(&local);
    meet(&v->here);
}

static void a_workers_memory_is_on_its_node(void)
{
    heist_pool *pool = bound_pool(HEIST_BIND_CORE, HEIST_STRATEGY_NEAR);
    visit v;
    memset(&v, 0, sizeof v);
    for (int i = 0; i < CPUS; i++) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, visit_worker, &v, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    for (unsigned i = 0; i < CPUS; i++) {
        heist__worker *w = pool->workers[i];
        int home = (int)pool->machine.pus[w->pu].os_node;
        char about[60];
        snprintf(about, sizeof about, "worker %u, whose node is %d", i, home);
        TEST_ASSERT_EQUAL_INT_MESSAGE(home, node_of_page(w), about);
        TEST_ASSERT_EQUAL_INT_MESSAGE(home, node_of_page(w->jobs), about);
        TEST_ASSERT_EQUAL_INT_MESSAGE(home, node_of_page((char *)w->jobs + HEIST__DEQUE_ROOM - 1), about);
        TEST_ASSERT_EQUAL_INT_MESSAGE(home, node_of_page(w->tasks.slots), about);
        TEST_ASSERT_EQUAL_INT_MESSAGE(home, node_of_page(w->nestings), about);
        TEST_ASSERT_EQUAL_INT_MESSAGE(home, v.stack_node[i], about);
    }
    free_pool(pool);
}

/* In the child of a fork the slots are new, and are to be placed anew. */
static void slots_are_on_their_node_after_fork_too(void)
{
    heist_pool *pool = bound_pool(HEIST_BIND_CORE, HEIST_STRATEGY_NEAR);
    pid_t child = fork();
    if (child == 0) {
        visit v;
        memset(&v, 0, sizeof v);
        for (int i = 0; i < CPUS; i++) heist_submit(pool, visit_worker, &v, HEIST_WAIT);
        heist_pool_wait(pool);
        int elsewhere = 0;
        for (unsigned i = 0; i < CPUS; i++) {
            heist__worker *w = pool->workers[i];
            elsewhere += node_of_page(w->tasks.slots) != (int)pool->machine.pus[w->pu].os_node;
        }
        _exit(elsewhere);
    }
    int status = -1;
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    TEST_ASSERT_EQUAL_INT(0, status); /* else how many were not, in the second byte */
    free_pool(pool);
}

/* ---- victims ---- */

static unsigned node_of_worker(const heist_pool *pool, unsigned worker)
{
    return pool->machine.pus[pool->workers[worker]->pu].os_node;
}

static void victims_come_in_the_order_of_their_distance(void)
{
    heist_pool *pool = bound_pool(HEIST_BIND_CORE, HEIST_STRATEGY_NEAR);
    for (unsigned i = 0; i < CPUS; i++) {
        const heist__victims *v = &pool->workers[i]->victims;
        unsigned home = node_of_worker(pool, i), before = 0;
        TEST_ASSERT_EQUAL_UINT(CPUS - 1, v->count);
        TEST_ASSERT_EQUAL_UINT(home, node_of_worker(pool, v->worker[0]));
        for (unsigned place = 0; place < v->count; place++) {
            unsigned now = distance[home][node_of_worker(pool, v->worker[place])];
            TEST_ASSERT_TRUE(now >= before);
            before = now;
        }
    }
    free_pool(pool);
}

/* All workers have plenty and stay where they are, but for one that has nothing and steals. From which victim? */
enum { OFFERED = 40, LOOKED_AT = 20 };
static unsigned here, filled, thief, thefts;
static unsigned creator_of[LOOKED_AT];

static void offered(void *argument)
{
    if ((unsigned)heist_worker_number() != thief) return;
    unsigned n = __atomic_load_n(&thefts, __ATOMIC_RELAXED); /* relaxed: only the thief writes it */
    if (n < LOOKED_AT) creator_of[n] = (unsigned)(uintptr_t)argument;
    __atomic_store_n(&thefts, n + 1, __ATOMIC_RELEASE);
}

static void offers(void *argument)
{
    (void)argument;
    unsigned me = (unsigned)heist_worker_number();
    meet(&here); /* no thief is left that would steal while the deques are filled */
    for (int i = 0; me != thief && i < OFFERED; i++) heist_detach(NULL, offered, (void *)(uintptr_t)me);
    meet(&filled);
    while (me != thief && __atomic_load_n(&thefts, __ATOMIC_ACQUIRE) < LOOKED_AT) sched_yield();
}

/* How many of the first LOOKED_AT steals of `who` stayed within its node. */
static unsigned near_steals(heist_pool *pool, unsigned who)
{
    here = filled = thefts = 0;
    thief = who;
    for (int i = 0; i < CPUS; i++) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, offers, NULL, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    unsigned near = 0;
    for (unsigned i = 0; i < LOOKED_AT; i++) near += node_of_worker(pool, creator_of[i]) == node_of_worker(pool, who);
    return near;
}

/* At random one steal in seven is near: a worker has one neighbour on its node and six elsewhere. The neighbour
 * publishes its tasks when the thief asks. A neighbour without a CPU at that moment has nothing to show, and the thief
 * goes on to the next victim: a few steals of `near` may be far. */
static void near_stealing_stays_near_while_there_is_something(void)
{
    heist_pool *near_pool = bound_pool(HEIST_BIND_CORE, HEIST_STRATEGY_NEAR);
    heist_pool *random_pool = bound_pool(HEIST_BIND_CORE, HEIST_STRATEGY_RANDOM);
    unsigned near = 0, random = 0;
    for (unsigned who = 0; who < CPUS; who++) {
        near += near_steals(near_pool, who);
        random += near_steals(random_pool, who);
    }
    printf("within the node: %u of the %u steals of `near`, %u of those of `random`\n", near, CPUS * LOOKED_AT, random);
    TEST_ASSERT_GREATER_OR_EQUAL_UINT(CPUS * LOOKED_AT * 9 / 10, near);
    TEST_ASSERT_LESS_THAN_UINT(CPUS * LOOKED_AT / 2, random);
    free_pool(near_pool);
    free_pool(random_pool);
}

/* ---- how many workers ---- */

static void write_file(const char *path, const char *text)
{
    int file = open(path, O_WRONLY);
    TEST_ASSERT_TRUE_MESSAGE(file >= 0, path);
    TEST_ASSERT_EQUAL_INT_MESSAGE((int)strlen(text), (int)write(file, text, strlen(text)), path);
    close(file);
}

static void the_quota_of_a_control_group_counts(void)
{
    write_file("/sys/fs/cgroup/cgroup.subtree_control", "+cpu");
    TEST_ASSERT_EQUAL_INT(0, mkdir("/sys/fs/cgroup/limited", 0755));
    write_file("/sys/fs/cgroup/limited/cgroup.procs", "1");
    TEST_ASSERT_EQUAL_UINT(CPUS, heist__default_workers(NULL));
    static const struct {
        const char *quota;
        unsigned workers;
    } cases[] = {
        {"300000 100000", 3}, {"250000 100000", 3}, {"50000 100000", 1}, {"1600000 100000", CPUS}, {"max", CPUS}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("/sys/fs/cgroup/limited/cpu.max", cases[i].quota);
        TEST_ASSERT_EQUAL_UINT_MESSAGE(cases[i].workers, heist__default_workers(NULL), cases[i].quota);
        heist_pool *pool = heist_pool_new(NULL);
        TEST_ASSERT_NOT_NULL(pool);
        TEST_ASSERT_EQUAL_UINT_MESSAGE(cases[i].workers, heist_pool_workers(pool), cases[i].quota);
        free_pool(pool);
    }
    write_file("/sys/fs/cgroup/cgroup.procs", "1");
}

/* Down to half a CPU and up again, while there is work. */
static void a_quota_that_changes_while_tasks_run_loses_nothing(void)
{
    static const char *const quotas[] = {"400000 100000", "50000 100000", "max"};
    write_file("/sys/fs/cgroup/limited/cgroup.procs", "1");
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = CPUS;
    busy b;
    const char *trouble = busy_begin(&b, &options);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    for (unsigned i = 0; i < sizeof quotas / sizeof *quotas; i++) {
        write_file("/sys/fs/cgroup/limited/cpu.max", quotas[i]);
        await_rounds(&b, 1);
    }
    TEST_ASSERT_EQUAL_UINT(CPUS, heist_pool_workers(b.pool)); /* as many as before: they sleep when there is no time */
    trouble = busy_end(&b);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    write_file("/sys/fs/cgroup/cgroup.procs", "1");
}

/* All CPUs but those of one node go away from under workers that are bound to them. */
static void cpus_that_go_away_while_tasks_run_lose_nothing(void)
{
    cpu_set_t all, node;
    TEST_ASSERT_EQUAL_INT(0, sched_getaffinity(0, sizeof all, &all));
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = CPUS;
    options.bind = HEIST_BIND_CORE;
    busy b;
    const char *trouble = busy_begin(&b, &options);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    for (unsigned n = 0; n < NODES; n += 2) {
        CPU_ZERO(&node);
        for (unsigned i = 0; i < PER_NODE; i++) CPU_SET(n * PER_NODE + i, &node);
        TEST_ASSERT_GREATER_THAN_INT(CPUS, narrow(getpid(), &node));
        await_rounds(&b, 1);
    }
    narrow(getpid(), &all);
    trouble = busy_end(&b);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
}

static void a_mask_of_one_node_gives_that_nodes_workers(void)
{
    cpu_set_t all, node;
    TEST_ASSERT_EQUAL_INT(0, sched_getaffinity(0, sizeof all, &all));
    CPU_ZERO(&node);
    for (unsigned i = 0; i < PER_NODE; i++) CPU_SET(2 * PER_NODE + i, &node);
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof node, &node));
    heist_options options = HEIST_OPTIONS_INIT;
    options.bind = HEIST_BIND_CORE;
    heist_pool *pool = heist_pool_new(&options);
    sched_setaffinity(0, sizeof all, &all);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_UINT(PER_NODE, heist_pool_workers(pool));
    for (unsigned i = 0; i < PER_NODE; i++) {
        TEST_ASSERT_EQUAL_UINT(2, node_of_worker(pool, i));
        TEST_ASSERT_EQUAL_INT(2, node_of_page(pool->workers[i]));
    }
    free_pool(pool);
}

/* ---- memory that counts before it is touched ---- */

/* Of all processes, in KiB. */
static long meminfo(const char *name)
{
    char line[200];
    long value = -1;
    FILE *file = fopen("/proc/meminfo", "r");
    TEST_ASSERT_NOT_NULL(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0) value = strtol(line + strlen(name) + 1, NULL, 10);
    }
    fclose(file);
    TEST_ASSERT_GREATER_OR_EQUAL_INT64_MESSAGE(0, value, name);
    return value;
}

static const char overcommit[] = "/proc/sys/vm/overcommit_memory";

/* Returns NULL, or what is wrong: the mode must be set back first. */
static const char *trouble_with_counted(unsigned workers, size_t slots, size_t stack)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.slots = slots;
    options.stack_size = stack;
    long before = meminfo("Committed_AS");
    heist_pool *pool = heist_pool_new(&options);
    DEMAND(pool, heist_explain());
    long counted = meminfo("Committed_AS") - before;
    printf("%u workers, slots %zu, stack %zu: %ld of %ld KiB counted; %s\n", workers, slots, stack, counted,
           meminfo("CommitLimit"), heist_pool_notes(pool));
    DEMAND(heist_pool_workers(pool) == workers, "not all workers");
    const char *trouble = trouble_with(pool);
    DEMAND(!trouble, trouble);
    DEMAND(heist_pool_free(pool) == 0, "not freed");
    return NULL;
}

static void where_memory_counts_untouched_pools_are_made_whole(void)
{
    static const struct {
        unsigned workers;
        size_t slots, stack;
    } pools[] = {{CPUS, 0, 0}, {CPUS, 4096, (size_t)1 << 20}, {64, 0, 0}, {256, 0, 0}};
    for (unsigned i = 0; i < sizeof pools / sizeof *pools; i++) {
        write_file(overcommit, "2");
        const char *trouble = trouble_with_counted(pools[i].workers, pools[i].slots, pools[i].stack);
        write_file(overcommit, "0");
        TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    }
}

/* ---- as the first process ---- */

static void mount_system(void)
{
    mkdir("/proc", 0755);
    mkdir("/sys", 0755);
    mkdir("/tmp", 0755);
    mkdir("/dev", 0755);
    mount("none", "/proc", "proc", 0, NULL);
    mount("none", "/sys", "sysfs", 0, NULL);
    mount("none", "/dev", "devtmpfs", 0, NULL);
    mount("none", "/sys/fs/cgroup", "cgroup2", 0, NULL);
}

int main(void)
{
    if (getpid() != 1) {
        fputs("numa_machine: runs as the first process of the machine that tools/numa-vm makes\n", stderr);
        return 2;
    }
    mount_system();
    setvbuf(stdout, NULL, _IOLBF, 0);
    UNITY_BEGIN();
    RUN_TEST(the_machine_is_read_as_it_was_described);
    RUN_TEST(where_memory_counts_untouched_pools_are_made_whole);
    RUN_TEST(workers_bound_to_cores_have_one_each);
    RUN_TEST(workers_bound_to_nodes_have_all_of_one);
    RUN_TEST(a_workers_memory_is_on_its_node);
    RUN_TEST(slots_are_on_their_node_after_fork_too);
    RUN_TEST(victims_come_in_the_order_of_their_distance);
    RUN_TEST(near_stealing_stays_near_while_there_is_something);
    RUN_TEST(the_quota_of_a_control_group_counts);
    RUN_TEST(a_quota_that_changes_while_tasks_run_loses_nothing);
    RUN_TEST(cpus_that_go_away_while_tasks_run_lose_nothing);
    RUN_TEST(a_mask_of_one_node_gives_that_nodes_workers);
    UNITY_END();
    fflush(stdout);
    reboot(RB_POWER_OFF);
    return 1;
}
