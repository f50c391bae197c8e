/* loop/fork.h: spawn and join for the library's own functions, which have no register for the bottom of the deque and take
 * it from memory. What is spawned last is joined first. */
#ifndef HEIST_LOOP_FORK_H
#define HEIST_LOOP_FORK_H

#include "schedule/worker.h"

/* Returns the task's state as long as nobody has touched it. */
static inline uintptr_t heist__fork(heist__worker *w, heist_task *task)
{
    heist_slot *slot = heist__bottom_of(w);
    heist__push(&w->frames.face, slot, task);
    return (uintptr_t)slot;
}

/* The same for a task that others are meant to take: they need not ask for it, nor pay for a heavy barrier. */
static inline uintptr_t heist__fork_for_others(heist__worker *w, heist_task *task)
{
    uintptr_t untouched = heist__fork(w, task);
    heist__frames_publish(&w->frames);
    return untouched;
}

/* True: nobody has taken `task`, and it is the caller's to do. False: it has been done. */
static inline bool heist__take_back_or_join(heist__worker *w, heist_task *task)
{
    heist_slot *bottom = heist__bottom_of(w); /* read now: a pop that fails may have lowered it */
    if (heist__pop(&w->frames.face, bottom, task)) return true;
    heist__join_slow(&w->frames.face, bottom, task);
    return false;
}

/* Whether that is still so. A hint. */
static inline bool heist__is_untouched(heist_task *task, uintptr_t untouched)
{
    return heist__load_relaxed(&task->state) == untouched; /* relaxed: nothing is read on the strength of it */
}

#endif
