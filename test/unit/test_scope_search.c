/* A worker that waits for a scope: how it finds the scope's tasks among those of others, and what becomes of the
 * others meanwhile. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include <heist/heist.h>

#include "schedule/pool.h"
#include "support.h"
#include "test_scale.h"
#include "unity.h"

/* Mistakes that tasks find; they run outside Unity's thread, so they count and the test asserts. */
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

static void begin(heist_scope *scope, heist_pool *pool)
{
    if (heist_scope_begin(scope, pool) != 0) abort();
}

static void count_one(void *counter)
{
    atomic_fetch_add_explicit((atomic_size_t *)counter, 1, memory_order_relaxed);
}

static void run_on(heist_pool *pool, heist_function *function, void *argument)
{
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, function, argument));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

/* ---- behind many tasks of others, in the deque of a worker that is busy ---- */

static size_t foreign_count;
static unsigned waiter_index;
static atomic_size_t foreign_ran;
static atomic_bool wanted_ran, begun, waiting;

/* A task of no scope. */
static void run_foreign(void *unused)
{
    (void)unused;
    CHECK(!atomic_load(&waiting) || heist_worker_number() != (int)waiter_index);
    count_one(&foreign_ran);
}

static void note_wanted(void *unused)
{
    (void)unused;
    CHECK(heist_worker_number() == (int)waiter_index); /* the other worker waits for it */
    atomic_store(&wanted_ran, true);
}

/* Runs on the worker that does not wait: buries one task of the scope under many others, and does not return before
 * it has run. */
static void bury_and_be_busy(void *scope)
{
    atomic_store(&begun, true);
    for (size_t i = 0; i < foreign_count; i++) CHECK(heist_submit(NULL, run_foreign, NULL, HEIST_WAIT) == 0);
    CHECK(heist_detach(scope, note_wanted, NULL) == 0);
    while (!atomic_load(&wanted_ran)) sched_yield();
}

static void wait_for_the_buried(void *unused)
{
    (void)unused;
    heist_scope scope;
    waiter_index = (unsigned)heist_worker_number();
    begin(&scope, NULL);
    CHECK(heist_detach(&scope, bury_and_be_busy, &scope) == 0);
    while (!atomic_load(&begun)) sched_yield(); /* on the other worker */
    atomic_store(&waiting, true);
    CHECK(heist_scope_end(&scope) == 0);
    atomic_store(&waiting, false);
    CHECK(atomic_load(&wanted_ran));
}

/* How often a worker slept until the buried task was found. */
static uint64_t parks_to_find(size_t count, heist_fences fences)
{
    heist_pool *pool = pool_of(2, fences);
    foreign_count = count;
    atomic_store(&foreign_ran, 0);
    atomic_store(&wanted_ran, false);
    atomic_store(&begun, false);
    uint64_t before = stats_of(pool).parks;
    run_on(pool, wait_for_the_buried, NULL);
    uint64_t parks = stats_of(pool).parks - before;
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_EQUAL_size_t(count, atomic_load(&foreign_ran));
    free_pool(pool);
    return parks;
}

/* A waiter that sleeps between one of them and the next sleeps as often as there are tasks. */
static void a_task_is_found_behind_thousands_of_others(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (size_t count = 1; count <= 4000; count *= 4000) {
            uint64_t parks = parks_to_find(count, *mode);
            TEST_ASSERT_LESS_THAN_UINT64(100, parks);
        }
    }
}

/* ---- in the waiter's own deque ---- */

enum { OWN = 20000 };

static atomic_bool filled, let_go;
static size_t fewest;
static heist_deque *own_deque;

static void *sample_size(void *unused)
{
    (void)unused;
    while (!atomic_load(&filled)) sched_yield();
    for (double end = now_ms() + 200; now_ms() < end;) {
        size_t size = heist_deque_size(own_deque);
        if (size < fewest) fewest = size;
    }
    atomic_store(&let_go, true);
    return NULL;
}

/* On the other worker: holds the scope open, and takes nothing. */
static void hold_open(void *unused)
{
    (void)unused;
    atomic_store(&begun, true);
    while (!atomic_load(&let_go)) sleep_us(100);
}

