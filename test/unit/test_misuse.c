/* Children that are never joined, or in vain, as debug builds see them: told with their names, and the program goes
 * on. */
#define HEIST_DEBUG 1
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "schedule/pool.h"
#include "support.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

static int ran;

HEIST_VOID_TASK(count)
{
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
}

HEIST_TASK(int, forgetful, int, joins)
{
    HEIST_SPAWN(remembered, count);
    HEIST_SPAWN(forgotten, count);
    if (joins) HEIST_SYNC(forgotten);
    HEIST_SYNC(remembered);
    return 7;
}

HEIST_TASK(int, careless, HEIST_CHILD(count) *, children, int, joins)
{
    for (int i = 0; i < 3; i++) HEIST_SPAWN_AT(&children[i], count);
    for (int i = 0; i < 3 && joins; i++) HEIST_SYNC_AT(&children[i], count);
    return 8;
}

/* The same with thieves: it leaves when at least one of the children has been stolen, and has run. */
HEIST_TASK(int, careless_among_thieves, HEIST_CHILD(count) *, children)
{
    for (int i = 0; i < 3; i++) HEIST_SPAWN_AT(&children[i], count);
    while (__atomic_load_n(&ran, __ATOMIC_RELAXED) == 0) sched_yield();
    return 9;
}

/* Its caller is not to blame, and may spawn. */
HEIST_TASK(int, calls_careless, HEIST_CHILD(count) *, children)
{
    int eight = HEIST_CALL(careless, children, 0);
    HEIST_SPAWN(own, count);
    HEIST_SYNC(own);
    return eight;
}

HEIST_VOID_TASK(careless_without_result, HEIST_CHILD(count) *, children)
{
    HEIST_SPAWN_AT(&children[0], count);
}

HEIST_TASK(int, calls_without_result, HEIST_CHILD(count) *, children)
{
    HEIST_CALL(careless_without_result, children);
    return HEIST_CALL(forgetful, 1);
}

HEIST_TASK(int, seven)
{
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    return 7;
}

/* With `stolen` it waits until a thief has run the child. The second join finds the result of the first. */
HEIST_TASK(int, joins_twice, int, stolen)
{
    HEIST_SPAWN(kept, count);
    HEIST_SPAWN(child, seven);
    while (stolen && __atomic_load_n(&ran, __ATOMIC_RELAXED) < 2) sched_yield();
    int sum = HEIST_SYNC(child);
    sum += HEIST_SYNC(child);
    HEIST_SYNC(kept);
    HEIST_SYNC(kept);
    return sum;
}

HEIST_TASK(int, joins_what_it_has_not_spawned, int, rounds)
{
    HEIST_CHILD(seven) many[2];
    int sum = 0;
    memset(many, 0, sizeof many);
    for (int i = 0; i < rounds; i++) HEIST_SPAWN_AT(&many[0], seven), sum += HEIST_SYNC_AT(&many[0], seven);
    return sum + HEIST_SYNC_AT(&many[1], seven);
}

HEIST_TASK(int, forgets_in_a_block, int, rounds)
{
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        HEIST_SPAWN(lost, forgetful, 1);
        HEIST_SPAWN(kept, forgetful, 1);
        sum += HEIST_SYNC(kept);
    }
    return sum;
}

static void plain_count(void *argument)
{
    (void)argument;
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
}

/* A helper that spawns for its caller, whose hidden argument does not follow: so the typed child takes the plain one's
 * place. */
static void spawn_for_the_caller(heist_scope *scope)
{
    heist_spawn(scope, plain_count, NULL);
}

HEIST_TASK(int, mixes, int, n)
{
    heist_scope scope;
    if (n == 0 || heist_scope_begin(&scope, NULL) < 0) return 0;
    spawn_for_the_caller(&scope);
    HEIST_CALL(forgetful, 1);
    return 1;
}

/* Not in the frame: a thief may look at a child after its parent has returned. */
static heist_scope outlives_its_function;

