/* schedule/await.h: the part of the scheduler that futures use, beside schedule/inside.h.
 *
 * A future's task is a job without `task` (job.h). Any thread that has the future may claim the task by a CAS on the
 * task's state, and run it, while the job still lies in a deque or an inbox. The worker that gets the job later finds
 * the state changed, and does nothing. The states beyond HEIST__TASK_TAKEN and HEIST__TASK_DONE are below.
 *
 * A worker that waits for a task that runs on another worker leapfrogs, as in a join (join.c): it runs descendants of
 * that task and nothing else. So the edges J1, J2 and J4 hold for such tasks, too.
 *
 * A worker that waits says so in `awaits`, for workers that look for a cycle of waits: the number of the worker on
 * whose stack the future lies, plus 1, and above it (16 bits up) that worker's futures_done. The wait is over, or
 * another one, as soon as futures_done has changed. */
#ifndef HEIST_SCHEDULE_AWAIT_H
#define HEIST_SCHEDULE_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/inside.h"
#include "schedule/job.h"
#include "schedule/join.h"
#include "schedule/seat.h"
#include "schedule/submit.h"

#define HEIST__TASK_WAITS ((uintptr_t)0)    /* it is not to begin yet */
#define HEIST__TASK_READY ((uintptr_t)8)    /* any thread may claim it */
#define HEIST__TASK_CLAIMED ((uintptr_t)16) /* a thread from outside looks for a seat to run it in */

/* Steals a descendant of `task`, which is in state `taken`, and runs it. False: no descendant could be stolen. */
bool heist__leapfrog(heist__worker *w, heist_task *task, uintptr_t taken);

/* Takes `job` out of the worker's own deque, if it is the youngest there. The caller then counts it as finished. */
bool heist__withdraw(heist__worker *w, heist__job *job);

/* Around a task that was claimed: `enter` before the claim, with room for a nesting; `leave` after its end, or if the
 * claim failed. Gives what `leave` wants. */
uint64_t heist__claim_enter(heist__worker *w, const heist_task *task);
void heist__claim_leave(heist__worker *w, uint64_t waits_on);

/* After the end of a task that other threads may wait for: its state is HEIST__TASK_DONE. */
void heist__claim_ended(heist__worker *w);

/* Says that `w` waits for `task`, which is in state `taken`. 0 for `taken`: the wait is over. */
void heist__say_awaits(heist__worker *w, heist_task *task, uintptr_t taken);

/* Whether the worker that has `taken` waits for `w`, in any number of steps, so that none of them can go on. */
bool heist__waits_in_circle(heist__worker *w, uintptr_t taken);

#endif
