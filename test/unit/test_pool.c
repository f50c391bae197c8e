/* Pools: several at once, from any thread, nested, ended in any order. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "platform/barrier.h"
#include "quiet_fork.h"
#include "schedule/pool.h"
#include "support.h"
#include "topology/quota.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

#define N 18
#define FIB_N 2584

/* ---- which thread may run in which pool ---- */

static void *runs_fib(void *argument)
{
    heist_pool *pool = argument;
    long wrong = 0;
    for (int i = 0; i < test_scale(200); i++) wrong += HEIST_RUN(pool, fib, N) != FIB_N;
    return (void *)wrong;
}

static void many_threads_may_run_on_many_pools_at_once(void)
{
    heist_pool *pools[3];
    pthread_t threads[9];
    for (int i = 0; i < 3; i++) pools[i] = pool_of((unsigned)i + 1, i == 1 ? HEIST_FENCES_BOTH : HEIST_FENCES_THIEF);
    for (int i = 0; i < 9; i++) TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[i], NULL, runs_fib, pools[i % 3]));
    for (int i = 0; i < 9; i++) {
        void *wrong;
        TEST_ASSERT_EQUAL_INT(0, pthread_join(threads[i], &wrong));
        TEST_ASSERT_NULL(wrong);
    }
    free_pool(pools[1]); /* neither the first nor the last */
    free_pool(pools[0]);
    free_pool(pools[2]);
}

static heist_pool *first, *second;

HEIST_TASK(long, runs_on, heist_pool *, pool, int, n)
{
    HEIST_SPAWN(beside, fib, n);
    long there = HEIST_RUN(pool, fib, n);
    return HEIST_SYNC(beside) + there;
}

/* Alone, a worker that handed such a run to the pool would wait for itself. */
static void a_task_may_run_on_its_own_pool(void)
{
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        first = pool_of(workers, HEIST_FENCES_DEFAULT);
        for (int i = 0; i < test_scale(100); i++) {
            TEST_ASSERT_EQUAL_INT64(2 * FIB_N, HEIST_RUN(first, runs_on, first, N));
            TEST_ASSERT_EQUAL_INT64(2 * FIB_N, HEIST_RUN(first, runs_on, NULL, N)); /* NULL: the running task's pool */
        }
        free_pool(first);
    }
}

static void a_task_may_run_on_another_pool(void)
{
    first = pool_of(2, HEIST_FENCES_DEFAULT);
    second = pool_of(2, HEIST_FENCES_DEFAULT);
    for (int i = 0; i < test_scale(100); i++) {
        TEST_ASSERT_EQUAL_INT64(2 * FIB_N, HEIST_RUN(first, runs_on, second, N));
        TEST_ASSERT_EQUAL_INT64(2 * FIB_N, HEIST_RUN(second, runs_on, first, N));
    }
    free_pool(first);
    free_pool(second);
}

static void where_am_i(void *argument)
{
    int *number = argument;
    *number = heist_current_pool() == first ? heist_worker_number() : -2;
}

static void asks_the_first(void *argument)
{
    if (heist_current_pool() != second || heist_run(first, where_am_i, argument) != 0) *(int *)argument = -4;
}

static void a_task_knows_where_it_is(void)
{
    first = pool_of(2, HEIST_FENCES_DEFAULT);
    int number = -3;
    TEST_ASSERT_EQUAL_INT(-1, heist_worker_number());
    TEST_ASSERT_NULL(heist_current_pool());
    TEST_ASSERT_EQUAL_INT(0, heist_run(first, where_am_i, &number));
    TEST_ASSERT_TRUE(number == 0 || number == 1);
    TEST_ASSERT_EQUAL_INT(-1, heist_worker_number());
    second = pool_of(2, HEIST_FENCES_DEFAULT);
    number = -3;
    TEST_ASSERT_EQUAL_INT(0, heist_run(second, asks_the_first, &number));
    TEST_ASSERT_TRUE(number == 0 || number == 1);
    free_pool(second);
    free_pool(first);
}

static void stack_size(void *argument)
{
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes)) return;
    pthread_attr_getstacksize(&attributes, argument);
    pthread_attr_destroy(&attributes);
}

