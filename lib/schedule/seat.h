/* schedule/seat.h: threads from outside that work in a pool. Such a thread takes the seat of a worker whose own thread
 * sleeps, runs its task there, where thieves can steal from it, and gives the seat back. IDLE.md says how seats are
 * lent. */
#ifndef HEIST_SCHEDULE_SEAT_H
#define HEIST_SCHEDULE_SEAT_H

#include <heist/task.h>

#include "schedule/worker.h"

/* Runs `task` on the calling thread, in a seat of `pool`; if all are taken it waits for one, or gives the task to a
 * worker and waits for that. Returns 0 when the task has run; -ESHUTDOWN or -ECANCELED, explained, when the pool ends;
 * -ENOTSUP when there is no stack for it: then the task must be given to a worker. */
int heist__seat_run(heist_pool *pool, heist_task *task);

/* The seat of `pool` that the calling thread has, also below seats of other pools; NULL: none. */
heist__worker *heist__seat_in(const heist_pool *pool);

/* As heist__seat_run, for a task that counts itself, and without waiting: -EAGAIN, and the task has not run, if no seat
 * is free now. */
int heist__seat_try(heist_pool *pool, heist_task *task);

/* In the child of a fork: the thread is in no seat, though its frames may lie on the stacks of some. */
void heist__seat_forget(void);

#endif
