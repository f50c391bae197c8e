/* Memory that is limited, or counts before it is touched: pools that need less than there is are made, with a note;
 * memory comes as it is used, and goes back. The same under vm.overcommit_memory=2 is in test/numa. */
#include <sys/mman.h>
#include <sys/resource.h>

#include "fault_support.h"
#include "schedule/nesting.h"
#include "schedule/pool.h"
#include "schedule/worker.h"

enum { MANY = 64 };
#define MIB ((size_t)1 << 20)

void setUp(void)
{
    watchdog(60);
}

void tearDown(void)
{
    alarm(0);
}

/* A number of kilobytes in /proc/self/status, in bytes: VmSize is what RLIMIT_AS counts, VmData what RLIMIT_DATA
 * does. */
static size_t bytes_in_use(const char *name)
{
    char line[200];
    unsigned long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0) kilobytes = strtoul(line + strlen(name) + 1, NULL, 10);
    }
    if (file) fclose(file);
    return (size_t)kilobytes << 10;
}

typedef enum { ADDRESS_SPACE, DATA } kind;

/* Lets this process have so much more of a resource. False: it cannot be limited here. */
static bool allow_more(kind resource, size_t bytes)
{
    size_t used = bytes_in_use(resource == DATA ? "VmData" : "VmSize");
    struct rlimit limit = {used + bytes, RLIM_INFINITY};
    if (!used || (resource == DATA ? setrlimit(RLIMIT_DATA, &limit) : setrlimit(RLIMIT_AS, &limit)) != 0) return false;
    void *beyond = mmap(NULL, bytes + MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (beyond == MAP_FAILED) return true;
    munmap(beyond, bytes + MIB); /* an emulator does not mind the limit, an old kernel counts otherwise */
    return false;
}

typedef struct {
    kind resource;
    size_t more; /* than is in use, so many bytes */
    unsigned workers;
    size_t slots, stack; /* 0: the default */
    size_t most;         /* that may be counted for the pool; 0: no matter */
} limits;

static const char unlimited[] = "cannot be limited";

/* In a child. */
static const char *pool_is_whole(const void *argument)
{
    const limits *l = argument;
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = l->workers;
    options.slots = l->slots;
    options.stack_size = l->stack;
    DEMAND(allow_more(l->resource, l->more), unlimited);
    size_t before = bytes_in_use("VmData");
    heist_pool *pool = heist_pool_new(&options);
    DEMAND(pool, heist_explain());
    DEMAND(heist_pool_workers(pool) == l->workers, heist_pool_notes(pool));
    DEMAND(!l->most || bytes_in_use("VmData") - before < l->most, "the pool counts for too much");
    DEMAND(l->stack || strstr(heist_pool_notes(pool), "of stack for each worker"), "no note");
    const char *trouble = trouble_with(pool);
    DEMAND(!trouble, trouble);
    DEMAND(heist_pool_free(pool) == 0, "not freed");
    return NULL;
}

static void is_whole_within(limits l)
{
#if SANITIZED
    (void)l;
    (void)pool_is_whole;
    TEST_IGNORE_MESSAGE("a sanitizer needs more memory than the limit");
#else
    child_end end = in_child(pool_is_whole, &l);
    if (strcmp(end.sentence, unlimited) == 0) TEST_IGNORE_MESSAGE("memory cannot be limited here");
    TEST_ASSERT_EQUAL_STRING("", end.sentence);
    TEST_ASSERT_EQUAL_INT(0, end.status);
#endif
}

static void many_workers_count_for_little_where_data_is_limited(void)
{
    is_whole_within((limits){DATA, 20000 * MIB, MANY, 0, 0, 1000 * MIB});
}

static void workers_with_small_stacks_fit_into_little_data(void)
{
    is_whole_within((limits){DATA, 64 * MIB, 8, 4096, MIB, 0});
}

static void many_workers_fit_into_little_data(void)
{
    is_whole_within((limits){DATA, 64 * MIB, MANY, 0, 0, 0});
}

static void workers_fit_into_a_small_address_space(void)
{
    is_whole_within((limits){ADDRESS_SPACE, 256 * MIB, 8, 0, 0, 0});
}

static void many_workers_fit_into_a_small_address_space(void)
{
    is_whole_within((limits){ADDRESS_SPACE, 256 * MIB, MANY, 0, 0, 0});
}

/* ---- a stack that no system has ---- */

static const char *huge_stack_is_passed_over(const void *unused)
{
    (void)unused;
    setenv("HEIST_STACK", "1024G", 1);
    DEMAND(freopen("/dev/null", "w", stderr), "no /dev/null"); /* where it is told */
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    heist_pool *pool = heist_pool_new(&options);
    DEMAND(pool, heist_explain());
    DEMAND(heist_pool_workers(pool) == 2, "not all workers");
    if (!strstr(heist_pool_notes(pool), "HEIST_STACK is ignored")) /* unless the system has so much */
        DEMAND(pool->workers[0]->stack_size >= (size_t)1 << 40, heist_pool_notes(pool));
    const char *trouble = trouble_with(pool);
    DEMAND(!trouble, trouble);
    DEMAND(heist_pool_free(pool) == 0, "not freed");
    return NULL;
}

static void a_stack_that_the_system_does_not_have_is_passed_over(void)
{
    child_succeeds(huge_stack_is_passed_over, NULL, "HEIST_STACK=1024G");
}

/* A caller's own mistake is the caller's to know. */
static void a_stack_that_the_caller_asked_for_is_refused(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1;
    options.stack_size = (size_t)1 << 40;
    heist_pool *pool = heist_pool_new(&options);
    if (pool) {
        free_pool(pool);
        TEST_IGNORE_MESSAGE("the system has a terabyte for a stack");
    }
    TEST_ASSERT_TRUE(strlen(heist_explain()) > 0);
}

/* ---- as it is used ---- */

/* Has `n` children at a time that are not joined yet. */
HEIST_TASK(int, one, int, i)
{
    return i > 0;
}

HEIST_TASK(int, unjoined, int, n)
{
    if (n == 0) return 0;
    HEIST_SPAWN(child, one, n);
    int rest = HEIST_CALL(unjoined, n - 1);
    return HEIST_SYNC(child) + rest;
}

enum { CHILDREN = SANITIZED ? 20000 : 100000 }; /* more than there are slots at first */

static uint64_t calls_in(heist_pool *pool)
{
    heist_stats stats = {.size = sizeof stats};
    TEST_ASSERT_EQUAL_INT(0, heist_stats_read(pool, &stats));
    return stats.spawns_called;
}

static void slots_come_as_they_are_used(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(2, *mode);
        TEST_ASSERT_EQUAL_INT(CHILDREN, HEIST_RUN(pool, unjoined, CHILDREN));
        TEST_ASSERT_EQUAL_UINT64(0, calls_in(pool));
        TEST_ASSERT_EQUAL_INT(CHILDREN, HEIST_RUN(pool, unjoined, CHILDREN));
        TEST_ASSERT_EQUAL_UINT64(0, calls_in(pool));
        free_pool(pool);
    }
}

