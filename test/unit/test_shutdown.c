/* The end of pools: drained or cancelled with exact counts, closed under fire, in any order, from the wrong place, a
 * thousand times, and by exit() in the middle of a task. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <heist/heist.h>

#include "quiet_fork.h"
#include "schedule/pool.h"
#include "support.h"
#include "test_scale.h"
#include "unity.h"

static atomic_int wrong;
#define CHECK(good) ((good) ? (void)0 : (void)atomic_fetch_add(&wrong, 1))

static atomic_size_t ran, accepted;

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
    atomic_store(&ran, 0);
    atomic_store(&accepted, 0);
}

void tearDown(void)
{
    alarm(0);
}

static void count_one(void *unused)
{
    (void)unused;
    atomic_fetch_add_explicit(&ran, 1, memory_order_relaxed);
}

static void give(heist_pool *pool, heist_function *function, void *argument)
{
    CHECK(heist_submit(pool, function, argument, HEIST_WAIT) == 0);
    atomic_fetch_add(&accepted, 1);
}

/* ---- draining ---- */

/* Counts itself and makes a tree below it, by submission and by detaching. */
static void tree(void *depth)
{
    intptr_t d = (intptr_t)depth;
    count_one(NULL);
    if (d == 0) return;
    give(NULL, tree, (void *)(d - 1));
    CHECK(heist_detach(NULL, tree, (void *)(d - 1)) == 0);
    atomic_fetch_add(&accepted, 1);
}

static void a_drained_pool_has_run_everything(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned round = test_scale(30u); round > 0; round--) {
            atomic_store(&ran, 0);
            heist_pool *pool = pool_of(1 + round % 4, *mode);
            for (int i = 0; i < 5; i++) give(pool, tree, (void *)(intptr_t)6);
            size_t cancelled = 99;
            TEST_ASSERT_EQUAL_INT(0, heist_pool_shutdown(pool, HEIST_DRAIN, &cancelled));
            TEST_ASSERT_EQUAL_size_t(5 * 127, atomic_load(&ran));
            TEST_ASSERT_EQUAL_size_t(0, cancelled);
            TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        }
    }
}

/* Tasks that run when the pool is closed go on to spawn; only outsiders are turned away. */
typedef struct {
    sem_t begun, go;
} gate;

static void gate_make(gate *g)
{
    sem_init(&g->begun, 0, 0);
    sem_init(&g->go, 0, 0);
}

static void pass(gate *g)
{
    sem_post(&g->begun);
    while (sem_wait(&g->go) != 0) {
    }
}

static void pass_then_spawn(void *g)
{
    pass(g);
    tree((void *)(intptr_t)5);
}

