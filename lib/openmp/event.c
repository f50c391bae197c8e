/* detach: a task is complete when its body has ended and its event has been fulfilled, by any thread, in either
 * order.
 *
 * The event's handle is the address of the record with a low bit set; the runtime's own handles have it clear. Who comes
 * second of body and event completes the task. */
#include "openmp/real.h"
#include "openmp/team.h"

enum { FULFILLED = 1, BODY_ENDED = 2 };

void heist__omp_event_attach(heist__omp_task *task, void *detach, void *data)
{
    uintptr_t handle = (uintptr_t)task | HEIST__EVENT_BIT;
    heist__store_relaxed(&task->event, 0); /* relaxed: nobody has the handle yet */
    task->flags |= HEIST__TASK_EVENT;
    heist__store_relaxed(&heist__omp_self->team->events,
                         1); /* relaxed: for this thread, and others who ask much later */
    *(uintptr_t *)detach = handle;
    if (data) *(uintptr_t *)data = handle; /* the first thing in the task's data is its private copy of the handle */
}

bool heist__omp_event_body_ended(heist__omp_task *task)
{
    /* V1: whatever the fulfilling thread did is seen by those who wait for the task, and the other way round. */
    return heist__add_acq_rel(&task->event, BODY_ENDED) & FULFILLED;
}

bool heist__omp_event_fulfilled(heist__omp_task *task)
{
    return heist__load_acquire(&task->event) & FULFILLED; /* V1 */
}

void omp_fulfill_event(uintptr_t event)
{
    if (!(event & HEIST__EVENT_BIT)) {
        HEIST__REAL(omp_fulfill_event)(event);
        return;
    }
    heist__omp_task *task = (heist__omp_task *)(event & ~(uintptr_t)HEIST__EVENT_BIT);
    heist__omp_slot *home = task->home;                             /* read now: *task may be gone below */
    if (heist__add_acq_rel(&task->event, FULFILLED) & BODY_ENDED) { /* V1 */
        /* As if from outside, also within the team: what becomes ready has no place in this thread's deque. */
        heist__omp_task_complete(NULL, task);
        heist__omp_task_drop(NULL, task);
        heist__omp_wake_all(home->team);
    } else {
        heist__omp_wake(home);
    }
}

void omp_fulfill_event_(uintptr_t event)
{
    omp_fulfill_event(event);
}
