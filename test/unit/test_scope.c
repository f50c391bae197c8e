/* Scopes: children of plain functions, and detached tasks that are waited for together, however nested and whoever ran
 * them. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <heist/heist.h>

#include "schedule/worker.h"
#include "support.h"
#include "test_scale.h"
#include "unity.h"

/* What tasks find wrong; they run outside Unity's thread, so they count and the test asserts. */
static atomic_int wrong;
#define CHECK(good) ((good) ? (void)0 : (void)atomic_fetch_add(&wrong, 1))

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
}

void tearDown(void)
{
    alarm(0);
}

static void count_one(void *counter)
{
    atomic_fetch_add_explicit((atomic_size_t *)counter, 1, memory_order_relaxed);
}

/* A scope that must come into being; for use inside tasks, too. */
static void begin(heist_scope *scope, heist_pool *pool)
{
    if (heist_scope_begin(scope, pool) != 0) abort();
}

static void run_on(heist_pool *pool, heist_function *function, void *argument)
{
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, function, argument));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

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

/* ---- detached tasks ---- */

static atomic_size_t ran;

static void detach_hundred(void *scope)
{
    for (int i = 0; i < 100; i++) CHECK(heist_detach(scope, count_one, &ran) == 0);
}

static void tasks_detached_from_outside_and_inside_have_run_after_the_wait(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(4, *mode);
        for (int round = test_scale(50); round > 0; round--) {
            heist_scope scope;
            begin(&scope, pool);
            atomic_store(&ran, 0);
            detach_hundred(&scope); /* from outside */
            CHECK(heist_detach(&scope, detach_hundred, &scope) == 0);
            CHECK(heist_detach(&scope, detach_hundred, NULL) == 0); /* NULL in a task: its own scope */
            TEST_ASSERT_EQUAL_INT(0, heist_scope_wait(&scope));
            TEST_ASSERT_EQUAL_size_t(300, atomic_load(&ran));
            CHECK(heist_detach(&scope, detach_hundred, &scope) == 0); /* a scope goes on after a wait */
            TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
            TEST_ASSERT_EQUAL_size_t(400, atomic_load(&ran));
        }
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        free_pool(pool);
    }
}