static void a_closed_pool_lets_its_own_tasks_spawn(void)
{
    gate g;
    gate_make(&g);
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    give(pool, pass_then_spawn, &g);
    while (sem_wait(&g.begun) != 0) {
    }
    TEST_ASSERT_EQUAL_INT(0, heist_pool_close(pool));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_close(pool)); /* twice is as good as once */
    TEST_ASSERT_EQUAL_INT(-ESHUTDOWN, heist_submit(pool, count_one, NULL, HEIST_WAIT));
    heist_scope scope;
    TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&scope, pool));
    TEST_ASSERT_EQUAL_INT(-ESHUTDOWN, heist_detach(&scope, count_one, NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    sem_post(&g.go);
    free_pool(pool);
    TEST_ASSERT_EQUAL_size_t(63, atomic_load(&ran));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

/* ---- cancelling ---- */

static void *open_soon(void *g)
{
    sleep_us(2000); /* let the shutdown begin; if it has not, nothing is dropped and the sum is right all the same */
    sem_post(&((gate *)g)->go);
    return NULL;
}

static void cancelling_counts_exactly_what_it_drops(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        size_t dropped = 0;
        for (int round = test_scale(20); round > 0; round--) {
            gate g;
            pthread_t opener;
            gate_make(&g);
            atomic_store(&ran, 0);
            atomic_store(&accepted, 0);
            heist_pool *pool = pool_of(2, *mode);
            give(pool, pass_then_spawn, &g);
            while (sem_wait(&g.begun) != 0) {
            }
            for (int i = 0; i < 200; i++) give(pool, tree, (void *)(intptr_t)3);
            pthread_create(&opener, NULL, open_soon, &g);
            size_t cancelled = 0;
            TEST_ASSERT_EQUAL_INT(0, heist_pool_shutdown(pool, HEIST_CANCEL, &cancelled));
            pthread_join(opener, NULL);
            /* pass_then_spawn counts once, in its tree */
            TEST_ASSERT_EQUAL_size_t(atomic_load(&accepted), atomic_load(&ran) + cancelled);
            TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
            dropped += cancelled;
        }
        TEST_ASSERT_TRUE_MESSAGE(dropped > 0, "nothing was ever dropped: this tested nothing");
    }
}

HEIST_TASK(long, answer, int, n)
{
    count_one(NULL);
    return 42 + n;
}

/* A thread in the middle of a run. */
typedef struct {
    heist_pool *pool;
    atomic_int thread; /* the system's number */
    int error;
    long result;
} runner;

static void *run_plain(void *argument)
{
    runner *r = argument;
    atomic_store(&r->thread, gettid());
    r->error = heist_run(r->pool, count_one, NULL);
    return NULL;
}

static void *run_typed(void *argument)
{
    runner *r = argument;
    atomic_store(&r->thread, gettid());
    r->result = HEIST_RUN(r->pool, answer, 1);
    return NULL;
}

/* Waits until the runner sleeps: its task is then in the inbox, and it has nothing more to do with the pool. */
static void let_it_submit(runner *r)
{
    char path[64], state = 0;
    while (atomic_load(&r->thread) == 0) sched_yield();
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&r->thread));
    while (state != 'S') {
        sleep_us(1000);
        FILE *file = fopen(path, "r");
        if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 0;
        if (file) fclose(file);
    }
}

static void hold(void *g)
{
    pass(g);
}

static void a_cancelled_run_says_so_and_a_typed_one_still_has_a_result(void)
{
    gate g;
    pthread_t threads[2], opener;
    gate_make(&g);
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, hold, &g, HEIST_WAIT));
    while (sem_wait(&g.begun) != 0) {
    }
    runner plain = {.pool = pool, .error = 1}, typed = {.pool = pool};
    pthread_create(&threads[0], NULL, run_plain, &plain);
    pthread_create(&threads[1], NULL, run_typed, &typed);
    let_it_submit(&plain);
    let_it_submit(&typed);
    pthread_create(&opener, NULL, open_soon, &g);
    size_t cancelled = 0;
    TEST_ASSERT_EQUAL_INT(0, heist_pool_shutdown(pool, HEIST_CANCEL, &cancelled));
    pthread_join(opener, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    /* Both were dropped, unless the gate was open before the shutdown began. */
    if (cancelled == 2) TEST_ASSERT_EQUAL_INT(-ECANCELED, plain.error);
    TEST_ASSERT_TRUE(plain.error == 0 || plain.error == -ECANCELED);
    TEST_ASSERT_EQUAL(43, typed.result);
    TEST_ASSERT_EQUAL_size_t(1 + (plain.error == 0), atomic_load(&ran));
}

static atomic_int scope_end;

/* Held up until the pool is being cancelled, then it waits for tasks that will not run. */
static void wait_for_dropped(void *g)
{
    heist_scope scope;
    CHECK(heist_scope_begin(&scope, NULL) == 0);
    for (int i = 0; i < 10; i++) CHECK(heist_detach(&scope, count_one, NULL) == 0);
    pass(g);
    atomic_store(&scope_end, heist_scope_end(&scope));
    CHECK(scope.core == NULL);
}

static void what_a_scope_loses_by_cancelling_does_not_keep_it_waiting(void)
{
    gate g;
    pthread_t opener;
    gate_make(&g);
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, wait_for_dropped, &g, HEIST_WAIT));
    while (sem_wait(&g.begun) != 0) {
    }
    pthread_create(&opener, NULL, open_soon, &g);
    size_t cancelled = 0;
    TEST_ASSERT_EQUAL_INT(0, heist_pool_shutdown(pool, HEIST_CANCEL, &cancelled));
    pthread_join(opener, NULL);
    TEST_ASSERT_EQUAL_size_t(10, atomic_load(&ran) + cancelled);
    TEST_ASSERT_EQUAL_INT(cancelled ? -ECANCELED : 0, atomic_load(&scope_end));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

