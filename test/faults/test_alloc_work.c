/* Memory that runs out while a pool works: every allocation fails in its turn, once alone and once with all that
 * follow. Refused work says so and does not run, accepted work runs once, and nothing is left allocated. */
#include "../topologies/fixture.h"
#include "alloc_support.h"
#include "schedule/overflow.h"
#include "schedule/pool.h"
#include "schedule/worker_memory.h"

/* ---- a living pool ---- */

/* A scenario that gives `count` tasks to a pool; a refusal must be for want of memory. */
typedef struct giving {
    heist_pool *pool;
    size_t count;
    size_t accepted;
    const char *trouble; /* NULL: none */
    void (*scenario)(struct giving *);
} giving;

static bool was_accepted[MOST_MARKS];

static bool took(giving *g, size_t i, int error)
{
    was_accepted[i] = error == 0;
    if (error == 0)
        g->accepted++;
    else if (error != -ENOMEM)
        g->trouble = "refused, but not for want of memory";
    return error == 0;
}

static void what_was_accepted_ran_once(const giving *g)
{
    char what[60];
    TEST_ASSERT_NULL_MESSAGE(g->trouble, g->trouble);
    for (size_t i = 0; i < g->count; i++) {
        snprintf(what, sizeof what, "task %zu", i);
        TEST_ASSERT_EQUAL_UINT_MESSAGE(was_accepted[i], marks_of(i), what);
    }
}

/* Returns false when the scenario does not come to the nth allocation. */
static bool give_with_refusal(const heist_options *options, unsigned kinds, int nth, how_long how, giving g)
{
    g.pool = heist_pool_new(options);
    TEST_ASSERT_NOT_NULL_MESSAGE(g.pool, heist_explain());
    forget_marks();
    refuse(kinds, nth, how);
    g.scenario(&g);
    bool hit = refuse_no_more() != 0;
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(g.pool));
    what_was_accepted_ran_once(&g);
    if (!hit) TEST_ASSERT_EQUAL_size_t(g.count, g.accepted);
    const char *trouble = trouble_with(g.pool);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    free_pool(g.pool);
    nothing_is_left("after the scenario");
    return hit;
}

/* Runs `scenario` with each refusal in turn, each on a new pool: an old one has memory left that spares allocations. */
static void give_with_each_refusal(const heist_options *options, unsigned kinds, size_t count,
                                   void (*scenario)(giving *))
{
    for (size_t way = 0; way < 2; way++) {
        int nth = 1;
        giving g = {.count = count, .scenario = scenario};
        while (nth < MOST_CALLS && give_with_refusal(options, kinds, nth, both_ways[way], g)) nth++;
        TEST_ASSERT_GREATER_THAN_INT(1, nth);
        TEST_ASSERT_LESS_THAN_INT(MOST_CALLS, nth);
    }
}

static void submit_from_outside(giving *g)
{
    for (size_t i = 0; i < g->count; i++) took(g, i, heist_submit(g->pool, mark, (void *)(uintptr_t)i, HEIST_WAIT));
}

/* With the built-in inbox a submission needs none, and a worker that has none takes one at a time. */
static void submissions_without_memory_run_or_are_refused(void)
{
    heist_options options = small_stacks(2);
    if (!HEIST__INBOX_CARRIES_CALLS) {
        give_with_each_refusal(&options, ANYTHING, 20, submit_from_outside);
        return;
    }
    for (int nth = 1; nth < 5; nth++) {
        for (size_t way = 0; way < 2; way++) {
            giving g = {.count = MOST_MARKS, .scenario = submit_from_outside};
            give_with_refusal(&options, ANYTHING, nth, both_ways[way], g);
            for (size_t i = 0; i < g.count; i++) TEST_ASSERT_TRUE(was_accepted[i]);
        }
    }
}

static void detach_to_scope_and_wait(giving *g)
{
    heist_scope scope;
    int error = heist_scope_begin(&scope, g->pool);
    for (size_t i = 0; i < g->count; i++) {
        took(g, i, error ? error : heist_detach(&scope, mark, (void *)(uintptr_t)i));
    }
    if (!error && heist_scope_end(&scope) != 0) g->trouble = "a scope did not end";
}

