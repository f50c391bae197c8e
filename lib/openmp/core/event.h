/* detach: a task is complete when its body has ended and its event has been fulfilled, by any thread, in either order.
 * Body and event are counted in one word, and the second of them completes the task.
 *
 * The event's handle is the address of the record with a low bit set (HEIST__EVENT_BIT). In the runtime's own handles
 * that bit is clear.
 *
 *   C4: the effects of the body and of the fulfilling thread, both before the task is complete. */
#ifndef HEIST_OPENMP_CORE_EVENT_H
#define HEIST_OPENMP_CORE_EVENT_H

#include "openmp/core/task.h"

/* Gives the task an event. Writes its handle to *detach, and to the beginning of `data` unless that is NULL. */
void heist__omp_event_attach(heist__omp_task *task, void *detach, void *data);
/* The body has ended. True: the event was fulfilled before, so the task is complete. */
bool heist__omp_event_body_ended(heist__omp_task *task);
bool heist__omp_event_fulfilled(heist__omp_task *task);
/* Fulfils an event of this library's, given by its handle. Call from: any thread. */
void heist__omp_event_fulfill(uintptr_t event);

#endif