/* ---- closing under fire ---- */

static atomic_bool closed;

static void *submit_until_told(void *pool)
{
    int error = 0;
    size_t mine = 0;
    while (!error) {
        error = heist_submit(pool, tree, (void *)(intptr_t)1, HEIST_WAIT);
        mine += error == 0;
    }
    CHECK(error == -ESHUTDOWN);
    CHECK(atomic_load(&closed)); /* not before */
    atomic_fetch_add(&accepted, mine);
    return NULL;
}

static void closing_beside_submitters_loses_nothing(void)
{
    enum { THREADS = 4 };
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (int round = test_scale(60); round > 0; round--) {
            heist_options options = HEIST_OPTIONS_INIT;
            options.workers = 2;
            options.inbox = round % 2 ? 2 : 64;
            options.fences = *mode;
            heist_pool *pool = heist_pool_new(&options);
            TEST_ASSERT_NOT_NULL(pool);
            pthread_t threads[THREADS];
            atomic_store(&closed, false);
            atomic_store(&ran, 0);
            atomic_store(&accepted, 0);
            for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, submit_until_told, pool);
            sleep_us((unsigned)(round % 5) * 200);
            atomic_store(&closed, true);
            TEST_ASSERT_EQUAL_INT(0, heist_pool_close(pool));
            for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
            free_pool(pool);
            /* accepted has the roots, and what the roots spawned (tree counts those) */
            TEST_ASSERT_EQUAL_size_t(atomic_load(&accepted), atomic_load(&ran));
            TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        }
    }
}

/* ---- orders and places ---- */

/* A thread outside that waits. */
typedef struct {
    heist_pool *pool;
    heist_scope *scope; /* NULL: for the pool */
    int error;
} waiter;

static void *wait_outside(void *argument)
{
    waiter *w = argument;
    w->error = w->scope ? heist_scope_wait(w->scope) : heist_pool_wait(w->pool);
    return NULL;
}

typedef struct {
    heist_pool *pool;
    gate g;
} cancellation;

/* Lets the task go that holds the pool up, when the pool drops what it has not begun. */
static void *open_when_cancelling(void *argument)
{
    cancellation *c = argument;
    while (heist__load_acquire(&c->pool->state) != HEIST__POOL_CANCELLING) sched_yield();
    sem_post(&c->g.go);
    return NULL;
}

static void a_waiter_outside_is_told_of_dropped_tasks(void)
{
    for (int round = test_scale(50); round > 0; round--) {
        heist_scope scope, none;
        pthread_t threads[3], opener;
        heist_pool *pool = pool_of(1, both_fence_modes[round % 2]);
        cancellation c = {.pool = pool};
        gate_make(&c.g);
        TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, hold, &c.g, HEIST_WAIT));
        while (sem_wait(&c.g.begun) != 0) {
        }
        TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&scope, pool));
        TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&none, pool));
        for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL_INT(0, heist_detach(&scope, count_one, NULL));
        TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&none));
        waiter waiters[3] = {{pool, &scope, 1}, {pool, &scope, 1}, {pool, NULL, 1}};
        for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, wait_outside, &waiters[i]);
        while (heist__load_acquire(&pool->waiters.waiting) < 3) sched_yield();
        pthread_create(&opener, NULL, open_when_cancelling, &c);
        size_t cancelled = 0;
        TEST_ASSERT_EQUAL_INT(0, heist_pool_shutdown(pool, HEIST_CANCEL, &cancelled));
        pthread_join(opener, NULL);
        TEST_ASSERT_EQUAL_size_t(3, cancelled);
        for (int i = 0; i < 3; i++) {
            pthread_join(threads[i], NULL);
            TEST_ASSERT_EQUAL_INT(-ECANCELED, waiters[i].error);
        }
        TEST_ASSERT_EQUAL_INT(-ECANCELED, heist_scope_wait(&scope)); /* the pool is gone; the scope remembers */
        TEST_ASSERT_EQUAL_INT(-ECANCELED, heist_scope_end(&scope));
        TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope)); /* it has ended */
    }
}

