/* The same mistakes in files without HEIST_DEBUG: nothing hangs, and what can be told without names is told. With
 * HEIST_CHECK=1 every spawn and join is looked at. */
#define HEIST_DEBUG 0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "schedule/pool.h"
#include "support.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
    unsetenv("HEIST_CHECK");
}

static int ran;

HEIST_TASK(int, seven)
{
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    return 7;
}

static void count(void *unused)
{
    (void)unused;
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
}

static void wait_until_run(int least)
{
    while (__atomic_load_n(&ran, __ATOMIC_RELAXED) < least) sched_yield();
}

/* Runs `body` with stderr in a file; what was said is in `said`. */
static void listen(void (*body)(void), char said[4096])
{
    fflush(stderr);
    FILE *file = tmpfile();
    TEST_ASSERT_NOT_NULL(file);
    int old = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    body();
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
    rewind(file);
    said[fread(said, 1, 4095, file)] = '\0';
    fclose(file);
}

static heist_pool *pool;
static int result;

static void the_deques_are_empty(void)
{
    for (unsigned i = 0; i < heist_pool_workers(pool); i++) {
        heist__task_deque *tasks = &pool->workers[i]->tasks;
        TEST_ASSERT_EQUAL_PTR(tasks->slots, heist__load_acquire(&tasks->face.bottom));
        TEST_ASSERT_EQUAL_UINT32(0, (uint32_t)heist__load_acquire(&tasks->top));
    }
}

/* With one worker and with four, in both fence modes. */
static void said_in_all(void (*body)(void), const char *wanted)
{
    for (unsigned round = 0; round < 4; round++) {
        char said[4096];
        ran = 0;
        pool = pool_of(round / 2 ? 4 : 1, both_fence_modes[round % 2]);
        listen(body, said);
        if (wanted) {
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, wanted), said);
        } else {
            TEST_ASSERT_EQUAL_STRING("", said);
        }
        the_deques_are_empty();
        free_pool(pool);
    }
}

/* ---- a second join ---- */

static const char in_vain[] = "a child is joined a second time, or was not spawned";

HEIST_TASK(int, joins_the_youngest_twice)
{
    HEIST_SPAWN(child, seven);
    int sum = HEIST_SYNC(child);
    (void)HEIST_SYNC(child);
    HEIST_SPAWN(another, seven); /* into the same slot */
    (void)HEIST_SYNC(child);
    return sum + HEIST_SYNC(another);
}

static void run_youngest(void)
{
    result = HEIST_RUN(pool, joins_the_youngest_twice);
}

/* The second join of `older` comes while `younger` may be stolen, running or done. */
HEIST_TASK(int, joins_the_oldest_twice, int, thieves)
{
    HEIST_SPAWN(older, seven);
    HEIST_SPAWN(younger, seven);
    if (thieves) wait_until_run(2);
    int sum = HEIST_SYNC(older);
    (void)HEIST_SYNC(older);
    sum += HEIST_SYNC(younger);
    (void)HEIST_SYNC(younger);
    return sum;
}

static void run_oldest(void)
{
    result = HEIST_RUN(pool, joins_the_oldest_twice, heist_pool_workers(pool) > 1);
}

static void a_second_join_does_not_hang_and_is_told(void)
{
    said_in_all(run_youngest, in_vain);
    TEST_ASSERT_EQUAL_INT(14, result);
    said_in_all(run_oldest, in_vain);
    TEST_ASSERT_EQUAL_INT(14, result);
}

/* A thief keeps the outer child as long as the second join of the inner one waits: it cannot be told before that thief
 * has ended. */
static int release;

HEIST_TASK(int, slow)
{
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&release, __ATOMIC_RELAXED)) sched_yield();
    return 1;
}

HEIST_TASK(int, joins_twice_beside_a_thief)
{
    HEIST_SPAWN(stolen, slow);
    wait_until_run(1);
    HEIST_SPAWN(inner, seven);
    int sum = HEIST_SYNC(inner);
    __atomic_store_n(&release, 1, __ATOMIC_RELAXED);
    (void)HEIST_SYNC(inner);
    return sum + HEIST_SYNC(stolen);
}

static void run_beside_a_thief(void)
{
    result = HEIST_RUN(pool, joins_twice_beside_a_thief);
}

