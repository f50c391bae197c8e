/* Nestable locks belong to tasks. The runtimes take their own task, or the thread, for the owner; that is the same for
 * all tasks which a thread runs in heist's regions. So there heist's record of the task is the owner. Each front end
 * has its own layout of a nestable lock: a simple lock of the runtime's, an owner and a count.
 *
 * The owner is written by the thread that holds the lock, and compared by every thread that wants it; only the owner
 * finds itself there. relaxed throughout: the simple lock orders the data that it protects. One of the layouts is
 * libgomp's, so the field is not declared atomic. */
#ifndef HEIST_OPENMP_CORE_NEST_LOCK_H
#define HEIST_OPENMP_CORE_NEST_LOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "openmp/core/lock_depth.h"

/* The owner takes the lock once more. False: `me` is not the owner. */
static inline bool heist__omp_nest_lock_again(void *const *owner, int *count, const void *me)
{
    if (__atomic_load_n(owner, __ATOMIC_RELAXED) != me) return false;
    ++*count;
    return true;
}

/* The simple lock was taken for `me`. Returns the count. */
static inline int heist__omp_nest_lock_taken(void **owner, int *count, void *me)
{
    __atomic_store_n(owner, me, __ATOMIC_RELAXED);
    heist__omp_lock_taken();
    return *count = 1;
}

/* The owner gives the lock back once. True: that was the last time; the caller gives the simple lock back, and then
 * calls heist__omp_lock_given_back. */
static inline bool heist__omp_nest_lock_over(void **owner, int *count)
{
    if (--*count > 0) return false;
    __atomic_store_n(owner, NULL, __ATOMIC_RELAXED);
    return true;
}

#endif
