/* schedule/misuse.h: messages about children that a task did not join, and about joins that find no child. */
#ifndef HEIST_SCHEDULE_MISUSE_H
#define HEIST_SCHEDULE_MISUSE_H

#include "schedule/pool.h"
#include "schedule/worker.h"

/* `task` has ended on `w` without joining the children above `bottom`: reports that, and withdraws the children. */
void heist__children_left(heist__worker *w, heist_slot *bottom, const heist_task *task);

/* Whether a task that began at `bottom` has left children behind. The tasks of the model checker never do. The
 * load would be one more step of each of them, so a build for the model checker leaves it out. */
static inline bool heist__leaves_children(heist__worker *w, heist_slot *bottom)
{
#ifdef HEIST__NAMED_ATOMICS_ONLY
    (void)w;
    (void)bottom;
    return false;
#else
    return HEIST__UNLIKELY(heist__bottom_of(w) != bottom);
#endif
}

/* Reports a join that finds no child to wait for. */
void heist__joined_in_vain(void);

/* A spawn has made `bottom` the end of the deque: reports if that is not one more than heist__expect was given. */
void heist__check_push(heist__worker *w, heist_slot *bottom);

/* HEIST_CHECK=1: every push and pop calls the library, as in fence mode, and the library checks it. */
static inline bool heist__checks(const heist__worker *w)
{
    return w->tasks.fenced && w->pool && w->pool->settings.check;
}

/* Tells heist__check_push that the deque of `w` ends at `bottom` now. */
static inline void heist__expect(heist__worker *w, heist_slot *bottom)
{
    if (heist__checks(w)) w->expected = bottom;
}

#endif
