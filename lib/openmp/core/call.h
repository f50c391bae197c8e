/* Calling the body of a task, and the end of a task that ran within the call that created it. Inline, because a task
 * may be as small as a call. */
#ifndef HEIST_OPENMP_CORE_CALL_H
#define HEIST_OPENMP_CORE_CALL_H

#include "openmp/core/control_variables.h"
#include "openmp/core/record.h"

/* The body begins, as the thread's current task. `nested`: tasks run at once within each other, with this one. */
static inline void heist__omp_task_begin(heist__omp_slot *self, heist__omp_task *task, uint32_t nested)
{
    task->nested = nested;
    task->base = heist__load_relaxed(&self->tail); /* relaxed: its own */
    self->current = task;
}

/* The body has ended, and the thread goes on with `outer`. */
static inline void heist__omp_task_end(heist__omp_slot *self, heist__omp_task *outer)
{
    self->current = outer;
    if (__builtin_expect(outer->icvs != self->icvs, 0)) heist__omp_icvs_install(self, outer->icvs);
}

/* The end of a task without an event that no list and no other thread knows, except as a parent. */
static inline void heist__omp_task_gone(heist__omp_slot *self, heist__omp_task *task)
{
    if (task->spawned != 0) {
        if (__builtin_expect(task->spawned != task->done_here || task->table, 0)) {
            heist__omp_task_left(self, task);
            return;
        }
        /* All children were run here: the other blank fields are 0. */
        task->spawned = 0;
        task->done_here = 0;
    }
    heist__omp_record_give(self, task);
}

static inline void heist__omp_task_call(heist__omp_slot *self, heist__omp_task *outer, heist__omp_task *task,
                                        heist__omp_body *fn, void *data, uint32_t nested)
{
    heist__omp_task_begin(self, task, nested);
    fn(data);
    heist__omp_task_end(self, outer);
}

#endif