static void pools_end_in_any_order(void)
{
    enum { POOLS = 3 };
    static const int orders[][POOLS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        heist_pool *pools[POOLS];
        atomic_store(&ran, 0);
        for (int i = 0; i < POOLS; i++) pools[i] = pool_of(1 + (unsigned)i, HEIST_FENCES_DEFAULT);
        for (int i = 0; i < POOLS; i++) give(pools[i], tree, (void *)(intptr_t)5);
        for (int i = 0; i < POOLS; i++) {
            heist_pool *pool = pools[orders[o][i]];
            TEST_ASSERT_EQUAL_INT(0, heist_run(pool, count_one, NULL)); /* still alive after the others' end */
            free_pool(pool);
        }
        TEST_ASSERT_EQUAL_size_t(3 * 63 + 3, atomic_load(&ran));
    }
}

static void free_own_pool(void *pool)
{
    size_t cancelled = 99;
    CHECK(heist_pool_free(pool) == -EDEADLK);
    CHECK(heist_pool_shutdown(pool, HEIST_CANCEL, &cancelled) == -EDEADLK);
    CHECK(cancelled == 0);
    CHECK(heist_explain()[0] != '\0');
    CHECK(heist_submit(pool, count_one, NULL, HEIST_WAIT) == 0); /* it lives on */
}

HEIST_VOID_TASK(free_own_pool_below, int, depth, heist_pool *, pool)
{
    if (depth == 0) {
        free_own_pool(pool);
        return;
    }
    HEIST_SPAWN(left, free_own_pool_below, depth - 1, pool);
    HEIST_CALL(free_own_pool_below, depth - 1, pool);
    HEIST_SYNC(left);
}

static void a_task_is_told_that_it_cannot_end_its_own_pool(void)
{
    heist_pool *pool = pool_of(3, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, free_own_pool, pool));
    HEIST_RUN(pool, free_own_pool_below, 5, pool);                             /* from stolen children, too */
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, count_one, NULL, HEIST_WAIT)); /* it was not closed on the way */
    free_pool(pool);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    TEST_ASSERT_EQUAL_size_t(34, atomic_load(&ran));
}

static void free_the_other(void *other)
{
    CHECK(heist_submit(other, tree, (void *)(intptr_t)4, HEIST_WAIT) == 0);
    CHECK(heist_pool_free(other) == 0);
    CHECK(atomic_load(&ran) == 31);
}

static void a_task_of_one_pool_may_end_another(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT), *other = pool_of(2, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, free_the_other, other));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

