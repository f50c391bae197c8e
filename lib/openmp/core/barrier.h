/* The barrier of a team: it opens when all threads are in it and no task is left anywhere.
 *
 *   B1: a thread that checks whether all is done reads how many threads have arrived, then all counts of finished
 *       tasks, then all counts of created tasks. Equal sums, with all threads here, mean that no task was left at some
 *       moment in between, and that no thread is left that could create more. Only threads that have nothing else to do
 *       pay for the check.
 *   B2: a thread's work before the barrier is visible to every thread after it. */
#ifndef HEIST_OPENMP_CORE_BARRIER_H
#define HEIST_OPENMP_CORE_BARRIER_H

#include "openmp/core/slot.h"

typedef enum { HEIST__BARRIER_WITHIN, HEIST__BARRIER_END } heist__omp_barrier_kind;

/* Waits until all threads are here and no task is left. True: the region was cancelled, and this barrier is not its
 * end. */
bool heist__omp_barrier(heist__omp_slot *self, heist__omp_barrier_kind kind);

#endif
