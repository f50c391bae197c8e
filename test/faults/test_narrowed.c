/* CPUs that go away at run time: the affinity mask of every thread is narrowed and widened again while tasks run,
 * from within and by another process, as taskset does. Everything finishes, on whatever is left. (A CPU quota that
 * is lowered: test/numa, where there are control groups to play with.) */
#include <sched.h>

#include "fault_support.h"

static cpu_set_t all_cpus;

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

/* The nth of all CPUs, alone. */
static cpu_set_t only(int nth)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    nth %= CPU_COUNT(&all_cpus);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all_cpus) || nth-- > 0) continue;
        CPU_SET(cpu, &one);
        break;
    }
    return one;
}

/* ---- narrowing ---- */

static void begin(busy *b, unsigned workers, heist_bind bind)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.bind = bind;
    const char *trouble = busy_begin(b, &options);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
}

static void end(busy *b)
{
    const char *trouble = busy_end(b);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
}

static const heist_bind ways_to_bind[] = {HEIST_BIND_NONE, HEIST_BIND_CORE, HEIST_BIND_NODE};

static void a_narrowed_mask_loses_nothing(void)
{
    for (size_t way = 0; way < sizeof ways_to_bind / sizeof *ways_to_bind; way++) {
        busy b;
        begin(&b, 4, ways_to_bind[way]);
        for (int step = 0; step < test_scale(12); step++) {
            cpu_set_t mask = step % 3 == 2 ? all_cpus : only(step);
            TEST_ASSERT_GREATER_THAN_INT(4, narrow(getpid(), &mask)); /* the workers, and us */
            await_rounds(&b, 2);
        }
        narrow(getpid(), &all_cpus);
        end(&b);
    }
}

static const char *narrow_the_parent(const void *argument)
{
    const int *steps = argument;
    for (int step = 0; step < *steps; step++) {
        cpu_set_t mask = step % 3 == 2 ? all_cpus : only(step);
        DEMAND(narrow(getppid(), &mask) > 4, "the parent's threads cannot be narrowed");
        sleep_us(3000);
    }
    narrow(getppid(), &all_cpus);
    return NULL;
}

static void another_process_may_narrow_it(void)
{
    busy b;
    int steps = test_scale(60);
    begin(&b, 4, HEIST_BIND_NONE);
    child_succeeds(narrow_the_parent, &steps, "the narrowing process");
    await_rounds(&b, 2);
    end(&b);
}

/* The pool is made with one CPU, and there are more later: as many workers as before, and all is right. */
static void a_pool_made_narrow_goes_on_when_there_is_more(void)
{
    cpu_set_t one = only(0);
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof one, &one));
    busy b;
    begin(&b, 0, HEIST_BIND_NONE);
    TEST_ASSERT_EQUAL_UINT(1, heist_pool_workers(b.pool));
    narrow(getpid(), &all_cpus);
    await_rounds(&b, 5);
    TEST_ASSERT_EQUAL_UINT(1, heist_pool_workers(b.pool));
    end(&b);
}

/* New pools, and children of fork, take the mask as it is now. */
static const char *one_worker_in_child(const void *unused)
{
    (void)unused;
    heist_pool *pool = heist_pool_new(NULL);
    DEMAND(pool, heist_explain());
    DEMAND(heist_pool_workers(pool) == 1, "the child does not go by its mask");
    const char *trouble = trouble_with(pool);
    DEMAND(!trouble, trouble);
    DEMAND(heist_pool_free(pool) == 0, "not freed");
    return NULL;
}

static void what_is_made_later_goes_by_the_mask_of_then(void)
{
    if (THREAD_SANITIZED) TEST_IGNORE_MESSAGE("ThreadSanitizer allows no new threads after such a fork");
    busy b;
    begin(&b, 3, HEIST_BIND_NONE);
    cpu_set_t one = only(1);
    narrow(getpid(), &one);
    heist_pool *pool = heist_pool_new(NULL);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_UINT(1, heist_pool_workers(pool));
    free_pool(pool);
    child_succeeds(one_worker_in_child, NULL, "a child of the narrowed process");
    narrow(getpid(), &all_cpus);
    end(&b);
}

int main(void)
{
    unsetenv("HEIST_WORKERS");
    if (sched_getaffinity(0, sizeof all_cpus, &all_cpus) != 0) return 1;
    UNITY_BEGIN();
    RUN_TEST(a_narrowed_mask_loses_nothing);
    RUN_TEST(another_process_may_narrow_it);
    RUN_TEST(a_pool_made_narrow_goes_on_when_there_is_more);
    RUN_TEST(what_is_made_later_goes_by_the_mask_of_then);
    return UNITY_END();
}