/* Returns when the worker has given memory back since its last work. It does so once after a second of sleep, and
 * then says so. */
static void await_settled(heist__worker *w)
{
    while (!(heist__load_acquire(&w->sleeper.asleep) & HEIST__SETTLED)) sleep_us(10000);
}

/* In a child. The pool is there, and then there is no more memory: spawns become calls, and all results are right.
 * When there is memory again the worker asks for slots again, after it has slept for a second. */
static const char *slots_are_refused(const void *unused)
{
    (void)unused;
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    heist_stats stats = {.size = sizeof stats};
    heist_pool *pool = pool_of(1, HEIST_FENCES_THIEF);
    DEMAND(HEIST_RUN(pool, fault_fib, 15) == 610, "fib is wrong"); /* the thread's own memory is there now */
    await_settled(pool->workers[0]); /* the home thread sleeps all the time from here on: the runs borrow its seat */
    DEMAND(allow_more(DATA, 2 * (size_t)sysconf(_SC_PAGESIZE)), unlimited);
    DEMAND(HEIST_RUN(pool, unjoined, CHILDREN) == CHILDREN, "a child was lost, or ran twice");
    heist_stats_read(pool, &stats);
    uint64_t called = stats.spawns_called;
    DEMAND(called > CHILDREN / 2, "there were slots after all");
    DEMAND(setrlimit(RLIMIT_DATA, &none) == 0, "no limit cannot be set");
    await_settled(pool->workers[0]);
    DEMAND(HEIST_RUN(pool, unjoined, CHILDREN) == CHILDREN, "a child was lost, or ran twice");
    heist_stats_read(pool, &stats);
    DEMAND(stats.spawns_called == called, "slots did not come when there was memory again");
    DEMAND(heist_pool_free(pool) == 0, "not freed");
    return NULL;
}

static void without_memory_for_slots_a_spawn_is_a_call(void)
{
#if SANITIZED
    (void)slots_are_refused;
    TEST_IGNORE_MESSAGE("a sanitizer needs memory of its own");
#else
    child_end end = in_child(slots_are_refused, NULL);
    if (strcmp(end.sentence, unlimited) == 0) TEST_IGNORE_MESSAGE("memory cannot be limited here");
    TEST_ASSERT_EQUAL_STRING("", end.sentence);
    TEST_ASSERT_EQUAL_INT(0, end.status);
#endif
}

/* ---- and goes back ---- */

