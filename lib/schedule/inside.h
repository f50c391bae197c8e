/* schedule/inside.h: the part of the scheduler that the library's own parallel code uses, and all that it uses.
 *
 * Spawn and join for functions that have no register for the bottom of the deque and read it from memory. The task that
 * is spawned last is joined first. */
#ifndef HEIST_SCHEDULE_INSIDE_H
#define HEIST_SCHEDULE_INSIDE_H

#include "schedule/error.h"
#include "schedule/pool.h"
#include "schedule/stress.h"
#include "schedule/thread_ids.h"
#include "schedule/worker.h"

/* Whether a worker searches for something to do, so that a task that is spawned now is taken at once. A hint. */
static inline bool heist__is_sought(const heist__worker *w)
{
    return heist__load_relaxed(&w->pool->idle.searching) > 0; /* relaxed: a hint */
}

/* Spawns `task`. Returns the state that the task has as long as no thread has touched it. */
static inline uintptr_t heist__fork(heist__worker *w, heist_task *task)
{
    heist_slot *slot = heist__bottom_of(w);
    heist__push(&w->tasks.face, slot, task);
    return (uintptr_t)slot;
}

/* The same for a task that thieves are meant to take: they need not ask for it, nor pay for a heavy barrier. */
static inline uintptr_t heist__fork_for_others(heist__worker *w, heist_task *task)
{
    w->stress.together = true;
    uintptr_t untouched = heist__fork(w, task);
    w->stress.together = false;
    heist__task_deque_publish(&w->tasks);
    return untouched;
}

/* True: no thief has taken `task`, and the caller must run it. False: it has been run. */
static inline bool heist__take_back_or_join(heist__worker *w, heist_task *task)
{
    heist_slot *bottom = heist__bottom_of(w); /* read now: a pop that fails may have lowered it */
    if (heist__pop(&w->tasks.face, bottom, task)) return true;
    heist__join_slow(&w->tasks.face, bottom, task);
    return false;
}

/* Whether `task` is still in the state `untouched`, which heist__fork returned. A hint. */
static inline bool heist__is_untouched(heist_task *task, uintptr_t untouched)
{
    return heist__load_relaxed(&task->state) == untouched; /* relaxed: nothing is read on the strength of it */
}

#endif