static void without_a_scope_the_default_pool_waits_for_them(void)
{
    atomic_store(&ran, 0);
    detach_hundred(NULL);
    TEST_ASSERT_EQUAL_INT(0, heist_detach(NULL, detach_hundred, NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(NULL));
    TEST_ASSERT_EQUAL_size_t(200, atomic_load(&ran));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

static void *detach_from_a_thread(void *scope)
{
    for (int i = test_scale(2000); i > 0; i--) CHECK(heist_detach(scope, count_one, &ran) == 0);
    return NULL;
}

static void many_threads_detach_into_one_scope(void)
{
    enum { THREADS = 4 };
    heist_pool *pool = pool_of(3, HEIST_FENCES_DEFAULT);
    pthread_t threads[THREADS];
    heist_scope scope;
    begin(&scope, pool);
    atomic_store(&ran, 0);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, detach_from_a_thread, &scope);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    TEST_ASSERT_EQUAL_size_t(THREADS * (size_t)test_scale(2000), atomic_load(&ran));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

typedef struct {
    unsigned char bytes[300];
} large;

HEIST_VOID_TASK(take_nothing)
{
    count_one(&ran);
}

HEIST_VOID_TASK(take_small, long, a, char, b)
{
    CHECK(a == -7 && b == 'b');
    count_one(&ran);
}

HEIST_VOID_TASK(take_large, large, l, int, sum)
{
    for (size_t i = 0; i < sizeof l.bytes; i++) sum -= l.bytes[i];
    CHECK(sum == 0);
    count_one(&ran);
}

HEIST_TASK(long, take_ten, long, a, long, b, long, c, long, d, long, e, long, f, long, g, long, h, long, i, long, j)
{
    CHECK(a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && h == 8 && i == 9 && j == 10);
    count_one(&ran);
    return a + j;
}

HEIST_VOID_TASK(take_aligned, long double, a, double, b, long double, c)
{
    CHECK(a == 1.25L && b == 2.5 && c == 5.0L);
    count_one(&ran);
}

static void detach_one_of_each(void *scope)
{
    large l;
    int sum = 0;
    for (size_t i = 0; i < sizeof l.bytes; i++) sum += l.bytes[i] = (unsigned char)(i * 7);
    CHECK(HEIST_DETACH(scope, take_nothing) == 0);
    CHECK(HEIST_DETACH(scope, take_small, -7, 'b') == 0);
    CHECK(HEIST_DETACH(scope, take_large, l, sum) == 0);
    CHECK(HEIST_DETACH(scope, take_ten, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 0);
    CHECK(HEIST_DETACH(scope, take_aligned, 1.25L, 2.5, 5.0L) == 0);
}

static void typed_tasks_are_detached_with_small_and_large_records(void)
{
    heist_pool *pool = pool_of(4, HEIST_FENCES_DEFAULT);
    heist_scope scope;
    begin(&scope, pool);
    atomic_store(&ran, 0);
    unsigned rounds = test_scale(500u);
    for (unsigned i = 0; i < rounds; i++) {
        detach_one_of_each(&scope);
        CHECK(heist_detach(&scope, detach_one_of_each, i % 2 ? &scope : NULL) == 0);
    }
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    TEST_ASSERT_EQUAL_size_t(10 * (size_t)rounds, atomic_load(&ran));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

/* A task gets copies of its arguments, so the record is looked at where it is made. */
static void records_of_detached_tasks_are_aligned_as_their_arguments_want(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_scope scope;
    begin(&scope, pool);
    atomic_store(&ran, 0);
    int misaligned = 0;
    for (int i = 0; i < 20; i++) {
        heist_task *record = heist__loose_new(&scope, sizeof(HEIST_CHILD(take_aligned)));
        if ((uintptr_t)record % _Alignof(HEIST_CHILD(take_aligned)) != 0) misaligned++;
        HEIST_CHILD(take_aligned) *child = (HEIST_CHILD(take_aligned) *)(void *)record;
        child->task.run = heist__exec_take_nothing;
        TEST_ASSERT_EQUAL_INT(0, heist__loose_push(&scope, record));
    }
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    TEST_ASSERT_EQUAL_size_t(20, atomic_load(&ran));
    TEST_ASSERT_EQUAL_INT(0, misaligned);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

/* ---- what a stolen child detaches belongs to the scope of its ancestor ---- */

/* Whether the running task belongs to `scope`, as far as the library knows. */
static bool belongs_to(const heist_scope *scope)
{
    return heist__scope_now(heist__self()) == scope->core;
}

HEIST_VOID_TASK(leaves, int, depth, const heist_scope *, scope, atomic_size_t *, counter)
{
    CHECK(belongs_to(scope));
    if (depth == 0) {
        CHECK(heist_detach(NULL, count_one, counter) == 0);
        return;
    }
    HEIST_SPAWN(left, leaves, depth - 1, scope, counter);
    if (depth > 3) sched_yield(); /* let it be stolen */
    HEIST_CALL(leaves, depth - 1, scope, counter);
    HEIST_SYNC(left);
}

enum { DEPTH = 6, LEAVES = 1 << DEPTH };

static void stolen_children_detach_into_the_scope_of_their_ancestor(void)
{
    unsigned rounds = test_scale(800u);
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 4; workers <= 8; workers += 4) {
            heist_pool *pool = pool_of(workers, *mode);
            for (unsigned round = 0; round < rounds; round++) {
                heist_scope one, two;
                atomic_size_t in_one = 0, in_two = 0;
                begin(&one, pool);
                begin(&two, pool);
                for (int i = 0; i < 2; i++) {
                    HEIST_DETACH(&one, leaves, DEPTH, &one, &in_one);
                    HEIST_DETACH(&two, leaves, DEPTH, &two, &in_two);
                }
                CHECK(heist_scope_end(&one) == 0);
                CHECK(atomic_load(&in_one) == 2 * LEAVES);
                CHECK(heist_scope_end(&two) == 0);
                CHECK(atomic_load(&in_two) == 2 * LEAVES);
            }
            heist_stats stats = stats_of(pool);
            free_pool(pool);
            TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
            TEST_ASSERT_GREATER_THAN_UINT64_MESSAGE(0, stats.joins_stolen, "nothing was stolen: this tested nothing");
        }
    }
}

/* The same while the spawner goes on to a scope of its own with some of its stolen children joined, the last one not:
 * what that one detaches belongs to the outer scope whenever it looks. */
HEIST_VOID_TASK(one_leaf, const heist_scope *, scope, atomic_size_t *, counter)
{
    CHECK(belongs_to(scope));
    CHECK(heist_detach(NULL, count_one, counter) == 0);
}

static atomic_size_t outer_leaves, inner_leaves;

/* Gives the CPU away while the worker is in a task of the inner scope: to a thief that has not yet begun, perhaps. */
HEIST_VOID_TASK(slow_leaf, atomic_size_t *, counter)
{
    sleep_us(20);
    count_one(counter);
}

HEIST_VOID_TASK(scope_beside_a_child, int, width, const heist_scope *, outer)
{
    HEIST_CHILD(one_leaf) child[8];
    for (int i = 0; i < width; i++) HEIST_SPAWN_AT(&child[i], one_leaf, outer, &outer_leaves);
    for (int i = 0; i < 4; i++) sched_yield(); /* let them be stolen */
    for (int i = 0; i < width - 1; i++) HEIST_SYNC_AT(&child[i], one_leaf);
    heist_scope inner;
    atomic_size_t mine = 0;
    begin(&inner, NULL);
    for (int i = 0; i < 3; i++) CHECK(HEIST_DETACH(&inner, leaves, 2, &inner, &mine) == 0);
    for (int i = 0; i < 4; i++) CHECK(HEIST_DETACH(&inner, slow_leaf, &mine) == 0);
    CHECK(heist_scope_end(&inner) == 0);
    CHECK(atomic_load(&mine) == 16);
    atomic_fetch_add(&inner_leaves, atomic_load(&mine));
    HEIST_SYNC_AT(&child[width - 1], one_leaf);
}

static void a_scope_begun_beside_a_stolen_child_is_not_that_childs(void)
{
    unsigned rounds = test_scale(600u);
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(5, *mode);
        for (unsigned round = 0; round < rounds; round++) {
            heist_scope scope;
            begin(&scope, pool);
            atomic_store(&outer_leaves, 0);
            atomic_store(&inner_leaves, 0);
            for (int i = 0; i < 4; i++) CHECK(HEIST_DETACH(&scope, scope_beside_a_child, 2 + i, &scope) == 0);
            CHECK(heist_scope_end(&scope) == 0);
            CHECK(atomic_load(&outer_leaves) == 2 + 3 + 4 + 5);
            CHECK(atomic_load(&inner_leaves) == 4 * 16);
        }
        free_pool(pool);
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    }
}

/* ---- waiting inside a task ---- */

static void nested_scopes(void *depth)
{
    intptr_t d = (intptr_t)depth;
    count_one(&ran);
    if (d == 0) return;
    heist_scope scope;
    atomic_size_t mine = 0;
    begin(&scope, NULL);
    for (int i = 0; i < 3; i++) {
        CHECK(heist_detach(&scope, nested_scopes, (void *)(d - 1)) == 0);
        CHECK(heist_detach(&scope, count_one, &mine) == 0);
    }
    CHECK(heist_scope_wait(&scope) == 0);
    CHECK(atomic_load(&mine) == 3);
    CHECK(heist_scope_end(&scope) == 0);
}

static void scopes_nest_in_the_tasks_of_scopes(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 1; workers <= 5; workers += 2) {
            heist_pool *pool = pool_of(workers, *mode);
            atomic_store(&ran, 0);
            run_on(pool, nested_scopes, (void *)(intptr_t)6);
            TEST_ASSERT_EQUAL_size_t(1093, atomic_load(&ran)); /* 3^0 + ... + 3^6: the run returned after all of them */
            free_pool(pool);
        }
    }
}

