/* Scopes: tasks that wait for a scope, and what they meet meanwhile. */
#include "scope_support.h"

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

/* ---- more waiters than there are places at first ---- */

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
        while (heist__load_acquire(&pool->waiters.waiting) < WAITING) sched_yield();
        atomic_store(&gate, true);
        for (int i = 0; i < WAITING; i++) pthread_join(threads[i], NULL);
        TEST_ASSERT_EQUAL_UINT32(0, heist__load_acquire(&pool->waiters.waiting));
    }
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

int main(void)
{
    canary_begin();
    UNITY_BEGIN();
    RUN_TEST(scopes_nest_in_the_tasks_of_scopes);
    RUN_TEST(a_lock_held_across_a_wait_meets_no_unrelated_task);
    RUN_TEST(a_waiter_leaves_alone_what_others_have);
    RUN_TEST(one_worker_finds_the_tasks_of_a_scope_among_others);
    RUN_TEST(a_task_may_wait_for_a_scope_begun_elsewhere);
    RUN_TEST(a_task_may_wait_for_a_scope_of_another_pool);
    RUN_TEST(a_task_of_a_scope_is_told_that_it_cannot_wait_for_it);
    RUN_TEST(however_many_wait_all_are_told);
    return UNITY_END();
}
