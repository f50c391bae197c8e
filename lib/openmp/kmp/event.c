/* Events of detached tasks, and proxy tasks. */
#include "openmp/core/event.h"

#include "openmp/kmp/reserve.h"
#include "openmp/kmp/task.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

void *__kmpc_task_allow_completion_event(void *loc, int32_t gtid, heist__kmp_task *task)
{
    heist__omp_task *record = heist__omp_self ? heist__kmp_record_of(task) : NULL;
    if (!record) return HEIST__RUNTIME(__kmpc_task_allow_completion_event)(loc, gtid, task);
    uintptr_t handle;
    /* A task that runs at once would be waited for; but code that comes after it may fulfil its event. */
    bool alone = (record->flags & HEIST__OMP_TASK_ALONE) && !(record->flags & HEIST__OMP_TASK_FINAL);
    if (alone || heist__kmp_reserve_has(heist__omp_self, record->data))
        heist__omp_fatal("__kmpc_task_allow_completion_event: no memory for a task with an event");
    record->flags &= ~(uint32_t)HEIST__KMP_TASK_AT_ONCE;
    record->home = heist__omp_self; /* the fulfilling thread reads it */
    heist__omp_event_attach(record, &handle, NULL);
    return (void *)handle;
}

/* A proxy task is complete when the code that does its work says so: as with an event. False: libomp made the task. */
static bool complete_proxy(heist__kmp_task *task)
{
    heist__omp_task *record = heist__kmp_record_of(task);
    if (record) heist__omp_event_fulfill((uintptr_t)record | HEIST__EVENT_BIT);
    return record != NULL;
}

void __kmpc_proxy_task_completed(int32_t gtid, heist__kmp_task *task)
{
    if (!complete_proxy(task)) HEIST__RUNTIME(__kmpc_proxy_task_completed)(gtid, task);
}

void __kmpc_proxy_task_completed_ooo(heist__kmp_task *task)
{
    if (!complete_proxy(task)) HEIST__RUNTIME(__kmpc_proxy_task_completed_ooo)(task);
}
