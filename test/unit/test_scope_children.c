/* Scopes: children of plain functions, beside typed ones. */
#include "scope_support.h"

/* ---- children of plain functions ---- */

typedef struct {
    int n;
    long result;
} fib_argument;

static void plain_fib(void *argument)
{
    fib_argument *f = argument;
    if (f->n < 2) {
        f->result = f->n;
        return;
    }
    heist_scope scope;
    fib_argument left = {f->n - 1, 0}, right = {f->n - 2, 0};
    begin(&scope, NULL);
    heist_spawn(&scope, plain_fib, &left);
    plain_fib(&right);
    heist_join(&scope);
    CHECK(heist_scope_end(&scope) == 0);
    f->result = left.result + right.result;
}

static void scopes_nest_as_deep_as_the_functions_that_begin_them(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(4, *mode);
        fib_argument f = {18, 0};
        run_on(pool, plain_fib, &f);
        TEST_ASSERT_EQUAL(2584, f.result);
        free_pool(pool);
    }
}

enum { CROWD = 20000 };
static unsigned char times_run[CROWD]; /* plain: each is written by one task, and read after the join */

static void run_once(void *mark)
{
    ++*(unsigned char *)mark;
}

static void spawn_a_crowd(void *number)
{
    heist_scope scope;
    begin(&scope, NULL);
    size_t n = *(size_t *)number;
    for (size_t i = 0; i < n; i++) heist_spawn(&scope, run_once, &times_run[i]);
    heist_join(&scope);
    for (size_t i = 0; i < n; i++) CHECK(times_run[i] == 1);
    /* the scope goes on after a join, and its wait joins as well */
    for (size_t i = 0; i < n / 2; i++) heist_spawn(&scope, run_once, &times_run[i]);
    CHECK(heist_scope_wait(&scope) == 0);
    for (size_t i = 0; i < n; i++) CHECK(times_run[i] == (i < n / 2 ? 2 : 1));
    CHECK(heist_scope_end(&scope) == 0);
}

static void thousands_of_children_each_run_once(void)
{
    /* around the records that the scope itself holds, around one chunk, and many chunks */
    const size_t sizes[] = {0, 1, 5, 6, 7, 69, 70, 71, 134, 135, 1000, CROWD};
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(4, *mode);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            memset(times_run, 0, sizeof times_run);
            size_t n = sizes[i];
            run_on(pool, spawn_a_crowd, &n);
        }
        free_pool(pool);
    }
}

static void children_beyond_the_slots_become_calls(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    options.slots = 1024;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL(pool);
    memset(times_run, 0, sizeof times_run);
    size_t n = 5000;
    run_on(pool, spawn_a_crowd, &n);
    TEST_ASSERT_GREATER_THAN_UINT64(0, stats_of(pool).spawns_called);
    free_pool(pool);
}

static int order[4], order_length;

static void note_order(void *number)
{
    order[order_length++] = *(int *)number;
}

static void outside_a_pool_a_spawn_is_a_call(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_scope scope;
    TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&scope, pool));
    int numbers[] = {1, 2, 3};
    order_length = 0;
    for (int i = 0; i < 3; i++) {
        heist_spawn(&scope, note_order, &numbers[i]);
        TEST_ASSERT_EQUAL_INT(i + 1, order_length);
        TEST_ASSERT_EQUAL_INT(numbers[i], order[i]);
    }
    heist_join(&scope);
    TEST_ASSERT_EQUAL_INT(3, order_length);
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    free_pool(pool);
}

/* A task of one pool spawns into a scope of another: it is no worker there, so that is a call as well. */
static void spawn_into_another_pool(void *other)
{
    heist_scope scope;
    begin(&scope, other);
    int one = 1;
    order_length = 0;
    heist_spawn(&scope, note_order, &one);
    CHECK(order_length == 1);
    CHECK(heist_scope_end(&scope) == 0);
}

