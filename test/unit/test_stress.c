/* HEIST_STRESS: with it, tasks of every kind run in many threads, and every result is right. */
#include <stdio.h>
#include <stdlib.h>

#include "schedule/pool.h"
#include "schedule/stress.h"
#include "support.h"

#define WORKERS 8

static heist_pool *pool;

void setUp(void)
{
    watchdog(PATIENCE_S);
    setenv("HEIST_STRESS", "7", 1);
    pool = pool_of(WORKERS, HEIST_FENCES_DEFAULT);
}

void tearDown(void)
{
    free_pool(pool);
    unsetenv("HEIST_STRESS");
    alarm(0);
}

/* ---- children ---- */

#define DEPTH 8

HEIST_TASK(long, tree, int, depth)
{
    if (depth == 0) return 1;
    HEIST_SPAWN(left, tree, depth - 1);
    long right = HEIST_CALL(tree, depth - 1);
    return HEIST_SYNC(left) + right;
}

struct node {
    int depth;
    long leaves;
};

static void plain_tree(void *argument)
{
    struct node *n = argument;
    n->leaves = 1;
    if (n->depth == 0) return;
    struct node left = {n->depth - 1, 0}, right = left;
    heist_scope scope;
    if (heist_scope_begin(&scope, NULL) != 0) abort();
    heist_spawn(&scope, plain_tree, &left);
    plain_tree(&right);
    heist_join(&scope);
    heist_scope_end(&scope);
    n->leaves = left.leaves + right.leaves;
}

/* Without stress a tree of this size is over before a thief has come. With delays alone a tenth is stolen. */
static bool many_were_stolen(void)
{
    heist_stats stats = stats_of(pool);
    return stats.joins_stolen > stats.spawns / 3;
}

static bool typed_children_are_stolen(void *unused)
{
    (void)unused;
    TEST_ASSERT_EQUAL_INT(1 << DEPTH, HEIST_RUN(pool, tree, DEPTH));
    return many_were_stolen();
}

static void most_typed_children_are_stolen(void)
{
    TEST_ASSERT_TRUE(succeeds_with_cpu(typed_children_are_stolen, NULL));
}

static bool plain_children_are_stolen(void *unused)
{
    (void)unused;
    struct node root = {DEPTH, 0};
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, plain_tree, &root));
    TEST_ASSERT_EQUAL_INT(1 << DEPTH, root.leaves);
    return many_were_stolen();
}

static void most_plain_children_are_stolen(void)
{
    TEST_ASSERT_TRUE(succeeds_with_cpu(plain_children_are_stolen, NULL));
}

/* ---- loops ---- */

#define UNITS 500

static int ran_by[UNITS];

HEIST_LOOP(note_worker, i)
{
    ran_by[i] = heist_worker_number() + 1;
}

static bool neighbours_differ(void *unused)
{
    (void)unused;
    memset(ran_by, 0, sizeof ran_by);
    TEST_ASSERT_EQUAL_INT(0, HEIST_FOR(pool, note_worker, heist_upto(UNITS)));
    int changes = 0;
    for (int i = 0; i < UNITS; i++) TEST_ASSERT_TRUE(ran_by[i] > 0);
    for (int i = 1; i < UNITS; i++) changes += ran_by[i] != ran_by[i - 1];
    return changes > UNITS / 4;
}

static void neighbouring_iterations_run_on_different_workers(void)
{
    TEST_ASSERT_TRUE(succeeds_with_cpu(neighbours_differ, NULL));
}

HEIST_FOLD(double, sum_of_halves, 0, HEIST_PLUS, sum, i)
{
    return sum + 1 / (double)(i + 1);
}

/* A deterministic reduction gives the same bits under stress as without. */
static void a_deterministic_reduction_is_not_changed(void)
{
    heist_loop_options options = HEIST_LOOP_OPTIONS_INIT;
    options.deterministic = true;
    double stressed = 0, plain = 0;
    TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&options, pool, &stressed, sum_of_halves, heist_upto(3000)));
    unsetenv("HEIST_STRESS");
    heist_pool *calm = pool_of(2, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&options, calm, &plain, sum_of_halves, heist_upto(3000)));
    free_pool(calm);
    TEST_ASSERT_EQUAL_MEMORY(&plain, &stressed, sizeof plain);
}

