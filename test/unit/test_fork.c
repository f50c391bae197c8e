/* fork(): the child's pools start again by themselves with nothing to do, and the parent goes on undisturbed. The
 * fork may come from any thread, from tasks and loops, too. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <heist/heist.h>

#include "fork_support.h"
#include "support.h"
#include "test_scale.h"
#include "unity.h"

void setUp(void)
{
    if (THREAD_SANITIZED) TEST_IGNORE_MESSAGE("ThreadSanitizer starts no threads in a forked child");
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

/* ---- using a pool in every way ---- */

static int only_wait(void *pool)
{
    EXPECT(heist_pool_wait(pool) == 0);
    return FINE;
}

/* ---- the plain cases ---- */

static void the_child_and_the_parent_go_on_with_the_same_pool(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(4, *mode);
        for (int round = test_scale(20); round > 0; round--) {
            TEST_ASSERT_EQUAL_INT(FINE, use(pool));
            TEST_ASSERT_EQUAL_INT(FINE, in_child(use_and_free, pool));
        }
        TEST_ASSERT_EQUAL_INT(FINE, use(pool));
        free_pool(pool);
    }
}

static void a_child_need_not_use_the_pool_to_free_it(void)
{
    heist_pool *pool = pool_of(3, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(FINE, use(pool));
    TEST_ASSERT_EQUAL_INT(FINE, in_child(only_free, pool));
    TEST_ASSERT_EQUAL_INT(FINE, in_child(only_wait, pool));
    TEST_ASSERT_EQUAL_INT(FINE, in_child(use_nothing, pool));
    TEST_ASSERT_EQUAL_INT(FINE, use(pool));
    free_pool(pool);
}

/* Each generation forks the next before it uses the pool, and another after it. */
typedef struct {
    heist_pool *pool;
    int depth;
} generation;

static int generations(void *argument)
{
    generation *g = argument;
    generation next = {g->pool, g->depth - 1};
    if (g->depth > 0) EXPECT(in_child(generations, &next) == FINE);
    int line = use(g->pool);
    if (line != FINE) return line;
    if (g->depth > 0) EXPECT(in_child(generations, &next) == FINE);
    return use_and_free(g->pool);
}

static void children_of_children_have_a_pool_too(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(FINE, use(pool));
    generation first = {pool, 2};
    TEST_ASSERT_EQUAL_INT(FINE, in_child(generations, &first));
    TEST_ASSERT_EQUAL_INT(FINE, use(pool));
    free_pool(pool);
}

enum { POOLS = 5 };

static int use_them_backwards(void *argument)
{
    heist_pool **pools = argument;
    for (int i = POOLS - 1; i >= 0; i--) {
        if (i % 2) continue; /* every other one is freed unused */
        int line = use(pools[i]);
        if (line != FINE) return line;
    }
    for (int i = 0; i < POOLS; i++) EXPECT(heist_pool_free(pools[i]) == 0);
    return FINE;
}

static void many_pools_start_again_each_by_itself(void)
{
    heist_pool *pools[POOLS];
    for (unsigned i = 0; i < POOLS; i++) pools[i] = pool_of(1 + i % 3, i % 2 ? HEIST_FENCES_BOTH : HEIST_FENCES_THIEF);
    TEST_ASSERT_EQUAL_INT(FINE, in_child(use_them_backwards, pools));
    for (int i = 0; i < POOLS; i++) TEST_ASSERT_EQUAL_INT(FINE, use(pools[i]));
    TEST_ASSERT_EQUAL_INT(FINE, in_child(use_them_backwards, pools));
    for (int i = 0; i < POOLS; i++) free_pool(pools[i]);
}

static void a_child_may_make_pools_of_its_own(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(FINE, in_child(make_another, pool));
    free_pool(pool);
}

static int use_from_threads(void *pool)
{
    pthread_t threads[4];
    void *line = NULL;
    for (int i = 0; i < 4; i++) EXPECT(pthread_create(&threads[i], NULL, use_in_thread, pool) == 0);
    for (int i = 0; i < 4; i++) {
        EXPECT(pthread_join(threads[i], &line) == 0);
        if (line) return (int)(intptr_t)line;
    }
    return use_and_free(pool);
}

static void threads_of_the_child_start_it_once(void)
{
    heist_pool *pool = pool_of(3, HEIST_FENCES_DEFAULT);
    for (int round = test_scale(10); round > 0; round--) {
        TEST_ASSERT_EQUAL_INT(FINE, in_child(use_from_threads, pool));
    }
    free_pool(pool);
}

/* ---- the default pool ---- */

static int use_default_and_exit(void *unused)
{
    (void)unused;
    exit(use(NULL)); /* with the handlers of exit, which end the pool */
}

static int exit_without_use(void *unused)
{
    (void)unused;
    exit(FINE);
}

static void the_default_pool_starts_again_too(void)
{
    TEST_ASSERT_EQUAL_INT(FINE, use(NULL));
    heist_pool *mine = heist_default_pool();
    TEST_ASSERT_EQUAL_INT(FINE, in_child(use_default, NULL));
    TEST_ASSERT_EQUAL_INT(FINE, in_child(use_default_and_exit, NULL));
    TEST_ASSERT_EQUAL_INT(FINE, in_child(exit_without_use, NULL));
    TEST_ASSERT_EQUAL_INT(FINE, use(NULL));
    TEST_ASSERT_EQUAL_PTR(mine, heist_default_pool());
}

/* ---- what waited in the parent stays there ---- */

typedef struct {
    sem_t begun, go;
} gate;

static void pass(gate *g)
{
    sem_post(&g->begun);
    while (sem_wait(&g->go) != 0) {
    }
}

typedef struct {
    pid_t parent;
    atomic_int by_parent, by_child;
} tally;

static void count_for_process(void *argument)
{
    tally *t = argument;
    atomic_fetch_add(getpid() == t->parent ? &t->by_parent : &t->by_child, 1);
}

HEIST_VOID_TASK(count_as_child, tally *, t)
{
    count_for_process(t);
}

HEIST_VOID_TASK(just_pass, gate *, g)
{
    pass(g);
}

/* Leaves work of every kind behind it: in the ring, in the deque of frames. */
HEIST_VOID_TASK(pass_with_work_behind, gate *, g, tally *, t)
{
    for (int i = 0; i < 30; i++) heist_detach(NULL, count_for_process, t);
    HEIST_SPAWN(one, count_as_child, t);
    HEIST_SPAWN(two, count_as_child, t);
    pass(g);
    HEIST_SYNC(two);
    HEIST_SYNC(one);
}

static void the_child_does_not_run_what_waited_in_the_parent(void)
{
    tally *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    TEST_ASSERT_TRUE(t != MAP_FAILED);
    t->parent = getpid();
    gate g;
    sem_init(&g.begun, 0, 0);
    sem_init(&g.go, 0, 0);
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_scope scope;
    TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&scope, pool));
    TEST_ASSERT_EQUAL_INT(0, HEIST_DETACH(&scope, just_pass, &g)); /* a thief that is held up */
    while (sem_wait(&g.begun) != 0) {
    }
    TEST_ASSERT_EQUAL_INT(0, HEIST_DETACH(&scope, pass_with_work_behind, &g, t));
    while (sem_wait(&g.begun) != 0) {
    }
    for (int i = 0; i < 30; i++) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, count_for_process, t, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(FINE, in_child(use_and_free, pool)); /* its wait does not wait for those, either */
    TEST_ASSERT_EQUAL_INT(FINE, in_child(only_wait, pool));
    sem_post(&g.go);
    sem_post(&g.go);
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    free_pool(pool);
    TEST_ASSERT_EQUAL_INT(62, atomic_load(&t->by_parent));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&t->by_child));
    munmap(t, sizeof *t);
}

