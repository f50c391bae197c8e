/* Events of detached tasks: see event.h. */
#include "openmp/core/event.h"

#include "openmp/core/wait.h"
#include "openmp/preload/runtime_symbols.h"

enum { FULFILLED = 1, BODY_ENDED = 2 };

void heist__omp_event_attach(heist__omp_task *task, void *detach, void *data)
{
    uintptr_t handle = (uintptr_t)task | HEIST__EVENT_BIT;
    heist__store_relaxed(&task->event, 0); /* relaxed: no thread has the handle yet */
    task->flags |= HEIST__OMP_TASK_EVENT;
    heist__store_relaxed(&heist__omp_self->team->events, 1); /* relaxed: a hint for other threads */
    *(uintptr_t *)detach = handle;
    if (data) *(uintptr_t *)data = handle; /* a task's data begins with its private copy of the handle */
}

bool heist__omp_event_body_ended(heist__omp_task *task)
{
    return heist__add_acq_rel(&task->event, BODY_ENDED) &
           FULFILLED; /* C4. Pairs with C4 in heist__omp_event_fulfill. */
}

bool heist__omp_event_fulfilled(heist__omp_task *task)
{
    return heist__load_acquire(&task->event) & FULFILLED; /* C4 */
}

void heist__omp_event_fulfill(uintptr_t event)
{
    heist__omp_task *task = (heist__omp_task *)(event & ~(uintptr_t)HEIST__EVENT_BIT);
    heist__omp_slot *home = task->home;                             /* read now: *task may be gone below */
    if (heist__add_acq_rel(&task->event, FULFILLED) & BODY_ENDED) { /* C4. Pairs with C4 in body_ended. */
        /* As from outside, also within the team: a task that becomes ready has no place in this thread's deque. */
        heist__omp_task_complete(NULL, task);
        heist__omp_task_drop(NULL, task);
        heist__omp_wake_all(home->team);
    } else {
        heist__omp_wake(home);
    }
}

/* The bit says which of heist's libraries made the event. An event without one is a runtime's. */
static inline void fulfill(uintptr_t event, const void *caller)
{
    if (event & HEIST__EVENT_BIT) {
        heist__omp_event_fulfill(event);
    } else {
        void *next = heist__runtime_in_turn(HEIST__SYMBOL_omp_fulfill_event, caller);
        ((__typeof__(&omp_fulfill_event))(uintptr_t)next)(event);
    }
}

void omp_fulfill_event(uintptr_t event)
{
    fulfill(event, __builtin_return_address(0));
}

void omp_fulfill_event_(uintptr_t event)
{
    fulfill(event, __builtin_return_address(0));
}