/* ---- detached tasks ---- */

#define JOBS 100

static void note_job(void *place)
{
    *(int *)place = heist_worker_number() + 1;
}

static void detach_all(void *scope)
{
    for (int i = 0; i < JOBS; i++) TEST_ASSERT_EQUAL_INT(0, heist_detach(scope, note_job, &ran_by[i]));
}

static bool jobs_are_spread(void *unused)
{
    (void)unused;
    heist_scope scope;
    memset(ran_by, 0, sizeof ran_by);
    TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&scope, pool));
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, detach_all, &scope));
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    int changes = 0;
    for (int i = 0; i < JOBS; i++) TEST_ASSERT_TRUE(ran_by[i] > 0);
    for (int i = 1; i < JOBS; i++) changes += ran_by[i] != ran_by[i - 1];
    return changes > JOBS / 2;
}

static void detached_tasks_are_spread(void)
{
    TEST_ASSERT_TRUE(succeeds_with_cpu(jobs_are_spread, NULL));
}

/* ---- the variable ---- */

static void without_the_variable_there_is_no_stress(void)
{
    unsetenv("HEIST_STRESS");
    heist_pool *calm = pool_of(2, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_TRUE(heist__stressed(pool->workers[0]));
    TEST_ASSERT_FALSE(heist__stressed(calm->workers[0]));
    TEST_ASSERT_FALSE(calm->settings.stress);
    free_pool(calm);
}

static void a_stressed_pool_has_enough_workers_unless_their_number_is_given(void)
{
    heist_pool *usual = pool_of(0, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_GREATER_OR_EQUAL_UINT(HEIST__STRESS_WORKERS, heist_pool_workers(usual));
    TEST_ASSERT_EQUAL_UINT(WORKERS, heist_pool_workers(pool));
    free_pool(usual);
}

/* The same seed gives the same choices: nothing but time differs between two runs. */
static void the_seed_decides(void)
{
    heist_pool *same = pool_of(1, HEIST_FENCES_DEFAULT);
    setenv("HEIST_STRESS", "8", 1);
    heist_pool *other = pool_of(1, HEIST_FENCES_DEFAULT);
    heist__random a = same->workers[0]->stress.random, b = other->workers[0]->stress.random;
    TEST_ASSERT_NOT_EQUAL_UINT64(a.state, b.state);
    free_pool(same);
    free_pool(other);
    setenv("HEIST_STRESS", "7", 1);
    same = pool_of(1, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_UINT64(a.state, same->workers[0]->stress.random.state);
    free_pool(same);
}

static void a_value_that_is_no_seed_is_told(void)
{
    static const char *const wrong[] = {"yes", "0", "-1", "1x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char said[256] = "", expected[64];
        setenv("HEIST_STRESS", wrong[i], 1);
        fflush(stderr);
        FILE *file = tmpfile();
        TEST_ASSERT_NOT_NULL(file);
        int old = dup(STDERR_FILENO);
        dup2(fileno(file), STDERR_FILENO);
        heist_pool *calm = pool_of(1, HEIST_FENCES_DEFAULT);
        fflush(stderr);
        dup2(old, STDERR_FILENO);
        close(old);
        rewind(file);
        said[fread(said, 1, sizeof said - 1, file)] = '\0';
        fclose(file);
        snprintf(expected, sizeof expected, "heist: HEIST_STRESS=%s is not a number from 1", wrong[i]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, expected), said);
        TEST_ASSERT_FALSE(calm->settings.stress);
        free_pool(calm);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(most_typed_children_are_stolen);
    RUN_TEST(most_plain_children_are_stolen);
    RUN_TEST(neighbouring_iterations_run_on_different_workers);
    RUN_TEST(a_deterministic_reduction_is_not_changed);
    RUN_TEST(detached_tasks_are_spread);
    RUN_TEST(without_the_variable_there_is_no_stress);
    RUN_TEST(a_stressed_pool_has_enough_workers_unless_their_number_is_given);
    RUN_TEST(the_seed_decides);
    RUN_TEST(a_value_that_is_no_seed_is_told);
    return UNITY_END();
}