/* ---- from inside a task ---- */

static int outside_now(void *pool)
{
    (void)pool;
    EXPECT(heist_worker_number() == -1); /* the thread that forked is no worker in the child */
    EXPECT(heist_current_pool() == NULL);
    return FINE;
}

static int use_from_task(void *pool)
{
    int line = outside_now(pool);
    if (line != FINE) return line;
    line = use(pool);
    return line != FINE ? line : use(NULL);
}

static int make_from_task(void *pool)
{
    (void)pool;
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    return use_and_free(heist_pool_new(&options));
}

static atomic_int task_children_wrong;

static void fork_in_task(void *pool)
{
    child_body *const bodies[] = {use_nothing, outside_now, use_from_task, use_and_free, make_from_task};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        int status = in_child(bodies[i], pool);
        if (status == FINE) continue;
        printf("child %zu of a task: status %d\n", i, status);
        atomic_fetch_add(&task_children_wrong, 1);
    }
}

HEIST_TASK(long, fib_that_forks, int, n, int, fork_at, heist_pool *, pool)
{
    if (n == fork_at) fork_in_task(pool);
    if (n < 2) return n;
    HEIST_SPAWN(left, fib_that_forks, n - 1, fork_at, pool);
    long right = HEIST_CALL(fib_that_forks, n - 2, -1, pool);
    return HEIST_SYNC(left) + right;
}