/* Pages of the worker's nestings that are in memory. */
static size_t resident_nestings(heist__worker *w)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;
    size_t pages = (w->pool->nestings * sizeof *w->nestings + page - 1) / page;
    unsigned char *there = calloc(pages, 1);
    TEST_ASSERT_NOT_NULL(there);
    TEST_ASSERT_EQUAL_INT(0, mincore((void *)w->nestings, pages * page, there));
    for (size_t i = 0; i < pages; i++) count += there[i] & 1;
    free(there);
    return count;
}

static uint32_t reached; /* Written by: nest_deeply. Read after its run. */

static heist_task nothing; /* stands for a task; never run */

static void nest_deeply(void *depth)
{
    heist__worker *w = heist__self();
    reached = 0;
    while (reached < *(uint32_t *)depth && heist__nesting_room(w)) {
        heist__nesting_enter(w, &nothing, NULL, (heist__origin){NULL, 0});
        reached++;
    }
    for (uint32_t i = 0; i < reached; i++) heist__nesting_leave(w);
}

static void nestings_go_back(size_t stack, uint32_t depth, size_t least, size_t most)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1;
    options.stack_size = stack;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    heist__worker *w = pool->workers[0];
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, nest_deeply, &depth));
    TEST_ASSERT_GREATER_OR_EQUAL_UINT32(least, reached);
    size_t pages = 0;
    for (int i = 0; i < 20000; i++) { /* it is given back when the worker has been asleep for a while */
        pages = resident_nestings(w);
        if (pages <= most) break;
        sleep_us(1000);
    }
    TEST_ASSERT_LESS_OR_EQUAL_size_t(most, pages);
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, nest_deeply, &depth)); /* and they can be used again */
    TEST_ASSERT_GREATER_OR_EQUAL_UINT32(least, reached);
    free_pool(pool);
}

static void nestings_of_deep_work_go_back(void)
{
    nestings_go_back((size_t)64 << 20, 500000, 500000, 4);
}

static void few_nestings_go_back(void)
{
    nestings_go_back((size_t)128 << 10, 2000, 1000, 4);
}

/* A run in a lent seat touches much memory, which must go back though no worker is woken. Otherwise the watchdog
 * ends the test. */
static void nestings_go_back_after_a_run(heist__worker *w)
{
    uint32_t depth = 2000;
    TEST_ASSERT_EQUAL_INT(0, heist_run(w->pool, nest_deeply, &depth));
    TEST_ASSERT_EQUAL_UINT32(depth, reached);
    TEST_ASSERT_GREATER_THAN_size_t(4, resident_nestings(w));
    while (resident_nestings(w) > 4) sleep_us(1000);
}

static void nestings_go_back_from_a_seat_that_slept_for_long(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    heist__worker *w = pool->workers[0];
    for (int round = 0; round < 2; round++) {
        await_settled(w);
        nestings_go_back_after_a_run(w);
    }
    free_pool(pool);
}

/* Whether the nestings went back while the home thread never parked. A home thread that has searched to the end, on a
 * slow machine, parks and gives them back as every sleeper does: that shows nothing. */
static bool nestings_go_back_from_an_offered_seat(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1;
    options.spin = 1000000; /* so the home thread searches, and offers its seat, when the run begins */
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    heist__worker *w = pool->workers[0];
    uint32_t depth = 0;
    do { /* a run that found the home thread in the middle of a look was given to it, and not in a lent seat */
        TEST_ASSERT_EQUAL_INT(0, heist_run(pool, nest_deeply, &depth));
    } while (!heist__is_asleep(heist__load_acquire(&w->sleeper.asleep)));
    uint64_t parks = heist__load_relaxed(&w->sleeper.parks);
    nestings_go_back_after_a_run(w);
    bool never_parked = parks == heist__load_relaxed(&w->sleeper.parks);
    free_pool(pool);
    return never_parked;
}

static void nestings_go_back_from_a_seat_that_was_offered(void)
{
    for (int i = 0; i < 20; i++) {
        if (nestings_go_back_from_an_offered_seat()) return;
    }
    TEST_IGNORE_MESSAGE("no CPU: the home thread parked in each of 20 attempts");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(many_workers_count_for_little_where_data_is_limited);
    RUN_TEST(workers_with_small_stacks_fit_into_little_data);
    RUN_TEST(many_workers_fit_into_little_data);
    RUN_TEST(workers_fit_into_a_small_address_space);
    RUN_TEST(many_workers_fit_into_a_small_address_space);
    RUN_TEST(a_stack_that_the_system_does_not_have_is_passed_over);
    RUN_TEST(a_stack_that_the_caller_asked_for_is_refused);
    RUN_TEST(slots_come_as_they_are_used);
    RUN_TEST(without_memory_for_slots_a_spawn_is_a_call);
    RUN_TEST(nestings_of_deep_work_go_back);
    RUN_TEST(few_nestings_go_back);
    RUN_TEST(nestings_go_back_from_a_seat_that_slept_for_long);
    RUN_TEST(nestings_go_back_from_a_seat_that_was_offered);
    return UNITY_END();
}
