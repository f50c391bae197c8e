/* Futures around fork(): the child is told which futures are its parent's, and goes on. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include <heist/heist.h>

#include "fork_support.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

static int wait_in_child(void *future)
{
    EXPECT(heist_future_wait(future) == -ECANCELED);
    EXPECT(heist_future_wait_until(future, 0) == -ECANCELED);
    EXPECT(heist_future_drop(future) == 0);
    EXPECT(HEIST_AWAIT(HEIST_ASYNC(NULL, fib, 10), fib) == 55);
    return FINE;
}

static int read_in_child(void *future)
{
    EXPECT(heist_future_wait(future) == 0);
    EXPECT(HEIST_RESULT(future, fib) == 55);
    return FINE;
}

static void a_forked_child_is_told_that_a_future_is_its_parents(void)
{
    NOT_BESIDE_SANITIZED_THREADS();
    heist_promise *never = heist_promise_new(NULL);
    heist_future *f = heist_promise_future(never), *done = HEIST_ASYNC(NULL, fib, 10);
    TEST_ASSERT_EQUAL_INT(0, heist_future_wait(done));
    TEST_ASSERT_EQUAL_INT(FINE, in_child(wait_in_child, f));
    TEST_ASSERT_EQUAL_INT(FINE, in_child(read_in_child, done));
    heist_future_drop(done);
    heist_promise_drop(never);
    TEST_ASSERT_EQUAL_INT(-ECANCELED, heist_await(f, NULL));
}

/* The task forks, and the child returns from it, into the wait of the thread from outside that ran it in a seat. */
static heist_pool *fork_pool;
static pthread_t waiter;

static void *forks(void *unused)
{
    (void)unused;
    if (!pthread_equal(pthread_self(), waiter)) return (void *)(intptr_t)-1; /* the worker was faster */
    fflush(NULL);
    const pid_t child = fork_quietly();
    if (child == 0) {
        watchdog_of_child(ALARM_S);
        if (HEIST_RUN(fork_pool, fib, 10) != 55) _exit(2); /* the pool begins anew */
    }
    return (void *)(intptr_t)child;
}

static int go_on_in_child(void)
{
    EXPECT(HEIST_AWAIT(HEIST_ASYNC(fork_pool, fib, 10), fib) == 55);
    EXPECT(heist_pool_free(fork_pool) == 0);
    return FINE;
}

static void the_child_of_a_future_that_forks_goes_on(void)
{
    NOT_BESIDE_SANITIZED_THREADS();
    const pid_t parent = getpid();
    int forked = 0;
    waiter = pthread_self();
    fork_pool = pool_of(2, HEIST_FENCES_DEFAULT);
    for (int i = 0; i < 1000 && forked < 5; i++) {
        void *child = NULL;
        const int error = heist_await(heist_async(fork_pool, forks, NULL, NULL), &child);
        if (getpid() != parent) _exit(error ? 3 : go_on_in_child());
        TEST_ASSERT_EQUAL_INT(0, error);
        if ((intptr_t)child == -1) continue;
        TEST_ASSERT_EQUAL_INT(FINE, status_of((pid_t)(intptr_t)child));
        forked++;
    }
    free_pool(fork_pool);
    if (!forked) TEST_IGNORE_MESSAGE("no task ran in a seat");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_forked_child_is_told_that_a_future_is_its_parents);
    RUN_TEST(the_child_of_a_future_that_forks_goes_on);
    return UNITY_END();
}