static void forgets_to_join(void *argument)
{
    (void)argument;
    if (heist_scope_begin(&outlives_its_function, NULL) < 0) abort();
    heist_spawn(&outlives_its_function, plain_count, NULL);
    heist_spawn(&outlives_its_function, plain_count, NULL);
}

/* A plain child that forgets, joined by a plain parent. */
static void joins_the_forgetful(void *argument)
{
    heist_scope scope;
    (void)argument;
    if (heist_scope_begin(&scope, NULL) < 0) abort();
    heist_spawn(&scope, forgets_to_join, NULL);
    heist_join(&scope);
    heist_scope_end(&scope);
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
static HEIST_CHILD(count) outlives[3];

static void run_forgetful(void)
{
    result = HEIST_RUN(pool, forgetful, 0);
}
static void run_mindful(void)
{
    result = HEIST_RUN(pool, forgetful, 1);
}
static void run_careless(void)
{
    result = HEIST_RUN(pool, careless, outlives, 0);
}
static void run_careful(void)
{
    result = HEIST_RUN(pool, careless, outlives, 1);
}
static void run_caller(void)
{
    result = HEIST_RUN(pool, calls_careless, outlives);
}
static void run_caller_of_void(void)
{
    result = HEIST_RUN(pool, calls_without_result, outlives);
}
static void run_block(void)
{
    result = HEIST_RUN(pool, forgets_in_a_block, 3);
}

static void run_joins_twice(void)
{
    result = HEIST_RUN(pool, joins_twice, heist_pool_workers(pool) > 1);
}
static void run_joins_in_vain(void)
{
    result = HEIST_RUN(pool, joins_what_it_has_not_spawned, 1);
}

static void run_among_thieves(void)
{
    result = HEIST_RUN(pool, careless_among_thieves, outlives);
}

/* After a run nothing may be left in any deque, taken or not. */
static void the_deques_are_empty(void)
{
    for (unsigned i = 0; i < heist_pool_workers(pool); i++) {
        heist__task_deque *frames = &pool->workers[i]->tasks;
        TEST_ASSERT_EQUAL_PTR(frames->slots, heist__load_acquire(&frames->face.bottom));
        TEST_ASSERT_EQUAL_UINT32(0, (uint32_t)heist__load_acquire(&frames->top));
    }
}

static void in_both_sizes(void (*body)(void), int expected, int least_runs, const char *wanted)
{
    for (unsigned round = 0; round < 4; round++) { /* one worker or four, in both fence modes */
        char said[4096];
        ran = 0;
        pool = pool_of(round / 2 ? 4 : 1, both_fence_modes[round % 2]);
        listen(body, said);
        TEST_ASSERT_EQUAL_INT(expected, result);
        if (wanted) {
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, wanted), said);
        } else {
            TEST_ASSERT_EQUAL_STRING("", said);
        }
        the_deques_are_empty();
        run_mindful(); /* the program goes on, and the deque is in order */
        TEST_ASSERT_EQUAL_INT(7, result);
        free_pool(pool);
        TEST_ASSERT_TRUE(ran >= least_runs + 2);
    }
}

static void a_child_that_is_joined_is_not_spoken_of(void)
{
    in_both_sizes(run_mindful, 7, 2, NULL);
    in_both_sizes(run_careful, 8, 3, NULL);
}

static void a_named_child_is_told_with_its_parent_and_joined(void)
{
    in_both_sizes(run_forgetful, 7, 2, "task forgetful: child forgotten (count) was never joined");
}

static void children_in_an_array_are_told_with_their_parent(void)
{
    in_both_sizes(run_careless, 8, 0, "task careless: 3 of its children");
}

