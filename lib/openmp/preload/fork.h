/* fork() after a region. In the child libgomp still takes the threads of its pool to be there, and would wait for them
 * for ever. A thread that has had no region has no pool. So regions of the forking thread, if it has had one, are
 * started from a new thread, the same for all of them, which is given the forking thread's control variables each time.
 * The first thread of such a region is not the caller: threadprivate variables, and other data that belongs to a
 * thread, are the new thread's. libomp starts anew by itself. */
#ifndef HEIST_OPENMP_PRELOAD_FORK_H
#define HEIST_OPENMP_PRELOAD_FORK_H

#include <stdbool.h>

/* This process is a child of fork(). Written by: the fork handler. */
extern bool heist__omp_forked;
/* The calling thread has, or may have, threads that libgomp keeps for its regions. Written by: the thread itself. */
extern __thread bool heist__omp_has_pool __attribute__((tls_model("initial-exec")));

void heist__omp_fork_init(void);
bool heist__omp_stale_pool_slow(void);
/* Calls run(argument) in the thread kept for that, and waits for it. Call from: the thread that was forked. */
void heist__omp_run_in_fork_thread(void (*run)(void *), void *argument);

/* Whether the calling thread's pool in libgomp consists of threads that are not in this process. */
static inline bool heist__omp_stale_pool(void)
{
    return __builtin_expect(heist__omp_forked, 0) && heist__omp_stale_pool_slow();
}

#endif
