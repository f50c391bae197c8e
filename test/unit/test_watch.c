/* The watch: a pool whose workers are all blocked while tasks wait is told of, and no other. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include <heist/heist.h>

#include "platform/stack_switch.h"
#include "quiet_fork.h"
#include "schedule/pool.h"
#include "support.h"
#include "unity.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool is_open;
static atomic_int inside, ran;
static atomic_bool enough;

void setUp(void)
{
    watchdog(PATIENCE_S);
    is_open = false;
    atomic_store(&inside, 0);
    atomic_store(&ran, 0);
    atomic_store(&enough, false);
}

void tearDown(void)
{
    alarm(0);
}

/* The shortest watch there is; so all of these take some seconds. */
static heist_pool *watched_pool(unsigned workers)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.name = "stuck";
    options.watch = 1;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    return pool;
}

/* ---- what is said on stderr ---- */

static FILE *said_file;
static int real_stderr;

static void listen(void)
{
    fflush(stderr);
    said_file = tmpfile();
    if (!said_file) abort();
    real_stderr = dup(STDERR_FILENO);
    dup2(fileno(said_file), STDERR_FILENO);
}

static void hear(char said[4096])
{
    fflush(stderr);
    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
    rewind(said_file);
    said[fread(said, 1, 4095, said_file)] = '\0';
    fclose(said_file);
}

/* ---- tasks ---- */

static void wait_for_the_condition(void *unused)
{
    (void)unused;
    atomic_fetch_add(&inside, 1);
    pthread_mutex_lock(&lock);
    while (!is_open) pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&ran, 1);
}

static void open_it(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    is_open = true;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&ran, 1);
}

static void compute(void *unused)
{
    (void)unused;
    atomic_fetch_add(&inside, 1);
    while (!atomic_load(&enough)) {
    }
    atomic_fetch_add(&ran, 1);
}

static void give(heist_pool *pool, heist_function *function, int times)
{
    while (times-- > 0) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, function, NULL, HEIST_WAIT));
}

/* ---- tests ---- */

static void blocked_workers_are_told_of_while_tasks_wait(void)
{
    char said[4096];
    heist_pool *pool = watched_pool(4);
    TEST_ASSERT_EQUAL_STRING(USUAL_NOTES, heist_pool_notes(pool));
    listen();
    give(pool, wait_for_the_condition, 4);
    while (atomic_load(&inside) < 4) sleep_us(1000);
    give(pool, open_it, 3); /* the first of them would end it all, if there were a worker for it */
    while (!strstr(heist_pool_notes(pool), "blocked")) sleep_us(10000);
    sleep_us(2500000); /* nothing has changed: it is not told again */
    const char *notes = heist_pool_notes(pool);
    open_it(NULL);
    heist_pool_wait(pool);
    hear(said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(notes, "all 4 workers of pool stuck are blocked in tasks"), notes);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(notes, "while 3 tasks wait"), notes);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(notes, " (4)"), notes); /* the function, and how many are in it */
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "heist: all 4 workers of pool stuck are blocked"), said);
    TEST_ASSERT_NULL_MESSAGE(strstr(strstr(said, "blocked") + 1, "blocked"), said);
    TEST_ASSERT_EQUAL_INT(8, atomic_load(&ran));
    free_pool(pool);
}

/* A worker that waits for a scope is blocked, too, if the task that it waits for is. */
static void wait_for_a_scope(void *unused)
{
    heist_scope scope;
    if (heist_scope_begin(&scope, NULL) != 0) abort();
    heist_detach(&scope, wait_for_the_condition, unused);
    heist_scope_end(&scope);
}

/* The task of the scope may be run by the worker that waits for the scope, or be stolen by the other one. Then the
 * second submission waits, too. */
static void workers_that_wait_for_blocked_ones_count_as_blocked(void)
{
    char said[4096];
    heist_pool *pool = watched_pool(2);
    listen();
    give(pool, wait_for_a_scope, 1);
    give(pool, wait_for_the_condition, 1);
    while (atomic_load(&inside) < 1) sleep_us(1000);
    give(pool, open_it, 1);
    while (!strstr(heist_pool_notes(pool), "blocked")) sleep_us(10000);
    const char *notes = heist_pool_notes(pool);
    bool one = strstr(notes, "while 1 task waits"), two = strstr(notes, "while 2 tasks wait");
    TEST_ASSERT_TRUE_MESSAGE(one || two, notes);
    open_it(NULL);
    heist_pool_wait(pool);
    hear(said);
    free_pool(pool);
}