/* in_both_sizes looks for one sentence; a task that is named wrongly adds another, or the caller's spawn does. */
static void a_task_that_was_called_is_named_and_not_its_caller(void)
{
    static const char wanted[] = "heist: task careless: 3 of its children were never joined before its frame ended\n";
    char said[4096];
    in_both_sizes(run_caller, 8, 1, wanted);
    in_both_sizes(run_caller_of_void, 7, 2, "task careless_without_result: 1 of its children");
    pool = pool_of(1, both_fence_modes[0]);
    listen(run_caller, said);
    free_pool(pool);
    TEST_ASSERT_EQUAL_STRING(wanted, said);
}

static void children_that_were_stolen_leave_nothing_behind_either(void)
{
    for (unsigned round = 0; round < 20; round++) {
        char said[4096];
        ran = 0;
        pool = pool_of(4, both_fence_modes[round % 2]);
        listen(run_among_thieves, said);
        TEST_ASSERT_EQUAL_INT(9, result);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "task careless_among_thieves: 3 of its children"), said);
        the_deques_are_empty();
        run_mindful();
        TEST_ASSERT_EQUAL_INT(7, result);
        free_pool(pool);
    }
}

static void a_child_of_an_inner_block_is_joined_at_its_end(void)
{
    in_both_sizes(run_block, 21, 12, "task forgets_in_a_block: child lost (forgetful) was never joined");
}

static void a_second_join_is_told_and_gives_the_same_result(void)
{
    in_both_sizes(run_joins_twice, 14, 2, "task joins_twice: child child (seven) is joined a second time");
    in_both_sizes(run_joins_twice, 14, 2, "task joins_twice: child kept (count) is joined a second time");
}

static void a_join_of_what_was_not_spawned_is_told(void)
{
    in_both_sizes(run_joins_in_vain, 7, 1,
                  "heist: task joins_what_it_has_not_spawned: child &many[1] (seven) is joined, but was not spawned");
}

static void run_mixed(void)
{
    /* What happens to the overwritten child is not promised: a child process does it, and only what it says counts. */
    pid_t child = fork();
    if (child == 0) {
        watchdog_of_child(2);
        heist_pool *own = heist_pool_new(NULL);
        if (own) HEIST_RUN(own, mixes, 1);
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0) {
    }
}

static void plain_children_in_the_way_of_typed_ones_are_told(void)
{
    char said[4096];
    listen(run_mixed, said);
    TEST_ASSERT_NOT_NULL_MESSAGE(
        strstr(said, "between heist_spawn and heist_join of the same function would lose 1 of"), said);
}

static void run_forgets_to_join(void)
{
    result = heist_run(pool, forgets_to_join, NULL);
}
static void run_joins_the_forgetful(void)
{
    result = heist_run(pool, joins_the_forgetful, NULL);
}
static void detach_forgetful(void)
{
    result = heist_submit(pool, forgets_to_join, NULL, HEIST_WAIT);
    if (!result) result = heist_pool_wait(pool);
}

static void a_forgotten_plain_join_is_told(void)
{
    in_both_sizes(run_forgets_to_join, 0, 0, ": 2 of its children were never joined before it returned");
    in_both_sizes(run_joins_the_forgetful, 0, 0, ": 2 of its children were never joined before it returned");
    in_both_sizes(detach_forgetful, 0, 0, ": 2 of its children were never joined before it returned");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_child_that_is_joined_is_not_spoken_of);
    RUN_TEST(a_named_child_is_told_with_its_parent_and_joined);
    RUN_TEST(children_in_an_array_are_told_with_their_parent);
    RUN_TEST(a_task_that_was_called_is_named_and_not_its_caller);
    RUN_TEST(children_that_were_stolen_leave_nothing_behind_either);
    RUN_TEST(a_child_of_an_inner_block_is_joined_at_its_end);
    RUN_TEST(a_second_join_is_told_and_gives_the_same_result);
    RUN_TEST(a_join_of_what_was_not_spawned_is_told);
    RUN_TEST(plain_children_in_the_way_of_typed_ones_are_told);
    RUN_TEST(a_forgotten_plain_join_is_told);
    return UNITY_END();
}