static pthread_mutex_t held; /* tells its owner when it would wait for itself */
static atomic_size_t unrelated_ran;

static void take_the_lock(void *unused)
{
    (void)unused;
    CHECK(pthread_mutex_lock(&held) == 0); /* EDEADLK: this ran on the stack of the one that holds it */
    count_one(&unrelated_ran);
    CHECK(pthread_mutex_unlock(&held) == 0);
}

HEIST_TASK(long, small_tree, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, small_tree, n - 1);
    long right = HEIST_CALL(small_tree, n - 2);
    return HEIST_SYNC(left) + right;
}

HEIST_VOID_TASK(part_of_scope, atomic_size_t *, counter)
{
    CHECK(HEIST_CALL(small_tree, 8) == 21);
    count_one(counter);
}

static void wait_with_the_lock(void *unused)
{
    (void)unused;
    CHECK(pthread_mutex_lock(&held) == 0);
    heist_scope scope;
    atomic_size_t mine = 0;
    begin(&scope, NULL);
    for (int i = 0; i < 10; i++) {
        CHECK(heist_detach(NULL, take_the_lock, NULL) == 0); /* unrelated, above and below the scope's own */
        CHECK(HEIST_DETACH(&scope, part_of_scope, &mine) == 0);
        CHECK(heist_submit(NULL, take_the_lock, NULL, HEIST_WAIT) == 0);
    }
    CHECK(heist_scope_end(&scope) == 0);
    CHECK(atomic_load(&mine) == 10);
    CHECK(pthread_mutex_unlock(&held) == 0);
}

