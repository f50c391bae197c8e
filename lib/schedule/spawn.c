/* The rare part of a spawn: somebody sleeps, a thief asks, or there are no more slots. */
#include "schedule/worker.h"

#include "schedule/join.h"

/* Whether the alarm was on; turns it off. Whoever turned it on has said before what it wants (I2). */
static bool alarmed(heist__frames *f)
{
    if (f->fenced) heist__fence_seq_cst();                                   /* I1, fence mode */
    if (heist__load_relaxed(f->push_gate) != HEIST__PUSH_SHUT) return false; /* relaxed: I1 orders it */
    heist__exchange_seq_cst(f->push_gate, f->end);                           /* I2 */
    return true;
}

void heist__notice(heist__worker *w)
{
    heist__compiler_barrier(); /* I1 */
    if (!alarmed(&w->frames) || !w->pool) return;
    heist__frames_answer(&w->frames);
    if (heist__idle_wake_one(&w->pool->idle)) heist__count(&w->counters.wakes);
}

heist_slot *heist__push_slow(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    heist__worker *w = heist__worker_of(face);
    heist__notice(w);
    if (bottom < w->frames.end) return bottom;
    /* No slot for the next child: this one becomes a call, whether a thief got it or not. */
    heist__count(&w->counters.spawns_called);
    bottom = heist__join_slow(face, bottom, task);
    heist__store_relaxed(&task->state, HEIST__TASK_RAN); /* relaxed: read by this thread only */
    return bottom;
}