typedef struct {
    unsigned alone, sharing;
} spins;

/* In a worker that is noted now and then as sharing its CPU. */
static void spins_of_a_waiter(void *argument)
{
    spins *s = argument;
    heist__worker *w = heist__self();
    heist__cpu_occupancy *occupancy = &w->pool->idle.occupancy;
    uint32_t place = heist__load_relaxed(&w->sleeper.cpu_place);
    heist__cpu_occupancy_awake(occupancy, place, 1);
    s->sharing = heist__waiting_spin(w);
    heist__cpu_occupancy_awake(occupancy, place, -1);
    heist__store_relaxed(&w->sleeper.cpu_place, HEIST__NO_CPU_PLACE);
    s->alone = heist__waiting_spin(w);
    heist__store_relaxed(&w->sleeper.cpu_place, place);
}

static void a_waiter_spins_less_where_it_shares_its_cpu(void)
{
    unsigned cpus = heist__default_workers(NULL);
    heist_pool *one = pool_of(1, HEIST_FENCES_DEFAULT), *many = pool_of(2 * cpus, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_NULL(one->idle.occupancy.places);
    TEST_ASSERT_NOT_NULL(many->idle.occupancy.places);
    spins s = {0};
    TEST_ASSERT_EQUAL_INT(0, heist_run(many, spins_of_a_waiter, &s));
    TEST_ASSERT_EQUAL_UINT(one->settings.spin, s.alone);
    TEST_ASSERT_TRUE(s.sharing > 0);
    TEST_ASSERT_LESS_THAN_UINT(s.alone, s.sharing);
    TEST_ASSERT_EQUAL_UINT(1, one->at_once);
    TEST_ASSERT_EQUAL_UINT(cpus, many->at_once);
    free_pool(one);
    free_pool(many);
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2 * cpus;
    options.spin = 99;
    heist_pool *told = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(told, heist_explain());
    TEST_ASSERT_EQUAL_UINT(99, told->settings.spin);
    TEST_ASSERT_EQUAL_UINT(99, told->settings.waiting_spin);
    TEST_ASSERT_EQUAL_UINT(99, told->settings.sharing_spin);
    TEST_ASSERT_EQUAL_UINT(cpus, told->at_once);
    TEST_ASSERT_NULL_MESSAGE(told->idle.occupancy.places, "a worker that is told to search goes on searching");
    free_pool(told);
}

static void a_stack_is_as_large_as_asked_for(void)
{
    for (size_t wanted = (size_t)256 << 10; wanted <= (size_t)256 << 20; wanted *= 32) {
        heist_options options = HEIST_OPTIONS_INIT;
        options.workers = 1;
        options.stack_size = wanted;
        heist_pool *pool = heist_pool_new(&options);
        TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
        size_t size = 0;
        TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, stack_size, &size, HEIST_WAIT)); /* to a worker's own thread */
        TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
        TEST_ASSERT_TRUE(size >= wanted);
        if (!SANITIZED) TEST_ASSERT_TRUE(size < 2 * wanted); /* ThreadSanitizer makes small stacks larger */
        free_pool(pool);
    }
}

/* ---- names, numbers, notes ---- */

static void thread_name(void *argument)
{
    pthread_getname_np(pthread_self(), argument, 16);
}

static void threads_are_called_after_their_pool(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1;
    options.name = "a-very-long-name-indeed";
    heist_pool *pool = heist_pool_new(&options);
    char name[16] = "";
    TEST_ASSERT_NOT_NULL(pool);
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, thread_name, name, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_EQUAL_STRING("a-very-long-n/0", name);
    free_pool(pool);
}

static void the_affinity_mask_sets_the_number_of_workers(void)
{
    cpu_set_t old, one;
    TEST_ASSERT_EQUAL_INT(0, sched_getaffinity(0, sizeof old, &old));
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &old)) continue;
        CPU_SET(cpu, &one);
        break;
    }
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof one, &one));
    heist_pool *pool = heist_pool_new(NULL);
    sched_setaffinity(0, sizeof old, &old);
    TEST_ASSERT_NOT_NULL(pool);
    TEST_ASSERT_EQUAL_UINT(1, heist_pool_workers(pool));
    free_pool(pool);
    pool = heist_pool_new(NULL);
    TEST_ASSERT_NOT_NULL(pool);
    TEST_ASSERT_EQUAL_UINT(heist__default_workers(NULL), heist_pool_workers(pool)); /* test_quota has what that is */
    free_pool(pool);
}

