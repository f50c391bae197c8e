/* No detached task waits for ever while tasks end: the bound is the one that worker.c proves. */
#include <sched.h>
#include <stdatomic.h>

#include <heist/heist.h>

#include "schedule/pool.h"
#include "support.h"
#include "test_scale.h"
#include "unity.h"

/* Far more than the bound of any of these tests. Without a bound it is reached. */
enum { GIVE_UP = 200000 };

static atomic_bool third_ran, third_waits;
static atomic_size_t resubmitted;
static atomic_int going; /* tasks that submit themselves again */

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&third_ran, false);
    atomic_store(&third_waits, false);
    atomic_store(&resubmitted, 0);
    atomic_store(&going, 0);
}

void tearDown(void)
{
    alarm(0);
}

static void run_third(void *unused)
{
    (void)unused;
    atomic_store(&third_ran, true);
}

static void give(heist_function *function)
{
    if (heist_submit(NULL, function, NULL, HEIST_WAIT) != 0) abort();
}

/* Submits itself again until the third has run. Counts when the third waits. */
static void submit_itself_again(void *unused)
{
    (void)unused;
    if (atomic_load(&third_ran)) return;
    if (atomic_load(&third_waits) && atomic_fetch_add(&resubmitted, 1) >= GIVE_UP) return;
    give(submit_itself_again);
}

static void submit_both(void *unused)
{
    (void)unused;
    give(run_third);
    give(submit_itself_again);
    atomic_store(&third_waits, true);
}

/* One worker: the third is the older of two, so 2 * 65 tasks at most come before it. */
static void a_task_that_submits_itself_lets_an_older_one_run(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        setUp();
        heist_pool *pool = pool_of(1, *mode);
        TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, submit_both, NULL, HEIST_WAIT));
        TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
        free_pool(pool);
        TEST_ASSERT_TRUE_MESSAGE(atomic_load(&third_ran), "it never ran");
        TEST_ASSERT_LESS_OR_EQUAL_size_t(2 * 65, atomic_load(&resubmitted));
    }
}

static void on_each_of_two(void *unused)
{
    if (atomic_fetch_add(&going, 1) == 0) {
        while (atomic_load(&going) < 2) sched_yield(); /* the other runs on the other worker */
        submit_itself_again(unused);
    } else {
        submit_both(unused);
    }
}

/* Two workers, each with a task that submits itself: none of them is ever without work. */
static void two_tasks_that_submit_themselves_do_not_starve_a_third(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    for (int i = 0; i < 2; i++) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, on_each_of_two, NULL, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    free_pool(pool);
    TEST_ASSERT_TRUE_MESSAGE(atomic_load(&third_ran), "it never ran");
    TEST_ASSERT_LESS_THAN_size_t(GIVE_UP, atomic_load(&resubmitted));
}

/* Leaves the third in its worker's deque, and does not return before another worker has run it, or has given up. */
static void leave_it_to_others(void *unused)
{
    (void)unused;
    while (atomic_load(&going) == 0) sched_yield(); /* the other worker has begun: it has work of its own from now on */
    give(run_third);
    atomic_store(&third_waits, true);
    while (!atomic_load(&third_ran) && atomic_load(&resubmitted) < GIVE_UP) sched_yield();
}

static void begin_to_submit_itself(void *unused)
{
    atomic_store(&going, 1);
    submit_itself_again(unused);
}

/* The worker that has the third is held up in a task; the other one always has work of its own: 2 * 1 * 65 tasks at
 * most. */
static void a_busy_worker_takes_what_a_worker_that_is_held_up_cannot_run(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, leave_it_to_others, NULL, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, begin_to_submit_itself, NULL, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    free_pool(pool);
    TEST_ASSERT_TRUE_MESSAGE(atomic_load(&third_ran), "it never ran");
    TEST_ASSERT_LESS_OR_EQUAL_size_t(2 * 65, atomic_load(&resubmitted));
}

/* ---- the deque of a tree of detached tasks stays small ---- */

static atomic_size_t nodes;
static size_t longest;

static void branch(void *depth)
{
    atomic_fetch_add_explicit(&nodes, 1, memory_order_relaxed);
    size_t length = heist_deque_size(heist__self()->jobs);
    if (length > longest) longest = length; /* one worker */
    for (int i = 0; depth && i < 2; i++) {
        if (heist_submit(NULL, branch, (char *)depth - 1, HEIST_WAIT) != 0) abort();
    }
}

/* A million tasks, of which some thousand lie in the deque at once. */
static void a_tree_of_detached_tasks_needs_little_room(void)
{
    const int depth = SANITIZED ? 14 : 19;
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    longest = 0;
    atomic_store(&nodes, 0);
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, branch, (void *)(intptr_t)depth, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    free_pool(pool);
    TEST_ASSERT_EQUAL_size_t(((size_t)2 << depth) - 1, atomic_load(&nodes));
    char said[64];
    snprintf(said, sizeof said, "%zu tasks, %zu at once", atomic_load(&nodes), longest);
    TEST_MESSAGE(said);
    TEST_ASSERT_LESS_THAN_size_t(((size_t)2 << depth) / 64, longest);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_task_that_submits_itself_lets_an_older_one_run);
    RUN_TEST(two_tasks_that_submit_themselves_do_not_starve_a_third);
    RUN_TEST(a_busy_worker_takes_what_a_worker_that_is_held_up_cannot_run);
    RUN_TEST(a_tree_of_detached_tasks_needs_little_room);
    return UNITY_END();
}
