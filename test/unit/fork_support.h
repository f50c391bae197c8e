/* fork_support.h: shared by the tests of fork: children with an alarm, so that one that hangs is killed and the test
 * fails; and a pool that is used in every way. ThreadSanitizer cannot start threads in the child of a process with
 * threads: under it all these tests are ignored. */
#ifndef FORK_SUPPORT_H
#define FORK_SUPPORT_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heist/heist.h>

#include "quiet_fork.h"
#include "support.h"
#include "unity.h"

#define NOT_BESIDE_SANITIZED_THREADS()                                                                                 \
    if (SANITIZED) TEST_IGNORE_MESSAGE("the sanitizer's own locks do not survive a fork beside other threads")

/* ---- children ---- */

enum { FINE = 0, ALARM_S = 20 };

/* In a child: the line of the first check that failed is its exit status (modulo 256, and never 0). */
#define EXPECT(good)                                                                                                   \
    do {                                                                                                               \
        if (!(good)) return __LINE__ % 256 ? __LINE__ % 256 : 255;                                                     \
    } while (0)

typedef int child_body(void *argument);

/* Forks; the child gives its body's result as its status. Usable in tasks and in children, too. */
static inline pid_t fork_child(child_body *body, void *argument)
{
    fflush(NULL);
    pid_t child = fork_quietly();
    if (child != 0) return child;
    watchdog_of_child(ALARM_S);
    _exit(body(argument));
}

/* The child's status, or 1000 + the signal that killed it, or -1. */
static inline int status_of(pid_t child)
{
    int status = 0;
    if (child < 0) return -1;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static inline int in_child(child_body *body, void *argument)
{
    return status_of(fork_child(body, argument));
}

/* ---- using a pool in every way ---- */

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

static inline void count_one(void *counter)
{
    atomic_fetch_add((atomic_int *)counter, 1);
}

/* Returns FINE, or which line was wrong. `pool` NULL: the default pool. */
static inline int use(heist_pool *pool)
{
    atomic_int ran = 0;
    heist_scope scope;
    EXPECT(HEIST_RUN(pool, fib, 15) == 610);
    EXPECT(heist_run(pool, count_one, &ran) == 0);
    EXPECT(atomic_load(&ran) == 1);
    for (int i = 0; i < 50; i++) EXPECT(heist_submit(pool, count_one, &ran, HEIST_WAIT) == 0);
    EXPECT(heist_pool_wait(pool) == 0);
    EXPECT(atomic_load(&ran) == 51);
    EXPECT(heist_scope_begin(&scope, pool) == 0);
    for (int i = 0; i < 50; i++) EXPECT(heist_detach(&scope, count_one, &ran) == 0);
    EXPECT(heist_scope_end(&scope) == 0);
    EXPECT(atomic_load(&ran) == 101);
    return FINE;
}

static inline int use_and_free(void *pool)
{
    unsigned workers = heist_pool_workers(pool);
    int line = use(pool);
    if (line != FINE) return line;
    EXPECT(heist_pool_workers(pool) == workers);
    EXPECT(heist_pool_free(pool) == 0);
    return FINE;
}

static inline int only_free(void *pool)
{
    EXPECT(heist_pool_free(pool) == 0);
    return FINE;
}

static inline int use_nothing(void *unused)
{
    (void)unused;
    return FINE;
}

/* A pool that the child makes is its own, and the parent's pool starts again beside it. */
static inline int make_another(void *pool)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    heist_pool *another = heist_pool_new(&options);
    EXPECT(another != NULL);
    int line = use(another);
    if (line != FINE) return line;
    line = use(pool);
    if (line != FINE) return line;
    EXPECT(heist_pool_free(pool) == 0);
    return use_and_free(another);
}

/* Two threads of the child come to the forked pool at once: it starts once. */
static inline void *use_in_thread(void *pool)
{
    return (void *)(intptr_t)use(pool);
}

static inline int use_default(void *unused)
{
    (void)unused;
    return use(NULL);
}

#endif