/* Containers that forbid membarrier or memory policies leave a note; a note is then a sentence. */
static void a_pool_that_has_all_it_wants_says_nothing(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(2, *mode);
        const char *notes = heist_pool_notes(pool);
        if (heist__barrier_available() || *mode == HEIST_FENCES_BOTH)
            TEST_ASSERT_EQUAL_STRING(USUAL_NOTES, notes);
        else
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(notes, "membarrier"), notes);
        free_pool(pool);
    }
}

static void nothing_can_be_said_of_no_pool(void)
{
    TEST_ASSERT_EQUAL_UINT(0, heist_pool_workers(NULL));
    TEST_ASSERT_EQUAL_STRING("", heist_pool_notes(NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_free(NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_pool_shutdown(NULL, HEIST_DRAIN, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_pool_close(NULL));
    first = pool_of(1, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_run(first, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_submit(first, NULL, NULL, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_pool_shutdown(first, (heist_shutdown)7, NULL));
    TEST_ASSERT_EQUAL_INT64(FIB_N, HEIST_RUN(first, fib, N));
    free_pool(first);
}

/* ---- ending ---- */

static void frees_its_pool(void *argument)
{
    int *error = argument;
    *error = heist_pool_free(heist_current_pool());
}

static void waits_for_its_pool(void *argument)
{
    int *error = argument;
    *error = heist_pool_wait(NULL);
}

static void a_task_cannot_end_or_await_its_own_pool(void)
{
    first = pool_of(2, HEIST_FENCES_DEFAULT);
    int error = 1;
    TEST_ASSERT_EQUAL_INT(0, heist_run(first, frees_its_pool, &error));
    TEST_ASSERT_EQUAL_INT(-EDEADLK, error);
    TEST_ASSERT_EQUAL_INT(0, heist_run(first, waits_for_its_pool, &error));
    TEST_ASSERT_EQUAL_INT(-EDEADLK, error);
    TEST_ASSERT_EQUAL_INT64(FIB_N, HEIST_RUN(first, fib, N)); /* it lives on */
    free_pool(first);
}

static void frees_the_second(void *argument)
{
    int *error = argument;
    *error = heist_pool_free(second);
}

static void a_task_may_end_another_pool(void)
{
    first = pool_of(1, HEIST_FENCES_DEFAULT);
    second = pool_of(2, HEIST_FENCES_DEFAULT);
    HEIST_RUN(second, fib, N);
    int error = 1;
    TEST_ASSERT_EQUAL_INT(0, heist_run(first, frees_the_second, &error));
    TEST_ASSERT_EQUAL_INT(0, error);
    free_pool(first);
}

/* ---- rings of waiting: each waits for the next, and the last is to wait for the first ---- */

static heist_scope ring_scope;
static atomic_int refusals;

static void refuse_to_wait(void)
{
    size_t cancelled = 7;
    int right = heist_pool_free(first) == -EDEADLK && heist_pool_wait(first) == -EDEADLK &&
                heist_pool_shutdown(first, HEIST_CANCEL, &cancelled) == -EDEADLK && cancelled == 0 &&
                heist_pool_wait(second) == -EDEADLK && heist_explain()[0];
    if (ring_scope.core) right = right && heist_scope_wait(&ring_scope) == -EDEADLK;
    atomic_fetch_add(&refusals, right);
}

/* From stolen children, too. */
HEIST_VOID_TASK(refuse_below, int, depth)
{
    if (depth == 0) {
        refuse_to_wait();
        sleep_us(300); /* time for thieves */
        return;
    }
    HEIST_SPAWN(left, refuse_below, depth - 1);
    HEIST_CALL(refuse_below, depth - 1);
    HEIST_SYNC(left);
}

static void refuse_once(void *unused)
{
    (void)unused;
    refuse_to_wait();
}

/* On a single worker, the task that waits for the scope runs the tasks of that scope. */
static void wait_for_scope(void *unused)
{
    (void)unused;
    heist_scope scope;
    int error = heist_scope_begin(&scope, NULL);
    if (!error) error = heist_detach(&scope, refuse_once, NULL);
    if (!error) error = heist_scope_end(&scope);
    if (error) atomic_fetch_sub(&refusals, 1000);
}

static void on_the_second_alone(void *pool)
{
    if (heist_run(pool, wait_for_scope, NULL) != 0) atomic_fetch_sub(&refusals, 1000);
}

static void on_the_first_alone(void *third)
{
    if (heist_run(second, on_the_second_alone, third) != 0) atomic_fetch_sub(&refusals, 1000);
}

static void on_the_second(void *third)
{
    if (third)
        HEIST_RUN((heist_pool *)third, refuse_below, 5);
    else
        HEIST_RUN(NULL, refuse_below, 5);
}

static void on_the_first(void *third)
{
    if (heist_run(second, on_the_second, third) != 0) atomic_fetch_sub(&refusals, 1000);
}

HEIST_VOID_TASK(on_the_first_below, int, depth, heist_pool *, third)
{
    if (depth == 0) {
        on_the_first(third);
        return;
    }
    HEIST_SPAWN(left, on_the_first_below, depth - 1, third);
    HEIST_CALL(on_the_first_below, depth - 1, third);
    HEIST_SYNC(left);
}

static void nobody_waits_for_who_waits_for_it(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        first = pool_of(2, *mode);
        second = pool_of(3, *mode);
        heist_pool *third = pool_of(3, *mode);
        atomic_store(&refusals, 0);
        TEST_ASSERT_EQUAL_INT(0, heist_run(first, on_the_first, NULL));
        TEST_ASSERT_EQUAL_INT(32, atomic_load(&refusals));
        TEST_ASSERT_EQUAL_INT(0, heist_run(first, on_the_first, third));
        TEST_ASSERT_EQUAL_INT(64, atomic_load(&refusals));
        HEIST_RUN(first, on_the_first_below, 2, third);
        TEST_ASSERT_EQUAL_INT(64 + 4 * 32, atomic_load(&refusals));
        heist_pool *single = pool_of(1, *mode);
        TEST_ASSERT_EQUAL_INT(0, heist_run(first, on_the_first_alone, single));
        TEST_ASSERT_EQUAL_INT(64 + 4 * 32 + 1, atomic_load(&refusals));
        free_pool(single);
        TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&ring_scope, first));
        TEST_ASSERT_EQUAL_INT(0, heist_detach(&ring_scope, on_the_first, third));
        TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&ring_scope));
        TEST_ASSERT_EQUAL_INT(64 + 5 * 32 + 1, atomic_load(&refusals));
        TEST_ASSERT_EQUAL_INT64(FIB_N, HEIST_RUN(first, fib, N)); /* they live on */
        int error = 1;
        TEST_ASSERT_EQUAL_INT(0, heist_run(first, frees_the_second, &error)); /* no pool waits for another now */
        TEST_ASSERT_EQUAL_INT(0, error);
        free_pool(third);
        free_pool(first);
    }
}

