/* Taking a fork/join child from another worker, and running it.
 *
 * A thief that runs a stolen child ends it in a fixed order (edges J1 to J4, in join.c), so that the worker that waits
 * for the child may steal back from the thief, and gets nothing that does not descend from the child. */
#include "schedule/steal.h"

#include "platform/futex.h"
#include "schedule/join.h"
#include "schedule/nesting.h"
#include "schedule/run.h"
#include "schedule/stress.h"

heist_steal heist__steal_child(heist__worker *victim, uint64_t seen, uint32_t floor, heist__stolen *stolen)
{
    heist_steal outcome = heist__task_deque_offer(&victim->tasks, seen, floor);
    if (outcome != HEIST_STEAL_GOT) return outcome;
    stolen->home = victim;
    stolen->core = heist__scope_at(victim, (uint32_t)seen, &stolen->from); /* right if the take below succeeds */
    return heist__task_deque_take(&victim->tasks, seen, &stolen->task);
}

void heist__run_stolen(heist__worker *w, const heist__stolen *stolen)
{
    heist_task *task = stolen->task;
    heist__worker *home = stolen->home;
    heist__nesting_enter(w, task, stolen->core, stolen->from);
    uint64_t waits_on = heist__load_relaxed(&w->waits_on);                            /* relaxed: own */
    heist__store_relaxed(&w->waits_on, 0);                                            /* relaxed: J1 publishes it */
    heist__store_release(&task->state, HEIST__TASK_TAKEN | (uintptr_t)w->index << 3); /* J1 */
    if (heist__stressed(w)) heist__stress_delay(w);
    heist__run_task(w, task);
    if (heist__stressed(w)) heist__stress_delay(w);
    heist__nesting_returned(w, stolen->core);
    heist__count(&w->counters.stolen_run);
    heist__store_release(&task->state, HEIST__TASK_DONE); /* J2: last touch of *task */
    heist__add_seq_cst(&home->children_done, 1);          /* J3 */
    heist__task_deque_renew(&w->tasks);                   /* J4 */
    heist__nesting_leave(w);
    /* J3: after the count, so that a worker that follows it finds the wait over */
    heist__store_release(&w->waits_on, waits_on);
    if (heist__load_seq_cst(&home->join_asleep)) heist__futex_wake(&home->children_done, 1); /* J3 */
}
