/* Scopes: detached tasks that are waited for together, however nested, and whichever worker ran them. */
#include "scope_support.h"

/* ---- detached tasks ---- */

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
        heist_task *record = heist__job_new(sizeof(HEIST_CHILD(take_aligned)));
        if ((uintptr_t)record % _Alignof(HEIST_CHILD(take_aligned)) != 0) misaligned++;
        HEIST_CHILD(take_aligned) *child = (HEIST_CHILD(take_aligned) *)(void *)record;
        child->task.run = heist__gen_exec_take_nothing;
        TEST_ASSERT_EQUAL_INT(0, heist__job_push(&scope, record));
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
    if (depth > 3) give_way(); /* let it be stolen */
    HEIST_CALL(leaves, depth - 1, scope, counter);
    HEIST_SYNC(left);
}

enum { DEPTH = 6, LEAVES = 1 << DEPTH };

static void leaves_of_two_scopes(heist_pool *pool)
{
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

static bool some_are_stolen(void *pool)
{
    for (unsigned round = test_scale(800u); round > 0; round--) leaves_of_two_scopes(pool);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    return stats_of(pool).joins_stolen > 0;
}

static void stolen_children_detach_into_the_scope_of_their_ancestor(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 4; workers <= 8; workers += 4) {
            heist_pool *pool = pool_of(workers, *mode);
            TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(some_are_stolen, pool),
                                     "nothing was stolen: this tested nothing");
            free_pool(pool);
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
    for (int i = 0; i < 4; i++) give_way(); /* let them be stolen */
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

static void a_scope_without_tasks_ends_at_once(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_scope scope;
    begin(&scope, pool);
    heist_join(&scope);
    TEST_ASSERT_EQUAL_INT(0, heist_scope_wait(&scope));
    TEST_ASSERT_NULL_MESSAGE(heist__load_relaxed(&scope.core), "nothing was detached, and memory is held for it");
    TEST_ASSERT_EQUAL_INT(0, heist_detach(&scope, count_one, &ran));
    TEST_ASSERT_NOT_NULL(heist__load_relaxed(&scope.core));
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_detach(&scope, count_one, &ran));
    free_pool(pool);
}

int main(void)
{
    canary_begin();
    UNITY_BEGIN();
    RUN_TEST(tasks_detached_from_outside_and_inside_have_run_after_the_wait);
    RUN_TEST(without_a_scope_the_default_pool_waits_for_them);
    RUN_TEST(many_threads_detach_into_one_scope);
    RUN_TEST(typed_tasks_are_detached_with_small_and_large_records);
    RUN_TEST(records_of_detached_tasks_are_aligned_as_their_arguments_want);
    RUN_TEST(stolen_children_detach_into_the_scope_of_their_ancestor);
    RUN_TEST(a_scope_begun_beside_a_stolen_child_is_not_that_childs);
    RUN_TEST(what_tasks_wrote_is_visible_after_the_wait);
    RUN_TEST(a_chain_of_a_hundred_thousand_ends_with_its_last_link);
    RUN_TEST(short_bursts_end_in_time);
    RUN_TEST(a_million_tiny_tasks_all_run);
    RUN_TEST(mistakes_are_told);
    RUN_TEST(a_scope_without_tasks_ends_at_once);
    return UNITY_END();
}