static void a_typed_run_has_a_result_even_when_the_pool_is_closed(void)
{
    first = pool_of(2, HEIST_FENCES_DEFAULT);
    int number;
    TEST_ASSERT_EQUAL_INT(0, heist_pool_close(first));
    TEST_ASSERT_EQUAL_INT(-ESHUTDOWN, heist_run(first, where_am_i, &number));
    TEST_ASSERT_EQUAL_INT64(FIB_N, HEIST_RUN(first, fib, N));
    free_pool(first);
}

/* ---- the default pool ---- */

static pthread_barrier_t together;

static void *gets_default(void *argument)
{
    (void)argument;
    pthread_barrier_wait(&together);
    return heist_default_pool();
}

/* In a child process, which then ends as most programs do. */
static int default_pool_story(void)
{
    pthread_t threads[8];
    void *pools[8];
    pthread_barrier_init(&together, NULL, 8);
    for (int i = 0; i < 8; i++) {
        if (pthread_create(&threads[i], NULL, gets_default, NULL) != 0) return 1;
    }
    for (int i = 0; i < 8; i++) pthread_join(threads[i], &pools[i]);
    for (int i = 0; i < 8; i++) {
        if (!pools[i] || pools[i] != pools[0]) return 2;
    }
    if (HEIST_RUN(NULL, fib, N) != FIB_N) return 3;
    return heist_default_pool() == pools[0] ? 0 : 4;
}

