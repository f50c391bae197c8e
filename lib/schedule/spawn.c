/* The rare part of a spawn: somebody sleeps, a thief asks, or there are no more slots. */
#include "schedule/spawn.h"

#include "schedule/join.h"
#include "schedule/misuse.h"
#include "schedule/pool.h"
#include "schedule/stress.h"
#include "schedule/worker.h"

/* Whether the alarm was on; turns it off. Whoever turned it on has said before what it wants (I2). */
static bool alarmed(heist__task_deque *f)
{
    if (f->fenced) heist__fence_seq_cst();                                   /* I1, fence mode */
    if (heist__load_relaxed(f->push_gate) != HEIST__PUSH_SHUT) return false; /* relaxed: I1 orders it */
    heist__exchange_seq_cst(f->push_gate, f->end);                           /* I2 */
    return true;
}

void heist__notice(heist__worker *w)
{
    heist__compiler_barrier(); /* I1 */
    if (!alarmed(&w->tasks) || !w->pool) return;
    heist__task_deque_answer(&w->tasks);
    if (heist__idle_wake_one(&w->pool->idle)) heist__count(&w->counters.wakes);
}

heist_slot *heist__push_slow(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    heist__worker *w = heist__worker_of(face);
    if (heist__checks(w)) heist__check_push(w, bottom);
    heist__notice(w);
    if (heist__stressed(w)) heist__stress_spawned(w, task, (uintptr_t)(bottom - 1));
    if (bottom < w->tasks.end) return bottom;
    if (heist__task_deque_grow(&w->tasks)) {
        heist__count(&w->counters.slots_grown);
        heist__counter_set(&w->counters.slots_ready, (uint64_t)(w->tasks.end - w->tasks.slots));
        return bottom;
    }
    /* No slot for the next child: this one becomes a call, whether a thief got it or not. */
    heist__count(&w->counters.spawns_called);
    bottom = heist__join_slow(face, bottom, task);
    heist__store_relaxed(&task->state, HEIST__TASK_RAN); /* relaxed: read by this thread only */
    return bottom;
}