static void make_checking_lock(void)
{
    pthread_mutexattr_t checking;
    pthread_mutexattr_init(&checking);
    pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&held, &checking);
    pthread_mutexattr_destroy(&checking);
}

static void a_lock_held_across_a_wait_meets_no_unrelated_task(void)
{
    make_checking_lock();
    unsigned rounds = test_scale(100u);
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 1; workers <= 4; workers++) {
            heist_pool *pool = pool_of(workers, *mode);
            atomic_store(&unrelated_ran, 0);
            for (unsigned round = 0; round < rounds; round++) {
                for (int i = 0; i < 3; i++) CHECK(heist_submit(pool, wait_with_the_lock, NULL, HEIST_WAIT) == 0);
                for (int i = 0; i < 10; i++) CHECK(heist_submit(pool, take_the_lock, NULL, HEIST_WAIT) == 0);
                CHECK(heist_pool_wait(pool) == 0);
            }
            free_pool(pool);
            TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
            TEST_ASSERT_EQUAL_size_t(rounds * 70u, atomic_load(&unrelated_ran));
        }
    }
    pthread_mutex_destroy(&held);
}

/* The last task of the scope runs on the only other worker while unrelated ones lie in that worker's deque and in the
 * inbox: the waiter comes by them, and must not run them. */
static atomic_bool slow_runs;

static void slow_with_others_behind_it(void *unused)
{
    (void)unused;
    for (int i = 0; i < 5; i++) CHECK(heist_submit(NULL, take_the_lock, NULL, HEIST_WAIT) == 0); /* into this deque */
    atomic_store(&slow_runs, true);
    sleep_us(5000);
}

static void wait_for_the_slow_one(void *unused)
{
    (void)unused;
    CHECK(pthread_mutex_lock(&held) == 0);
    heist_scope scope;
    begin(&scope, NULL);
    CHECK(heist_detach(&scope, slow_with_others_behind_it, NULL) == 0);
    while (!atomic_load(&slow_runs)) sched_yield();
    CHECK(heist_scope_end(&scope) == 0);
    CHECK(pthread_mutex_unlock(&held) == 0);
}

static void a_waiter_leaves_alone_what_others_have(void)
{
    make_checking_lock();
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(2, *mode);
        atomic_store(&unrelated_ran, 0);
        for (int round = 0; round < 10; round++) {
            atomic_store(&slow_runs, false);
            CHECK(heist_submit(pool, wait_for_the_slow_one, NULL, HEIST_WAIT) == 0);
            while (!atomic_load(&slow_runs)) sched_yield();
            for (int i = 0; i < 5; i++) CHECK(heist_submit(pool, take_the_lock, NULL, HEIST_WAIT) == 0);
            CHECK(heist_pool_wait(pool) == 0);
        }
        free_pool(pool);
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        TEST_ASSERT_EQUAL_size_t(100, atomic_load(&unrelated_ran));
    }
    pthread_mutex_destroy(&held);
}