static void wait_on_a_full_deque(void *unused)
{
    (void)unused;
    heist_scope scope;
    begin(&scope, NULL);
    waiter_index = (unsigned)heist_worker_number();
    own_deque = heist__self()->jobs;
    CHECK(heist_detach(&scope, hold_open, NULL) == 0);
    while (!atomic_load(&begun)) sched_yield();
    atomic_store(&wanted_ran, false);
    CHECK(heist_detach(&scope, note_wanted, NULL) == 0); /* the oldest: all others lie above it */
    for (size_t i = 0; i < OWN; i++) CHECK(heist_submit(NULL, run_foreign, NULL, HEIST_WAIT) == 0);
    fewest = OWN;
    atomic_store(&filled, true);
    atomic_store(&waiting, true);
    CHECK(heist_scope_wait(&scope) == 0);
    atomic_store(&waiting, false);
    CHECK(atomic_load(&wanted_ran));
    CHECK(heist_scope_end(&scope) == 0);
}

/* Tasks in the waiter's own deque stay where thieves find them, but for the few that are on their way. */
static void a_waiter_does_not_empty_its_own_deque(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(2, *mode);
        atomic_store(&foreign_ran, 0);
        atomic_store(&begun, false);
        atomic_store(&let_go, false);
        atomic_store(&filled, false);
        pthread_t sampler;
        TEST_ASSERT_EQUAL_INT(0, pthread_create(&sampler, NULL, sample_size, NULL));
        run_on(pool, wait_on_a_full_deque, NULL);
        pthread_join(sampler, NULL);
        TEST_ASSERT_GREATER_OR_EQUAL_size_t(OWN - 64, fewest);
        TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
        TEST_ASSERT_EQUAL_size_t(OWN, atomic_load(&foreign_ran));
        free_pool(pool);
    }
}

/* ---- a waiter that sleeps is woken by a new task ---- */

static atomic_size_t woken_rounds;

/* On the worker that does not wait: gives a task of the scope when the waiter has slept for long, and needs it to be
 * run. */
static void give_to_the_sleeper(void *scope)
{
    atomic_store(&begun, true);
    for (int round = 0; round < 3; round++) {
        heist_pool *pool = heist_current_pool();
        while (heist__load_acquire(&pool->waiters.hungry) == 0) sched_yield();
        sleep_us(200000); /* asleep for long */
        atomic_store(&wanted_ran, false);
        CHECK(heist_detach(scope, note_wanted, NULL) == 0);
        while (!atomic_load(&wanted_ran)) sched_yield();
        atomic_fetch_add(&woken_rounds, 1);
    }
}

static void wait_and_be_woken(void *unused)
{
    (void)unused;
    heist_scope scope;
    waiter_index = (unsigned)heist_worker_number();
    begin(&scope, NULL);
    CHECK(heist_detach(&scope, give_to_the_sleeper, &scope) == 0);
    while (!atomic_load(&begun)) sched_yield();
    CHECK(heist_scope_end(&scope) == 0);
}

static void a_new_task_wakes_the_waiter_that_can_run_it(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(2, *mode);
        atomic_store(&begun, false);
        atomic_store(&woken_rounds, 0);
        run_on(pool, wait_and_be_woken, NULL);
        TEST_ASSERT_EQUAL_size_t(3, atomic_load(&woken_rounds));
        /* Once before each task and once after the last; it does not wake to look around. */
        uint64_t parks = stats_of(pool).parks;
        TEST_ASSERT_LESS_THAN_UINT64(40, parks);
        free_pool(pool);
    }
}

/* ---- several that wait, each with tasks of the others in the way ---- */

static atomic_size_t crossed_ran;

static void wait_beside_others(void *depth)
{
    heist_scope scope;
    atomic_size_t mine = 0;
    begin(&scope, NULL);
    for (int i = 0; i < 4; i++) {
        CHECK(heist_detach(&scope, count_one, &mine) == 0);
        if ((intptr_t)depth > 0) CHECK(heist_detach(&scope, wait_beside_others, (void *)((intptr_t)depth - 1)) == 0);
        CHECK(heist_submit(NULL, count_one, &crossed_ran, HEIST_WAIT) == 0);
    }
    CHECK(heist_scope_end(&scope) == 0);
    CHECK(atomic_load(&mine) == 4);
}

