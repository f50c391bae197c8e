/* Tasks with if(0), whose body the program itself calls, between a begin and a complete entry. */
#include "openmp/core/call.h"
#include "openmp/kmp/task.h"
#include "openmp/preload/runtime_symbols.h"

void __kmpc_omp_task_begin_if0(void *loc, int32_t gtid, heist__kmp_task *task)
{
    heist__omp_slot *self = heist__omp_self;
    heist__omp_task *record = self ? heist__kmp_record_of(task) : NULL;
    if (!record) {
        HEIST__RUNTIME(__kmpc_omp_task_begin_if0)(loc, gtid, task);
        return;
    }
    record->flags |= HEIST__OMP_TASK_NOW;
    if (self->ending_group) record->flags |= HEIST__KMP_TASK_ENDING;
    heist__omp_task_begin(self, record, self->current->nested + 1);
    self->ending_group = false;
}

void __kmpc_omp_task_complete_if0(void *loc, int32_t gtid, heist__kmp_task *task)
{
    heist__omp_slot *self = heist__omp_self;
    heist__omp_task *record = self ? heist__kmp_record_of(task) : NULL;
    if (!record) {
        HEIST__RUNTIME(__kmpc_omp_task_complete_if0)(loc, gtid, task);
        return;
    }
    heist__kmp_run_rest(self, record, task);
    heist__omp_task_end(self, heist__load_relaxed(&record->parent)); /* relaxed: this thread has the task */
    self->ending_group = (record->flags & HEIST__KMP_TASK_ENDING) != 0;
    heist__kmp_task_ended(self, record);
}