/* One worker, and in its deque the tasks of two scopes and of none: a wait runs those of its scope, and leaves the
 * rest. */
static atomic_size_t in_first, in_second, in_none;

static void wait_among_others(void *unused)
{
    (void)unused;
    heist_scope first, second;
    begin(&first, NULL);
    begin(&second, NULL);
    for (int i = 0; i < 100; i++) {
        CHECK(heist_detach(&first, count_one, &in_first) == 0);
        CHECK(heist_detach(NULL, count_one, &in_none) == 0);
        CHECK(heist_detach(&second, count_one, &in_second) == 0);
    }
    CHECK(heist_scope_wait(&first) == 0);
    CHECK(atomic_load(&in_first) == 100 && atomic_load(&in_second) == 0 && atomic_load(&in_none) == 0);
    CHECK(heist_scope_end(&second) == 0);
    CHECK(atomic_load(&in_second) == 100 && atomic_load(&in_none) == 0);
    CHECK(heist_scope_end(&first) == 0);
    CHECK(atomic_load(&in_none) == 0);
}

static void one_worker_finds_the_tasks_of_a_scope_among_others(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(1, *mode);
        atomic_store(&in_first, 0);
        atomic_store(&in_second, 0);
        atomic_store(&in_none, 0);
        run_on(pool, wait_among_others, NULL);
        TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
        TEST_ASSERT_EQUAL_size_t(100, atomic_load(&in_none));
        free_pool(pool);
    }
}

/* A scope begun outside is waited for by a task that is not its own. */
static void wait_for(void *scope)
{
    CHECK(heist_scope_wait(scope) == 0);
    CHECK(atomic_load(&ran) == 100);
}

static void a_task_may_wait_for_a_scope_begun_elsewhere(void)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        heist_pool *pool = pool_of(workers, HEIST_FENCES_DEFAULT);
        heist_scope scope;
        begin(&scope, pool);
        atomic_store(&ran, 0);
        detach_hundred(&scope);
        run_on(pool, wait_for, &scope);
        TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
        free_pool(pool);
    }
}

static void wait_on_the_other_pool(void *scope)
{
    heist_scope *s = scope;
    detach_hundred(s);
    wait_for(s);
    CHECK(heist_scope_end(s) == 0);
}

static void a_task_may_wait_for_a_scope_of_another_pool(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT), *other = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_scope scope;
    begin(&scope, other);
    atomic_store(&ran, 0);
    run_on(pool, wait_on_the_other_pool, &scope);
    free_pool(other);
    free_pool(pool);
}

/* ---- waiting for oneself ---- */

static void wait_for_own_scope(void *scope)
{
    CHECK(heist_scope_wait(scope) == -EDEADLK);
    CHECK(heist_scope_end(scope) == -EDEADLK);
    CHECK(heist_explain()[0] != '\0');
    count_one(&ran);
}

HEIST_VOID_TASK(waiting_children, int, depth, heist_scope *, scope)
{
    if (depth == 0) {
        wait_for_own_scope(scope);
        return;
    }
    HEIST_SPAWN(left, waiting_children, depth - 1, scope);
    HEIST_CALL(waiting_children, depth - 1, scope);
    HEIST_SYNC(left);
}

static void begin_inner_and_wait_for_outer(void *outer)
{
    heist_scope inner;
    begin(&inner, NULL);
    CHECK(heist_detach(&inner, count_one, &ran) == 0);
    CHECK(heist_scope_wait(outer) == -EDEADLK);
    CHECK(heist_scope_end(&inner) == 0);
}