static void a_scope_needs_memory_to_detach_and_ends_with_less(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_scope scope;
    refuse(ANYTHING, 1, FROM_THEN_ON);
    int begun = heist_scope_begin(&scope, pool), detached = heist_detach(&scope, mark, NULL);
    int ended = heist_scope_end(&scope);
    refuse_no_more();
    TEST_ASSERT_EQUAL_INT(0, begun); /* a scope needs no memory before the first detach */
    TEST_ASSERT_EQUAL_INT(-ENOMEM, detached);
    TEST_ASSERT_EQUAL_INT(0, ended);
    free_pool(pool);
    nothing_is_left("after no scope");

    heist_options options = small_stacks(2);
    give_with_each_refusal(&options, ANYTHING, 15, detach_to_scope_and_wait);
}

/* Runs `inside` as a task of the pool. */
typedef struct {
    void (*function)(giving *);
    giving *g;
} inside;

static void run_inside(void *argument)
{
    inside *in = argument;
    in->function(in->g);
}

static void within(giving *g, void (*function)(giving *))
{
    inside in = {function, g};
    if (heist_run(g->pool, run_inside, &in) != 0) g->trouble = "a run needs no memory";
}

static void detach_to_scope_inside(giving *g)
{
    within(g, detach_to_scope_and_wait);
}

static void a_task_without_memory_for_others_goes_on(void)
{
    heist_options options = small_stacks(2);
    give_with_each_refusal(&options, ANYTHING, 15, detach_to_scope_inside);
}

typedef struct {
    char bytes[3 * HEIST__JOB_BLOCK];
} bulky;

HEIST_VOID_TASK(typed_mark, size_t, i)
{
    mark((void *)(uintptr_t)i);
}

HEIST_VOID_TASK(bulky_mark, size_t, i, bulky, ballast)
{
    if (ballast.bytes[0] == 'b' && ballast.bytes[sizeof ballast - 1] == 'e') mark((void *)(uintptr_t)i);
}

static void detach_typed(giving *g)
{
    bulky ballast = {"b"};
    ballast.bytes[sizeof ballast - 1] = 'e';
    for (size_t i = 0; i < g->count; i++) {
        took(g, i, i % 2 ? HEIST_DETACH(NULL, bulky_mark, i, ballast) : HEIST_DETACH(NULL, typed_mark, i));
    }
}

static void detach_typed_inside(giving *g)
{
    within(g, detach_typed);
}

static void typed_tasks_that_are_refused_do_not_run(void)
{
    heist_options options = small_stacks(2);
    give_with_each_refusal(&options, ANYTHING, 15, detach_typed_inside);
}

/* Far more than a deque has room for at first. */
#define CROWD 2000

static HEIST__ATOMIC(unsigned) all_detached; /* Written by: the thread that detaches. Read by: the tasks. */

/* Holds thieves up, or they would keep the deque short. */
static void mark_after_all(void *argument)
{
    while (!heist__load_acquire(&all_detached)) sched_yield();
    mark(argument);
}

static void detach_crowd(giving *g)
{
    heist__store_release(&all_detached, 0);
    for (size_t i = 0; i < g->count; i++) took(g, i, heist_detach(NULL, mark_after_all, (void *)(uintptr_t)i));
    heist__store_release(&all_detached, 1);
}

static void detach_crowd_inside(giving *g)
{
    within(g, detach_crowd);
}

static void a_deque_that_cannot_grow_refuses_and_keeps_what_it_has(void)
{
    heist_options options = small_stacks(1);
    give_with_each_refusal(&options, CALLOC, CROWD, detach_crowd_inside);

    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    giving g = {.pool = pool, .count = CROWD};
    forget_marks();
    refuse(CALLOC, 1, FROM_THEN_ON);
    detach_crowd_inside(&g);
    refuse_no_more();
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    what_was_accepted_ran_once(&g);
    TEST_ASSERT_LESS_THAN_size_t(CROWD, g.accepted);
    TEST_ASSERT_GREATER_THAN_size_t(0, g.accepted);
    free_pool(pool);
    nothing_is_left("after a crowd");
}

static void robbers_of_half_lose_nothing(void)
{
    heist_options options = small_stacks(3);
    options.amount = HEIST_AMOUNT_HALF;
    give_with_each_refusal(&options, CALLOC, CROWD, detach_crowd_inside);
}

/* Children: more than a scope has room for by itself. */
#define CHILDREN 300

