/* fork() while other threads submit, wait, make and free pools, start them again, or write statistics: no
 * thread is disturbed, and none hangs. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ---- while other threads are about ---- */

static atomic_bool stop;
static atomic_int thread_failures;

typedef struct {
    heist_pool *pool;
    pthread_t threads[4];
    atomic_size_t ran, detached_ran;
} crowd;

static void count_detached(void *argument)
{
    crowd *c = argument;
    atomic_fetch_add(&c->detached_ran, 1);
}

static void count_submitted(void *argument)
{
    crowd *c = argument;
    atomic_fetch_add(&c->ran, 1);
    if (heist_detach(NULL, count_detached, c) != 0) atomic_fetch_add(&thread_failures, 1);
}

static void *submit_on_and_on(void *argument)
{
    crowd *c = argument;
    size_t mine = 0;
    while (!atomic_load(&stop)) {
        if (heist_submit(c->pool, count_submitted, c, HEIST_WAIT) == 0) mine++;
        if (heist_submit(c->pool, count_submitted, c, HEIST_DO_NOT_WAIT) == 0) mine++;
    }
    return (void *)mine;
}

static void *run_on_and_on(void *argument)
{
    crowd *c = argument;
    while (!atomic_load(&stop)) {
        if (HEIST_RUN(c->pool, fib, 10) != 55) atomic_fetch_add(&thread_failures, 1);
    }
    return NULL;
}

static void forking_while_others_submit_disturbs_nobody(void)
{
    NOT_BESIDE_SANITIZED_THREADS();
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_options options = HEIST_OPTIONS_INIT;
        options.workers = 3;
        options.inbox = 16;
        options.fences = *mode;
        crowd c = {.pool = heist_pool_new(&options)};
        TEST_ASSERT_NOT_NULL(c.pool);
        atomic_store(&stop, false);
        atomic_store(&thread_failures, 0);
        for (int i = 0; i < 4; i++) pthread_create(&c.threads[i], NULL, i < 2 ? submit_on_and_on : run_on_and_on, &c);
        int failed = FINE;
        for (int round = test_scale(30); round > 0 && failed == FINE; round--) {
            failed = in_child(round % 3 ? use_and_free : only_free, c.pool);
        }
        atomic_store(&stop, true);
        size_t accepted = 0;
        for (int i = 0; i < 4; i++) {
            void *mine = NULL;
            pthread_join(c.threads[i], &mine);
            accepted += (size_t)mine;
        }
        free_pool(c.pool);
        TEST_ASSERT_EQUAL_INT(FINE, failed);
        TEST_ASSERT_EQUAL_size_t(accepted, atomic_load(&c.ran));
        TEST_ASSERT_EQUAL_size_t(accepted, atomic_load(&c.detached_ran));
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&thread_failures));
    }
}

static void *wait_on_and_on(void *argument)
{
    crowd *c = argument;
    while (!atomic_load(&stop)) {
        if (heist_submit(c->pool, count_detached, c, HEIST_WAIT) != 0 || heist_pool_wait(c->pool) != 0)
            atomic_fetch_add(&thread_failures, 1);
    }
    return NULL;
}

/* fork() holds the list of waiters for a moment, and a thread that finishes a task just then cannot tell them. */
static void forking_beside_waiters_keeps_nobody_waiting(void)
{
    NOT_BESIDE_SANITIZED_THREADS();
    crowd c = {.pool = pool_of(2, HEIST_FENCES_DEFAULT)};
    pthread_t threads[2];
    atomic_store(&stop, false);
    atomic_store(&thread_failures, 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, wait_on_and_on, &c);
    int failed = FINE;
    for (int round = test_scale(300); round > 0 && failed == FINE; round--) failed = in_child(use_nothing, NULL);
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    free_pool(c.pool);
    TEST_ASSERT_EQUAL_INT(FINE, failed);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&thread_failures));
}

static void *make_on_and_on(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop)) {
        heist_options options = HEIST_OPTIONS_INIT;
        options.workers = 2;
        heist_pool *pool = heist_pool_new(&options);
        bool right = pool && HEIST_RUN(pool, fib, 10) == 55 && heist_pool_free(pool) == 0;
        if (!right) atomic_fetch_add(&thread_failures, 1);
    }
    return NULL;
}