static void a_task_of_a_scope_is_told_that_it_cannot_wait_for_it(void)
{
    heist_pool *pool = pool_of(4, HEIST_FENCES_DEFAULT);
    for (int round = test_scale(200); round > 0; round--) {
        heist_scope scope;
        begin(&scope, pool);
        atomic_store(&ran, 0);
        CHECK(heist_detach(&scope, wait_for_own_scope, &scope) == 0);
        CHECK(heist_detach(&scope, begin_inner_and_wait_for_outer, &scope) == 0);
        CHECK(HEIST_DETACH(&scope, waiting_children, 4, &scope) == 0); /* stolen children of such a task, too */
        TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
        TEST_ASSERT_EQUAL_size_t(18, atomic_load(&ran));
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    }
    free_pool(pool);
}

/* ---- shapes: bursts, chains, crowds ---- */

static unsigned char *marks; /* plain: the wait is what makes them visible */

static void set_mark(void *mark)
{
    *(unsigned char *)mark = 1;
}

static void what_tasks_wrote_is_visible_after_the_wait(void)
{
    size_t n = test_scale((size_t)500);
    marks = calloc(n, 1);
    heist_pool *pool = pool_of(4, HEIST_FENCES_DEFAULT);
    for (int round = 0; round < 100; round++) {
        heist_scope scope;
        begin(&scope, pool);
        memset(marks, 0, n);
        for (size_t i = 0; i < n; i++) CHECK(heist_detach(&scope, set_mark, &marks[i]) == 0);
        TEST_ASSERT_EQUAL_INT(0, round % 2 ? heist_scope_wait(&scope) : heist_scope_end(&scope));
        for (size_t i = 0; i < n; i++) CHECK(marks[i] == 1);
        heist_scope_end(&scope);
    }
    free_pool(pool);
    free(marks);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

typedef struct {
    heist_scope *scope;
    size_t left; /* plain: one link at a time */
} chain;

static void next_link(void *argument)
{
    chain *c = argument;
    if (--c->left > 0) CHECK(heist_detach(c->scope, next_link, c) == 0);
}

static void a_chain_of_a_hundred_thousand_ends_with_its_last_link(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(4, *mode);
        heist_scope scope;
        begin(&scope, pool);
        chain chains[3] = {{&scope, 100000}, {NULL, 100000}, {&scope, 1}};
        for (int i = 0; i < 3; i++) {
            chains[i].left = test_scale(chains[i].left);
            CHECK(heist_detach(&scope, next_link, &chains[i]) == 0);
        }
        TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
        for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL_size_t(0, chains[i].left);
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        free_pool(pool);
    }
}

/* A burst for every one of many scopes: begin, a few tasks, wait, end. */
static void short_bursts_end_in_time(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(3, *mode);
        for (unsigned round = test_scale(5000u); round > 0; round--) {
            heist_scope scope;
            atomic_size_t mine = 0;
            begin(&scope, pool);
            for (unsigned i = 0; i < round % 4; i++) CHECK(heist_detach(&scope, count_one, &mine) == 0);
            CHECK(heist_scope_end(&scope) == 0);
            CHECK(atomic_load(&mine) == round % 4);
        }
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        free_pool(pool);
    }
}

static void detach_a_million(void *number)
{
    for (size_t i = *(size_t *)number; i > 0; i--) CHECK(heist_detach(NULL, count_one, &ran) == 0);
}

static void a_million_tiny_tasks_all_run(void)
{
    const heist_amount amounts[] = {HEIST_AMOUNT_ONE, HEIST_AMOUNT_HALF};
    for (int i = 0; i < 2; i++) {
        heist_options options = HEIST_OPTIONS_INIT;
        options.workers = 4;
        options.amount = amounts[i];
        heist_pool *pool = heist_pool_new(&options);
        TEST_ASSERT_NOT_NULL(pool);
        heist_scope scope;
        begin(&scope, pool);
        atomic_store(&ran, 0);
        size_t n = test_scale((size_t)500000);
        CHECK(heist_detach(&scope, detach_a_million, &n) == 0);
        CHECK(heist_detach(&scope, detach_a_million, &n) == 0);
        TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
        TEST_ASSERT_EQUAL_size_t(2 * n, atomic_load(&ran));
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        free_pool(pool);
    }
}