static void a_task_may_fork(void)
{
    atomic_store(&task_children_wrong, 0);
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(3, *mode);
        TEST_ASSERT_EQUAL_INT(0, heist_run(pool, fork_in_task, pool));
        /* in the middle of a computation, with children in the deque and thieves about: the parent's result is right */
        TEST_ASSERT_EQUAL(610, HEIST_RUN(pool, fib_that_forks, 15, 10, pool));
        TEST_ASSERT_EQUAL_INT(FINE, use(pool));
        free_pool(pool);
    }
    TEST_ASSERT_EQUAL_INT(0, heist_run(NULL, fork_in_task, NULL)); /* NULL is the default pool in the child as well */
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&task_children_wrong));
}

/* ---- from inside a loop, a scope, a detached task ---- */

typedef struct {
    heist_pool *pool;
    atomic_int wrong, done;
} forks;

static void fork_once(forks *f)
{
    if (in_child(use_and_free, f->pool) != FINE) atomic_fetch_add(&f->wrong, 1);
    atomic_fetch_add(&f->done, 1);
}

static int fork_in_loop(heist_range part, void *context)
{
    HEIST_EACH(i, part)
    {
        if (i % 100 == 50) fork_once(context);
    }
    return 0;
}

static void fork_detached(void *context)
{
    fork_once(context);
}

static void fork_in_scope(void *context)
{
    heist_scope scope;
    if (heist_scope_begin(&scope, NULL) != 0) return;
    for (int i = 0; i < 4; i++) heist_spawn(&scope, fork_detached, context);
    for (int i = 0; i < 4; i++) heist_detach(&scope, fork_detached, context);
    heist_join(&scope);
    heist_scope_end(&scope);
}

static void every_kind_of_task_may_fork(void)
{
    NOT_BESIDE_SANITIZED_THREADS();
    FOR_BOTH_FENCE_MODES(mode)
    {
        forks f = {.pool = pool_of(3, *mode)};
        for (heist_schedule how = HEIST_SCHEDULE_DEFAULT; how <= HEIST_SCHEDULE_AUTO; how++) {
            heist_loop_options options = HEIST_LOOP_OPTIONS_INIT;
            options.schedule = how;
            options.batch = how == HEIST_SCHEDULE_AUTO ? 0 : 30;
            TEST_ASSERT_EQUAL_INT(0, heist_for(f.pool, heist_upto(400), fork_in_loop, &f, &options));
        }
        TEST_ASSERT_EQUAL_INT(6 * 4, atomic_load(&f.done)); /* each iteration once, in the parent */
        TEST_ASSERT_EQUAL_INT(0, heist_run(f.pool, fork_in_scope, &f));
        TEST_ASSERT_EQUAL_INT(6 * 4 + 8, atomic_load(&f.done));
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&f.wrong));
        TEST_ASSERT_EQUAL_INT(FINE, use(f.pool));
        free_pool(f.pool);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_child_and_the_parent_go_on_with_the_same_pool);
    RUN_TEST(a_child_need_not_use_the_pool_to_free_it);
    RUN_TEST(children_of_children_have_a_pool_too);
    RUN_TEST(many_pools_start_again_each_by_itself);
    RUN_TEST(a_child_may_make_pools_of_its_own);
    RUN_TEST(threads_of_the_child_start_it_once);
    RUN_TEST(the_default_pool_starts_again_too);
    RUN_TEST(the_child_does_not_run_what_waited_in_the_parent);
    RUN_TEST(a_task_may_fork);
    RUN_TEST(every_kind_of_task_may_fork);
    return UNITY_END();
}