static void forking_while_others_make_and_free_pools_disturbs_nobody(void)
{
    NOT_BESIDE_SANITIZED_THREADS();
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    pthread_t threads[2];
    atomic_store(&stop, false);
    atomic_store(&thread_failures, 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, make_on_and_on, NULL);
    int failed = FINE;
    for (int round = test_scale(40); round > 0 && failed == FINE; round--) failed = in_child(make_another, pool);
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    free_pool(pool);
    TEST_ASSERT_EQUAL_INT(FINE, failed);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&thread_failures));
}

/* In a process that has no default pool yet: one thread makes it while another forks, at a different moment each
 * time. */
static void *make_default(void *unused)
{
    (void)unused;
    return heist_default_pool();
}

static int fork_while_it_is_made(void *delay)
{
    pthread_t maker;
    EXPECT(pthread_create(&maker, NULL, make_default, NULL) == 0);
    sleep_us(*(unsigned *)delay);
    int status = in_child(use_default, NULL);
    EXPECT(pthread_join(maker, NULL) == 0);
    if (status != FINE) return status > 255 ? 255 : status;
    return use(NULL);
}

static void forking_while_the_default_pool_is_made_hangs_nobody(void)
{
    NOT_BESIDE_SANITIZED_THREADS();
    for (unsigned round = 0; round < test_scale(30u); round++) {
        unsigned delay = round * 50;
        TEST_ASSERT_EQUAL_INT(FINE, in_child(fork_while_it_is_made, &delay));
    }
}

/* The same with a pool that starts again in a child while that child forks. */
typedef struct {
    heist_pool *pool;
    unsigned delay;
} restart;

static int fork_while_it_restarts(void *argument)
{
    restart *r = argument;
    pthread_t user;
    void *line = NULL;
    EXPECT(pthread_create(&user, NULL, use_in_thread, r->pool) == 0);
    sleep_us(r->delay);
    int status = in_child(use_and_free, r->pool);
    EXPECT(pthread_join(user, &line) == 0);
    if (line) return (int)(intptr_t)line;
    return status > 255 ? 255 : status;
}

static void forking_while_a_pool_restarts_hangs_nobody(void)
{
    NOT_BESIDE_SANITIZED_THREADS();
    heist_pool *pool = pool_of(4, HEIST_FENCES_DEFAULT);
    for (unsigned round = 0; round < test_scale(30u); round++) {
        restart r = {pool, round * 20};
        TEST_ASSERT_EQUAL_INT(FINE, in_child(fork_while_it_restarts, &r));
    }
    free_pool(pool);
}

/* HEIST_STATS has a file that pools write when they end. Each process writes it for its first pools only, so there are
 * many processes. */
static int make_and_free(void *unused)
{
    (void)unused;
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1;
    heist_pool *pool = heist_pool_new(&options);
    EXPECT(pool != NULL);
    EXPECT(heist_pool_free(pool) == 0);
    return FINE;
}

static void *make_some(void *unused)
{
    for (int i = 0; i < 30; i++) {
        if (make_and_free(unused) != FINE) return &stop;
    }
    return NULL;
}

static int fork_while_statistics_are_written(void *unused)
{
    pthread_t maker;
    void *failed;
    int status = FINE;
    EXPECT(pthread_create(&maker, NULL, make_some, NULL) == 0);
    for (int i = 0; i < 15 && status == FINE; i++) status = in_child(make_and_free, unused);
    EXPECT(pthread_join(maker, &failed) == 0);
    EXPECT(!failed);
    return status > 255 ? 255 : status;
}

static void forking_while_statistics_are_written_hangs_nobody(void)
{
    NOT_BESIDE_SANITIZED_THREADS();
    char file[64];
    snprintf(file, sizeof file, "/tmp/heist-fork-%ld.json", (long)getpid());
    setenv("HEIST_STATS", file, 1);
    int failed = FINE;
    for (int round = test_scale(4); round > 0 && failed == FINE; round--)
        failed = in_child(fork_while_statistics_are_written, NULL);
    unsetenv("HEIST_STATS");
    const int written = unlink(file);
    TEST_ASSERT_EQUAL_INT(FINE, failed);
    TEST_ASSERT_EQUAL_INT(0, written);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(forking_while_the_default_pool_is_made_hangs_nobody); /* first: this process has none yet */
    RUN_TEST(forking_while_others_submit_disturbs_nobody);
    RUN_TEST(forking_beside_waiters_keeps_nobody_waiting);
    RUN_TEST(forking_while_others_make_and_free_pools_disturbs_nobody);
    RUN_TEST(forking_while_a_pool_restarts_hangs_nobody);
    RUN_TEST(forking_while_statistics_are_written_hangs_nobody);
    return UNITY_END();
}