/* ---- bad input ---- */

static void mistakes_are_told(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    heist_scope scope;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_scope_begin(NULL, pool));
    TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&scope, pool));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_detach(&scope, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_scope_submit(&scope, NULL, NULL, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_scope_wait(NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_scope_wait(&scope));
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope)); /* ended already */
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(NULL));
    free_pool(pool);
}

/* ---- more who wait than there are places at first ---- */

static atomic_bool gate;

static void pass_the_gate(void *counter)
{
    while (!atomic_load(&gate)) sched_yield();
    count_one(counter);
}

static void *wait_beside_others(void *pool)
{
    atomic_size_t mine = 0;
    heist_scope scope;
    begin(&scope, pool);
    CHECK(heist_detach(&scope, pass_the_gate, &mine) == 0);
    CHECK(heist_scope_end(&scope) == 0);
    CHECK(atomic_load(&mine) == 1);
    return NULL;
}

static void however_many_wait_all_are_told(void)
{
    enum { WAITING = 2 * HEIST__PLACES + 1 };
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    pthread_t threads[WAITING];
    for (int round = 0; round < 2; round++) { /* in places that were there before, too */
        atomic_store(&gate, false);
        for (int i = 0; i < WAITING; i++)
            TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[i], NULL, wait_beside_others, pool));
        while (heist__load_acquire(&pool->waiting) < WAITING) sched_yield();
        atomic_store(&gate, true);
        for (int i = 0; i < WAITING; i++) pthread_join(threads[i], NULL);
        TEST_ASSERT_EQUAL_UINT32(0, heist__load_acquire(&pool->waiting));
    }
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

static void a_scope_without_tasks_ends_at_once(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_scope scope;
    begin(&scope, pool);
    heist_join(&scope);
    TEST_ASSERT_EQUAL_INT(0, heist_scope_wait(&scope));
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    free_pool(pool);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(scopes_nest_as_deep_as_the_functions_that_begin_them);
    RUN_TEST(thousands_of_children_each_run_once);
    RUN_TEST(children_beyond_the_slots_become_calls);
    RUN_TEST(outside_a_pool_a_spawn_is_a_call);
    RUN_TEST(a_spawn_from_a_task_of_another_pool_is_a_call);
    RUN_TEST(plain_and_typed_children_lie_in_one_deque);
    RUN_TEST(plain_and_typed_children_of_many_workers_add_up);
    RUN_TEST(tasks_detached_from_outside_and_inside_have_run_after_the_wait);
    RUN_TEST(without_a_scope_the_default_pool_waits_for_them);
    RUN_TEST(many_threads_detach_into_one_scope);
    RUN_TEST(typed_tasks_are_detached_with_small_and_large_records);
    RUN_TEST(records_of_detached_tasks_are_aligned_as_their_arguments_want);
    RUN_TEST(stolen_children_detach_into_the_scope_of_their_ancestor);
    RUN_TEST(a_scope_begun_beside_a_stolen_child_is_not_that_childs);
    RUN_TEST(scopes_nest_in_the_tasks_of_scopes);
    RUN_TEST(a_lock_held_across_a_wait_meets_no_unrelated_task);
    RUN_TEST(a_waiter_leaves_alone_what_others_have);
    RUN_TEST(one_worker_finds_the_tasks_of_a_scope_among_others);
    RUN_TEST(a_task_may_wait_for_a_scope_begun_elsewhere);
    RUN_TEST(a_task_may_wait_for_a_scope_of_another_pool);
    RUN_TEST(a_task_of_a_scope_is_told_that_it_cannot_wait_for_it);
    RUN_TEST(what_tasks_wrote_is_visible_after_the_wait);
    RUN_TEST(a_chain_of_a_hundred_thousand_ends_with_its_last_link);
    RUN_TEST(short_bursts_end_in_time);
    RUN_TEST(a_million_tiny_tasks_all_run);
    RUN_TEST(mistakes_are_told);
    RUN_TEST(however_many_wait_all_are_told);
    RUN_TEST(a_scope_without_tasks_ends_at_once);
    return UNITY_END();
}