static void the_default_pool_is_made_once_and_gone_at_exit(void)
{
    char said[4096];
    int ends[2], status;
    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    fflush(NULL); /* or the child's exit prints it again */
    pid_t child = fork_quietly();
    if (child == 0) {
        watchdog_of_child(30);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("HEIST_STATS", "1", 1); /* printed when a pool ends: that is how it is seen from here */
        exit(default_pool_story());
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], said + n, sizeof said - 1 - n)) > 0;) n += (size_t)got;
    said[n] = '\0';
    close(ends[0]);
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    TEST_ASSERT_EQUAL_INT(0, status);
    char *printed = strstr(said, "heist: pool heist");
    TEST_ASSERT_NOT_NULL_MESSAGE(printed, said);
    TEST_ASSERT_NULL_MESSAGE(strstr(printed + 1, "heist: pool heist"), said);
}

/* ---- a described machine ---- */

static void a_described_machine_orders_the_victims(void)
{
#ifndef HEIST_HAVE_HWLOC
    TEST_IGNORE_MESSAGE("descriptions are hwloc's");
#else
    heist_options options = HEIST_OPTIONS_INIT;
    options.topology = "pack:2 [numa] core:4 pu:2";
    options.workers = 16;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_UINT(2, pool->inbox_count);
    for (unsigned i = 0; i < 16; i++) {
        const heist__victims *v = &pool->workers[i]->victims;
        TEST_ASSERT_EQUAL_UINT(1, v->level_end[HEIST__SAME_CORE]);
        TEST_ASSERT_EQUAL_UINT(7, v->level_end[HEIST__SAME_NODE]);
        TEST_ASSERT_EQUAL_UINT(15, v->level_end[HEIST__FAR]);
        TEST_ASSERT_EQUAL_UINT(pool->workers[i]->node, pool->workers[v->worker[0]]->node);
    }
    TEST_ASSERT_EQUAL_INT64(FIB_N, HEIST_RUN(pool, fib, N));
    heist_pool_wait(pool);
    heist_stats stats = stats_of(pool);
    uint64_t near = stats.steal_got[HEIST_LEVEL_CORE] + stats.steal_empty[HEIST_LEVEL_CORE];
    uint64_t far = stats.steal_got[HEIST_LEVEL_FAR] + stats.steal_empty[HEIST_LEVEL_FAR];
    TEST_ASSERT_TRUE(near > 0);
    /* eight far ones, each after the near one */
    TEST_ASSERT_TRUE(far <= 8 * (near + stats.steal_lost[HEIST_LEVEL_CORE]));
    free_pool(pool);
#endif
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(many_threads_may_run_on_many_pools_at_once);
    RUN_TEST(a_task_may_run_on_its_own_pool);
    RUN_TEST(a_task_may_run_on_another_pool);
    RUN_TEST(a_task_knows_where_it_is);
    RUN_TEST(a_waiter_spins_less_where_it_shares_its_cpu);
    RUN_TEST(a_stack_is_as_large_as_asked_for);
    RUN_TEST(threads_are_called_after_their_pool);
    RUN_TEST(the_affinity_mask_sets_the_number_of_workers);
    RUN_TEST(a_pool_that_has_all_it_wants_says_nothing);
    RUN_TEST(nothing_can_be_said_of_no_pool);
    RUN_TEST(a_task_cannot_end_or_await_its_own_pool);
    RUN_TEST(a_task_may_end_another_pool);
    RUN_TEST(nobody_waits_for_who_waits_for_it);
    RUN_TEST(a_typed_run_has_a_result_even_when_the_pool_is_closed);
    RUN_TEST(the_default_pool_is_made_once_and_gone_at_exit);
    RUN_TEST(a_described_machine_orders_the_victims);
    return UNITY_END();
}