static void a_spawn_from_a_task_of_another_pool_is_a_call(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT), *other = pool_of(2, HEIST_FENCES_DEFAULT);
    run_on(pool, spawn_into_another_pool, other);
    free_pool(other);
    free_pool(pool);
}

/* ---- with typed tasks ---- */

static long plain_sum(int n);

/* Typed, with a plain function that spawns into a scope of its own between its spawn and its join. */
HEIST_TASK(long, typed_sum, int, n)
{
    if (n <= 1) return n;
    HEIST_SPAWN(left, typed_sum, n / 2);
    long right = plain_sum(n - n / 2);
    HEIST_SPAWN(more, typed_sum, n / 4);
    long called = HEIST_CALL(typed_sum, n / 4);
    CHECK(HEIST_SYNC(more) == called);
    return right + HEIST_SYNC(left);
}

static void typed_sum_of(void *argument)
{
    fib_argument *f = argument;
    f->result = HEIST_RUN(NULL, typed_sum, f->n); /* in a task: a plain call */
}

/* Plain, with typed tasks below it. */
static long plain_sum(int n)
{
    if (n <= 1) return n;
    heist_scope scope;
    fib_argument halves[2] = {{n / 2, 0}, {n - n / 2, 0}};
    begin(&scope, NULL);
    heist_spawn(&scope, typed_sum_of, &halves[0]);
    typed_sum_of(&halves[1]);
    heist_spawn(&scope, typed_sum_of, &halves[0]); /* twice the same: the second overwrites with an equal result */
    heist_join(&scope);
    CHECK(heist_scope_end(&scope) == 0);
    return halves[0].result + halves[1].result;
}

static void plain_and_typed_children_lie_in_one_deque(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(1, *mode);
        TEST_ASSERT_EQUAL(40, HEIST_RUN(pool, typed_sum, 40));
        free_pool(pool);
    }
}

/* The same with every child in a record of its own, so that several workers may run it. */
static long mixed_count(int depth);

HEIST_TASK(long, typed_count, int, depth)
{
    if (depth == 0) return 1;
    HEIST_SPAWN(first, typed_count, depth - 1);
    long second = mixed_count(depth - 1);
    return second + HEIST_SYNC(first);
}

static void typed_count_of(void *argument)
{
    fib_argument *f = argument;
    f->result = HEIST_RUN(NULL, typed_count, f->n);
}

static long mixed_count(int depth)
{
    if (depth == 0) return 1;
    heist_scope scope;
    fib_argument child[3] = {{depth - 1, 0}, {depth - 1, 0}, {depth - 1, 0}};
    begin(&scope, NULL);
    for (int i = 0; i < 2; i++) heist_spawn(&scope, typed_count_of, &child[i]);
    typed_count_of(&child[2]);
    heist_join(&scope);
    CHECK(heist_scope_end(&scope) == 0);
    return child[0].result + child[1].result + child[2].result;
}

static long serial_count(int depth, bool typed)
{
    if (depth == 0) return 1;
    return typed ? serial_count(depth - 1, true) + serial_count(depth - 1, false) : 3 * serial_count(depth - 1, true);
}

static void plain_and_typed_children_of_many_workers_add_up(void)
{
    int rounds = test_scale(10);
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(6, *mode);
        for (int round = 0; round < rounds; round++) {
            TEST_ASSERT_EQUAL(serial_count(11, true), HEIST_RUN(pool, typed_count, 11));
        }
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        free_pool(pool);
    }
}

int main(void)
{
    canary_begin();
    UNITY_BEGIN();
    RUN_TEST(scopes_nest_as_deep_as_the_functions_that_begin_them);
    RUN_TEST(thousands_of_children_each_run_once);
    RUN_TEST(children_beyond_the_slots_become_calls);
    RUN_TEST(outside_a_pool_a_spawn_is_a_call);
    RUN_TEST(a_spawn_from_a_task_of_another_pool_is_a_call);
    RUN_TEST(plain_and_typed_children_lie_in_one_deque);
    RUN_TEST(plain_and_typed_children_of_many_workers_add_up);
    return UNITY_END();
}