static void spawn_children(giving *g)
{
    heist_scope scope;
    int error = heist_scope_begin(&scope, NULL);
    for (size_t i = 0; i < g->count; i++) {
        unsigned before = heist__load_acquire(&kinds_hit);
        if (error)
            mark((void *)(uintptr_t)i); /* no scope: as a program would do */
        else
            heist_spawn(&scope, mark, (void *)(uintptr_t)i);
        bool refused = heist__load_acquire(&kinds_hit) != before;
        if (refused && marks_of(i) != 1) g->trouble = "a spawn without memory is no call";
        was_accepted[i] = true;
    }
    g->accepted = g->count;
    if (!error) heist_join(&scope);
    for (size_t i = 0; i < g->count; i++) {
        if (marks_of(i) != 1) g->trouble = "a join returned before its children were done, or one ran twice";
    }
    if (!error && heist_scope_end(&scope) != 0) g->trouble = "a scope did not end";
}

static void spawn_children_inside(giving *g)
{
    within(g, spawn_children);
}

static void spawns_without_memory_are_calls(void)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        heist_options options = small_stacks(workers);
        give_with_each_refusal(&options, MALLOC, CHILDREN, spawn_children_inside);
    }
}

static void fork_join_of_typed_tasks_needs_no_memory(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    for (int i = 0; i < 2; i++) HEIST_RUN(pool, fault_fib, 18); /* a seat gets its stack with the first run in it */
    for (unsigned i = 0; i < pool->count; i++) heist__worker_guest_stack(pool->workers[i]);
    refuse(ANYTHING, 1, FROM_THEN_ON);
    int result = HEIST_RUN(pool, fault_fib, 18);
    unsigned hit = refuse_no_more();
    TEST_ASSERT_EQUAL_INT(2584, result);
    TEST_ASSERT_EQUAL_HEX(0, hit);
    free_pool(pool);
    nothing_is_left("after fib");
}

/* ---- the default pool ---- */

static HEIST__ATOMIC(int) gate; /* Written by: the test. Read by: the task that waits for it. */

static void stand_at_the_gate(void *nothing)
{
    (void)nothing;
    while (!heist__load_acquire(&gate)) sleep_us(100);
}

static void *wait_for_pool(void *pool)
{
    return heist_pool_wait(pool) == 0 ? NULL : pool;
}

/* Places for waiting threads are made as they come. A thread that gets none is not told, and looks by itself. */
static void a_waiter_without_a_place_looks_by_itself(void)
{
    enum { WAITING = HEIST__PLACES + 3 };
    pthread_t threads[WAITING];
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist__store_release(&gate, 0);
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, stand_at_the_gate, NULL, HEIST_WAIT));
    refuse(CALLOC, 1, FROM_THEN_ON);
    for (int i = 0; i < WAITING; i++) TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[i], NULL, wait_for_pool, pool));
    while (heist__load_acquire(&pool->waiters.waiting) < HEIST__PLACES || heist__load_acquire(&left_before) > -3)
        sleep_us(100);
    heist__store_release(&gate, 1);
    for (int i = 0; i < WAITING; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        TEST_ASSERT_NULL(failed);
    }
    TEST_ASSERT_EQUAL_HEX(CALLOC, refuse_no_more());
    TEST_ASSERT_EQUAL_UINT32(0, heist__load_acquire(&pool->waiters.waiting));
    free_pool(pool);
}

/* Reading and printing counters needs no memory of ours. */
static void statistics_need_no_memory(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_stats stats = {.size = sizeof stats};
    HEIST_RUN(pool, fault_fib, 15);
    refuse(ANYTHING, 1, FROM_THEN_ON);
    int error = heist_stats_read(pool, &stats);
    unsigned hit = refuse_no_more();
    TEST_ASSERT_EQUAL_INT(0, error);
    TEST_ASSERT_EQUAL_HEX(0, hit);
    TEST_ASSERT_GREATER_THAN_UINT64(0, stats.spawns);
    free_pool(pool);
}

int main(void)
{
    settle_threads();
    heist__overflow_prepare(); /* before there is a pool: this thread keeps no alternate stack, which would count */
    UNITY_BEGIN();
    RUN_TEST(submissions_without_memory_run_or_are_refused);
    RUN_TEST(a_scope_needs_memory_to_detach_and_ends_with_less);
    RUN_TEST(a_task_without_memory_for_others_goes_on);
    RUN_TEST(typed_tasks_that_are_refused_do_not_run);
    RUN_TEST(a_deque_that_cannot_grow_refuses_and_keeps_what_it_has);
    RUN_TEST(robbers_of_half_lose_nothing);
    RUN_TEST(spawns_without_memory_are_calls);
    RUN_TEST(fork_join_of_typed_tasks_needs_no_memory);
    RUN_TEST(a_waiter_without_a_place_looks_by_itself);
    RUN_TEST(statistics_need_no_memory);
    return UNITY_END();
}