/* Nothing is said of a pool in which two tasks do this while others wait. */
static void silent(heist_function *function, int others)
{
    char said[4096];
    heist_pool *pool = watched_pool(2);
    listen();
    give(pool, function, 2);
    while (atomic_load(&inside) < 2) sleep_us(1000);
    give(pool, open_it, others);
    sleep_us(3500000); /* three looks */
    char notes[HEIST__NOTES_SIZE];
    snprintf(notes, sizeof notes, "%s", heist_pool_notes(pool));
    atomic_store(&enough, true);
    open_it(NULL);
    heist_pool_wait(pool);
    hear(said);
    TEST_ASSERT_EQUAL_STRING(USUAL_NOTES, notes);
    TEST_ASSERT_EQUAL_STRING("", said);
    free_pool(pool);
}

static void tasks_that_compute_are_not_told_of(void)
{
    silent(compute, 3);
}

static void blocked_tasks_that_keep_nobody_waiting_are_not_told_of(void)
{
    silent(wait_for_the_condition, 0);
}

/* The home thread of a lent seat uses no CPU: the watch looks at the caller. */
static void *compute_in_a_seat(void *pool)
{
    heist_run(pool, compute, NULL);
    return NULL;
}

static void callers_that_compute_in_a_seat_are_not_told_of(void)
{
    char said[4096];
    heist_pool *pool = watched_pool(1);
    int32_t home = pool->workers[0]->thread_number;
    pthread_t caller;
    listen();
    while (!heist__is_asleep(heist__load_acquire(&pool->workers[0]->sleeper.asleep))) sleep_us(1000);
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&caller, NULL, compute_in_a_seat, pool));
    while (atomic_load(&inside) < 1) sleep_us(1000);
    give(pool, open_it, 2);
    bool lent = heist__load_relaxed(&pool->workers[0]->thread_number) != home;
    sleep_us(3500000); /* three looks */
    atomic_store(&enough, true);
    pthread_join(caller, NULL);
    heist_pool_wait(pool);
    hear(said);
#if HEIST__CAN_SWITCH_STACKS
    TEST_ASSERT_TRUE(lent);
#endif
    (void)lent;
    TEST_ASSERT_EQUAL_STRING(USUAL_NOTES, heist_pool_notes(pool));
    TEST_ASSERT_EQUAL_STRING("", said);
    TEST_ASSERT_EQUAL_INT32(home, pool->workers[0]->thread_number);
    free_pool(pool);
}

static void a_watch_does_not_outlive_its_pool(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    options.watch = 1000000000;
    for (int i = 0; i < 20; i++) {
        heist_pool *pool = heist_pool_new(&options);
        TEST_ASSERT_NOT_NULL(pool);
        TEST_ASSERT_TRUE(pool->watch.running);
        free_pool(pool);
    }
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_FALSE(pool->watch.running); /* nobody asked for one */
    free_pool(pool);
}

#if !defined(__SANITIZE_THREAD__) /* it does not follow a fork of threads */
static void a_forked_child_has_a_watch_of_its_own(void)
{
    heist_pool *pool = watched_pool(2);
    pid_t child = fork_quietly();
    if (child == 0) {
        int before = pool->watch.running;
        if (heist_run(pool, open_it, NULL) != 0) _exit(2);
        if (!before || !pool->watch.running) _exit(3);
        _exit(heist_pool_free(pool) == 0 ? 0 : 4);
    }
    int status = -1;
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    TEST_ASSERT_EQUAL_INT(0, status);
    free_pool(pool);
}
#endif

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(blocked_workers_are_told_of_while_tasks_wait);
    RUN_TEST(workers_that_wait_for_blocked_ones_count_as_blocked);
    RUN_TEST(tasks_that_compute_are_not_told_of);
    RUN_TEST(blocked_tasks_that_keep_nobody_waiting_are_not_told_of);
    RUN_TEST(callers_that_compute_in_a_seat_are_not_told_of);
    RUN_TEST(a_watch_does_not_outlive_its_pool);
#if !defined(__SANITIZE_THREAD__)
    RUN_TEST(a_forked_child_has_a_watch_of_its_own);
#endif
    return UNITY_END();
}
