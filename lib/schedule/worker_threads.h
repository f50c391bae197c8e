/* schedule/worker_threads.h: the threads of a pool's workers. */
#ifndef HEIST_SCHEDULE_WORKER_THREADS_H
#define HEIST_SCHEDULE_WORKER_THREADS_H

#include <heist/pool.h>

/* Starts a thread for each worker, as many as the system gives. Returns 0 or a negative errno, explained. */
int heist__start_threads(heist_pool *pool);

/* Ends the threads; returns when all have ended. */
void heist__stop_threads(heist_pool *pool);

#endif
