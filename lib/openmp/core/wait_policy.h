/* How long a waiting thread spins and yields before it sleeps: from the environment, and from the numbers of threads
 * and CPUs. */
#ifndef HEIST_OPENMP_CORE_WAIT_POLICY_H
#define HEIST_OPENMP_CORE_WAIT_POLICY_H

#include "openmp/core/team.h"

/* Sets the team's words that say how its threads wait, for a region of `threads` threads. */
void heist__omp_set_wait_policy(heist__omp_team *team, unsigned threads);
/* Counts the region as `threads` threads, beside those of other regions. */
void heist__omp_count_threads(heist__omp_team *team, int32_t threads);
/* In a child of fork(). */
void heist__omp_wait_policy_after_fork(void);

#endif