static void mistakes_are_told(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_pool_shutdown(NULL, HEIST_DRAIN, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_pool_shutdown(pool, (heist_shutdown)7, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_pool_close(NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_free(NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, count_one, NULL)); /* the bad shutdown has not closed it */
    free_pool(pool);
}

/* ---- again and again ---- */

static long resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void make_and_free(unsigned times, bool use)
{
    for (unsigned i = 0; i < times; i++) {
        heist_pool *pool = pool_of(1 + i % 3, i % 2 ? HEIST_FENCES_THIEF : HEIST_FENCES_BOTH);
        if (use && i % 4 == 0) give(pool, tree, (void *)(intptr_t)5);
        free_pool(pool);
    }
}

/* Right after its making a pool's workers may not even have looked for work yet. */
static void a_thousand_pools_leave_nothing_behind(void)
{
    make_and_free(test_scale(100u), true);
    long before = resident_kib();
    make_and_free(test_scale(900u), true);
    long grown = resident_kib() - before;
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    /* One leaked page a pool would be 3600 KiB. The sanitizers keep freed memory, and find leaks by themselves. */
    if (!SANITIZED) TEST_ASSERT_LESS_THAN(3000, grown);
}

/* ---- exit() ---- */

/* Of the leak checker, where there is one. A pool whose own task calls exit() cannot be freed, and that is no leak. */
void __lsan_disable(void) __attribute__((weak));

/* Runs `body` in a child process, which is to end by itself; returns its status as waitpid does. */
static int in_child(void (*body)(void))
{
    fflush(NULL);
    pid_t child = fork_quietly();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0) {
        watchdog_of_child(20);
        if (__lsan_disable) __lsan_disable();
        body();
        _exit(100); /* `body` was to end the process */
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static void exit_in_task(void *unused)
{
    (void)unused;
    exit(7);
}

static heist_function *volatile leave = exit_in_task; /* the compiler is not to know that it does not return */

static void exit_in_a_task_of_the_default_pool(void)
{
    heist_run(NULL, count_one, NULL);
    heist_run(NULL, exit_in_task, NULL);
}

HEIST_VOID_TASK(exit_below, int, depth)
{
    if (depth == 0) {
        leave(NULL);
        return;
    }
    HEIST_SPAWN(left, exit_below, depth - 1);
    HEIST_CALL(exit_below, depth - 1);
    HEIST_SYNC(left);
}

static void exit_in_a_child_of_the_default_pool(void)
{
    for (int i = 0; i < 100; i++) heist_submit(NULL, count_one, NULL, HEIST_WAIT);
    HEIST_RUN(NULL, exit_below, 6);
}

static void exit_in_a_task_of_another_pool(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    heist_pool *pool = heist_pool_new(&options);
    heist_run(NULL, count_one, NULL);
    heist_run(pool, exit_in_task, NULL);
}

static int pipe_ends[2];

static void write_a_byte(void *unused)
{
    (void)unused;
    if (write(pipe_ends[1], "x", 1) != 1) _exit(101);
}

static void exit_with_tasks_waiting(void)
{
    for (int i = 0; i < 100; i++) heist_submit(NULL, write_a_byte, NULL, HEIST_WAIT);
    exit(7);
}

static void exits_with_seven(void (*body)(void))
{
    int status = in_child(body);
    TEST_ASSERT_TRUE_MESSAGE(WIFEXITED(status), "the child was killed, by its alarm perhaps");
    TEST_ASSERT_EQUAL_INT(7, WEXITSTATUS(status));
}

static void exit_comes_to_an_end_wherever_it_is_called(void)
{
    for (int round = 0; round < 5; round++) {
        exits_with_seven(exit_in_a_task_of_the_default_pool);
        exits_with_seven(exit_in_a_child_of_the_default_pool);
        exits_with_seven(exit_in_a_task_of_another_pool);
    }
}

static void what_waits_in_the_default_pool_runs_before_the_end(void)
{
    char bytes[200];
    TEST_ASSERT_EQUAL_INT(0, pipe(pipe_ends));
    exits_with_seven(exit_with_tasks_waiting);
    close(pipe_ends[1]);
    ssize_t length = 0, more;
    while ((more = read(pipe_ends[0], bytes, sizeof bytes)) > 0) length += more;
    close(pipe_ends[0]);
    TEST_ASSERT_EQUAL_INT(100, (int)length);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_drained_pool_has_run_everything);
    RUN_TEST(a_closed_pool_lets_its_own_tasks_spawn);
    RUN_TEST(cancelling_counts_exactly_what_it_drops);
    RUN_TEST(a_cancelled_run_says_so_and_a_typed_one_still_has_a_result);
    RUN_TEST(what_a_scope_loses_by_cancelling_does_not_keep_it_waiting);
    RUN_TEST(closing_beside_submitters_loses_nothing);
    RUN_TEST(a_waiter_outside_is_told_of_dropped_tasks);
    RUN_TEST(pools_end_in_any_order);
    RUN_TEST(a_task_is_told_that_it_cannot_end_its_own_pool);
    RUN_TEST(a_task_of_one_pool_may_end_another);
    RUN_TEST(mistakes_are_told);
    RUN_TEST(a_thousand_pools_leave_nothing_behind);
    RUN_TEST(exit_comes_to_an_end_wherever_it_is_called);
    RUN_TEST(what_waits_in_the_default_pool_runs_before_the_end);
    return UNITY_END();
}
