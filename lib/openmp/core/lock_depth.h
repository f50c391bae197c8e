/* How many locks and critical sections a thread is in. A task that is created there must not run at once, however
 * many tasks wait: it may want the same lock, and its creator would wait for itself. So while a thread holds a lock,
 * it takes its deque to be too short. A program that waits for tasks while it holds a lock that they want is wrong by
 * itself.
 *
 * Counted by slot: a lock that was taken before the region, or in another region, and is given back here, is not
 * counted. */
#ifndef HEIST_OPENMP_CORE_LOCK_DEPTH_H
#define HEIST_OPENMP_CORE_LOCK_DEPTH_H

/* The calling thread has taken a lock that others may wait for. */
void heist__omp_lock_taken(void);
/* The calling thread has given such a lock back. */
void heist__omp_lock_given_back(void);

#endif