static void waiters_that_take_from_each_other_all_end(void)
{
    int rounds = test_scale(20);
    const size_t waits = 1 + 4 + 16 + 64 + 256;
    const heist_amount amounts[] = {HEIST_AMOUNT_ONE, HEIST_AMOUNT_HALF};
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_options options = HEIST_OPTIONS_INIT;
        options.workers = 5;
        options.fences = *mode;
        options.amount = amounts[mode == both_fence_modes];
        heist_pool *pool = heist_pool_new(&options);
        TEST_ASSERT_NOT_NULL(pool);
        for (int round = 0; round < rounds; round++) {
            atomic_store(&crossed_ran, 0);
            for (int i = 0; i < 3; i++)
                TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, wait_beside_others, (void *)(intptr_t)4, HEIST_WAIT));
            TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
            TEST_ASSERT_EQUAL_size_t(3 * 4 * waits, atomic_load(&crossed_ran));
        }
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        free_pool(pool);
    }
}

/* ---- scopes within scopes ---- */

static atomic_size_t deepest;

static void nest(void *depth)
{
    intptr_t left = (intptr_t)depth;
    if (left == 0) return;
    heist_scope scope;
    begin(&scope, NULL);
    CHECK(heist_detach(&scope, nest, (void *)(left - 1)) == 0);
    CHECK(heist_scope_end(&scope) == 0);
    count_one(&deepest);
}

static double ms_to_nest(heist_pool *pool, intptr_t depth)
{
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        atomic_store(&deepest, 0);
        double began = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
        run_on(pool, nest, (void *)depth);
        double ms = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - began;
        TEST_ASSERT_EQUAL_size_t(depth, atomic_load(&deepest));
        if (ms < best) best = ms;
    }
    return best;
}

/* Ten times as deep takes about ten times as long, not a hundred times. */
static void the_time_of_nested_scopes_is_linear_in_their_depth(void)
{
    if (THREAD_SANITIZED) TEST_IGNORE_MESSAGE("ThreadSanitizer's own time grows with the depth");
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    const intptr_t shallow = test_scale(3000);
    ms_to_nest(pool, 10 * shallow); /* the stack is there from now on */
    double once = ms_to_nest(pool, shallow), ten_times = ms_to_nest(pool, 10 * shallow);
    free_pool(pool);
    TEST_ASSERT_TRUE_MESSAGE(ten_times < 40 * once, "it grows faster than the depth");
}

/* A scope is known on the stack wherever on it: below, above and beside scopes of others, and through a run on
 * another pool. */
static heist_scope outer, inner;
static heist_pool *other_pool;

static void wait_for_both(void *unused)
{
    (void)unused;
    CHECK(heist_scope_wait(&outer) == -EDEADLK);
    CHECK(heist_scope_wait(&inner) == -EDEADLK);
}

static void detach_and_wait_for_both(void *unused)
{
    heist_scope third;
    begin(&third, NULL);
    CHECK(heist_detach(&third, wait_for_both, NULL) == 0); /* on top of the run that the two wait for */
    CHECK(heist_scope_end(&third) == 0);
    wait_for_both(unused);
}

static void of_the_inner(void *unused)
{
    wait_for_both(unused);
    CHECK(heist_run(other_pool, detach_and_wait_for_both, NULL) == 0);
    wait_for_both(unused);
}

static void of_the_outer(void *unused)
{
    (void)unused;
    begin(&inner, NULL);
    CHECK(heist_detach(&inner, of_the_inner, NULL) == 0);
    CHECK(heist_scope_wait(&inner) == 0);
    CHECK(heist_scope_wait(&outer) == -EDEADLK);
    CHECK(heist_scope_end(&inner) == 0);
}

static void a_task_that_waits_for_itself_is_told_wherever_the_scope_is_on_the_stack(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    other_pool = pool_of(1, HEIST_FENCES_DEFAULT);
    for (int round = 0; round < 3; round++) {
        begin(&outer, pool);
        TEST_ASSERT_EQUAL_INT(0, heist_detach(&outer, of_the_outer, NULL));
        TEST_ASSERT_EQUAL_INT(0, heist_scope_wait(&outer));
        TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&outer));
    }
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(other_pool);
    free_pool(pool);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_task_is_found_behind_thousands_of_others);
    RUN_TEST(a_waiter_does_not_empty_its_own_deque);
    RUN_TEST(a_new_task_wakes_the_waiter_that_can_run_it);
    RUN_TEST(waiters_that_take_from_each_other_all_end);
    RUN_TEST(the_time_of_nested_scopes_is_linear_in_their_depth);
    RUN_TEST(a_task_that_waits_for_itself_is_told_wherever_the_scope_is_on_the_stack);
    return UNITY_END();
}