static void a_second_join_beside_a_stolen_child_is_told_when_that_has_ended(void)
{
    char said[4096];
    for (unsigned round = 0; round < 2; round++) {
        ran = release = 0;
        pool = pool_of(2, both_fence_modes[round]);
        listen(run_beside_a_thief, said);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, in_vain), said);
        TEST_ASSERT_EQUAL_INT(8, result);
        the_deques_are_empty();
        free_pool(pool);
    }
}

/* ---- plain and typed children of one function ---- */

HEIST_TASK(int, mixes, int, rounds)
{
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        heist_scope scope;
        if (heist_scope_begin(&scope, NULL) < 0) return 0;
        HEIST_SPAWN(before, seven);
        for (int k = 0; k < i % 9; k++) heist_spawn(&scope, count, NULL); /* some need a chunk */
        HEIST_SPAWN(between, seven);
        sum += HEIST_CALL(seven);
        if (i % 2) sum += HEIST_SYNC(before);
        if (i % 3 == 0) heist_join(&scope);
        if (i % 3 == 1 && heist_scope_wait(&scope) != 0) return 0;
        HEIST_SPAWN(after, seven);
        if (heist_scope_end(&scope) != 0) return 0;
        if (i % 2 == 0) sum += HEIST_SYNC(before);
        sum += HEIST_SYNC(after) + HEIST_SYNC(between);
    }
    return sum;
}

static void run_mixes(void)
{
    result = HEIST_RUN(pool, mixes, 900);
    TEST_ASSERT_EQUAL_INT(900 * 28, result);
    TEST_ASSERT_EQUAL_INT(900 * 4 + 100 * 36, ran);
}

static void plain_and_typed_children_of_one_function_do_not_meet(void)
{
    said_in_all(run_mixes, NULL);
    setenv("HEIST_CHECK", "1", 1);
    said_in_all(run_mixes, NULL);
}

/* ---- children that nobody joins ---- */

HEIST_VOID_TASK(forgets, HEIST_CHILD(seven) *, children)
{
    HEIST_SPAWN_AT(&children[0], seven);
    HEIST_SPAWN_AT(&children[1], seven);
}

static HEIST_CHILD(seven) outlive[2];

static void run_forgets(void)
{
    HEIST_RUN(pool, forgets, outlive);
}

static void a_task_that_ends_with_children_is_told(void)
{
    said_in_all(run_forgets, ": 2 of its children were never joined before it returned");
}

/* The same without macros: a child that forgets, joined inline by its parent. */
static heist_scope outlives_its_function;

static void forgets_plain(void *unused)
{
    (void)unused;
    if (heist_scope_begin(&outlives_its_function, NULL) < 0) abort();
    heist_spawn(&outlives_its_function, count, NULL);
}

static void joins_one_that_forgets(void *unused)
{
    heist_scope scope;
    (void)unused;
    if (heist_scope_begin(&scope, NULL) < 0) abort();
    heist_spawn(&scope, forgets_plain, NULL);
    heist_spawn(&scope, count, NULL);
    heist_join(&scope);
    heist_scope_end(&scope);
}

static void run_joins_one_that_forgets(void)
{
    result = heist_run(pool, joins_one_that_forgets, NULL);
}

/* One sentence: the child is told where it is joined, and not its parent later. */
static void a_plain_child_that_ends_with_children_is_told_once(void)
{
    char said[4096];
    pool = pool_of(1, HEIST_FENCES_THIEF);
    listen(run_joins_one_that_forgets, said);
    const char *told = strstr(said, ": 1 of its children were never joined before it returned");
    TEST_ASSERT_NOT_NULL_MESSAGE(told, said);
    TEST_ASSERT_NULL_MESSAGE(strstr(told + 1, "heist:"), said);
    char function[32];
    snprintf(function, sizeof function, "the task at %#jx:", (uintmax_t)(uintptr_t)forgets_plain);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, function), said);
    free_pool(pool);
}

HEIST_TASK(int, calls_one_that_forgets)
{
    HEIST_CALL(forgets, outlive);
    HEIST_SPAWN(own, seven);
    return HEIST_SYNC(own);
}

static void run_calls_one_that_forgets(void)
{
    result = HEIST_RUN(pool, calls_one_that_forgets);
}

