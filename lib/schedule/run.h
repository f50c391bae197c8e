/* schedule/run.h: running a task from outside, and the body of a task that is a plain function. */
#ifndef HEIST_SCHEDULE_RUN_H
#define HEIST_SCHEDULE_RUN_H

#include <heist/task.h>

#include "schedule/misuse.h"
#include "schedule/worker.h"

/* Gives `task` to a worker of `pool` and waits. Returns 0 when it has run, or a negative errno, explained, if it has
 * not. */
int heist__hand_over(heist_pool *pool, heist_task *task);

void heist__run_plain(heist_worker *w, heist_slot *bottom, heist_task *task);

/* Runs `task` on worker `w`, which is the calling thread's. Tells of children that the task has not joined. */
static inline void heist__run_task(heist__worker *w, heist_task *task)
{
    heist_slot *bottom = heist__bottom_of(w);
    heist__expect(w, bottom);
    task->run(&w->tasks.face, bottom, task);
    /* After a fork within the task the child process returns here, too, and the deque may be another. */
    if (heist__leaves_children(w, bottom) && heist__self() == w) heist__children_left(w, bottom, task);
}

#endif