static void with_check_a_spawn_over_forgotten_children_is_told(void)
{
    char said[4096];
    setenv("HEIST_CHECK", "1", 1);
    pool = pool_of(1, HEIST_FENCES_DEFAULT);
    listen(run_calls_one_that_forgets, said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "a spawn in the place of 2 other children"), said);
    free_pool(pool);
}

/* ---- a conditional spawn; children without a task ---- */

HEIST_TASK(long, tree, int, depth)
{
    if (depth == 0) return 1;
    HEIST_SPAWN_IF(depth > 4, left, tree, depth - 1);
    HEIST_SPAWN_IF(depth % 2, none, seven);
    long right = HEIST_CALL(tree, depth - 1);
    return HEIST_SYNC(none) - 7 + right + HEIST_SYNC(left);
}

static void run_tree(void)
{
    TEST_ASSERT_EQUAL_INT64(1 << 12, HEIST_RUN(pool, tree, 12));
}

static void a_conditional_spawn_is_a_call_otherwise(void)
{
    said_in_all(run_tree, NULL);
}

HEIST_TASK(long, many, int, n)
{
    HEIST_CHILDREN(children, tree, n);
    long sum = 0;
    for (int i = 0; i < n; i++) HEIST_SPAWN_AT(&children[i], tree, i);
    for (int i = 0; i < n; i++) sum += HEIST_SYNC_AT(&children[i], tree);
    return sum;
}

static void an_array_of_children_may_have_none(void)
{
    TEST_ASSERT_EQUAL_INT64(0, HEIST_RUN(NULL, many, 0));
    TEST_ASSERT_EQUAL_INT64(7, HEIST_RUN(NULL, many, 3));
}

/* A helper with a type of its own: in a task, in a loop's body, and in a thread without a worker. */
static long spawning_helper(int n)
{
    HEIST_WITH_WORKER;
    HEIST_SPAWN(left, tree, n);
    long right = HEIST_CALL(tree, n);
    return HEIST_SYNC(left) + right;
}

HEIST_TASK(long, calls_helper, int, n)
{
    HEIST_SPAWN(before, seven);
    long sum = spawning_helper(n);
    HEIST_SPAWN(after, seven);
    return sum + HEIST_SYNC(before) + HEIST_SYNC(after);
}

HEIST_LOOP(helped, i, long *, sums)
{
    sums[i] = spawning_helper((int)i);
}

static void run_helpers(void)
{
    long sums[8];
    TEST_ASSERT_EQUAL_INT64((1 << 9) + 14, HEIST_RUN(pool, calls_helper, 8));
    TEST_ASSERT_EQUAL_INT(0, HEIST_FOR(pool, helped, heist_upto(8), sums));
    for (int i = 0; i < 8; i++) TEST_ASSERT_EQUAL_INT64(1L << (i + 1), sums[i]);
    TEST_ASSERT_EQUAL_INT64(1 << 9, spawning_helper(8));
}

static void a_helper_finds_its_worker(void)
{
    said_in_all(run_helpers, NULL);
}

/* ---- a pool that has gone ---- */

static void a_pool_that_has_gone_is_told(void)
{
    heist_pool *gone = pool_of(1, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, heist_run(gone, count, NULL));
    free_pool(gone);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_run(gone, count, NULL));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heist_explain(), "there is no such pool"), heist_explain());
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_submit(gone, count, NULL, HEIST_WAIT));
    heist_scope scope;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_scope_begin(&scope, gone));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_detach(&scope, count, NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    TEST_ASSERT_EQUAL_INT(7, HEIST_RUN(gone, seven)); /* a typed run has no error to give: it runs here */
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_second_join_does_not_hang_and_is_told);
    RUN_TEST(a_second_join_beside_a_stolen_child_is_told_when_that_has_ended);
    RUN_TEST(plain_and_typed_children_of_one_function_do_not_meet);
    RUN_TEST(a_task_that_ends_with_children_is_told);
    RUN_TEST(a_plain_child_that_ends_with_children_is_told_once);
    RUN_TEST(with_check_a_spawn_over_forgotten_children_is_told);
    RUN_TEST(a_conditional_spawn_is_a_call_otherwise);
    RUN_TEST(an_array_of_children_may_have_none);
    RUN_TEST(a_helper_finds_its_worker);
    RUN_TEST(a_pool_that_has_gone_is_told);
    return UNITY_END();
}
