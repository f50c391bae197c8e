/* Free records of tasks. Each slot keeps up to two batches of free ones, as addresses in a row. So a thread knows
 * which records it will take next without a read of them: another thread may have written them last, and that read
 * takes time. */
#ifndef HEIST_OPENMP_CORE_RECORD_H
#define HEIST_OPENMP_CORE_RECORD_H

#include "openmp/core/slot.h"

/* ---- record.c ---- */
heist__omp_task *heist__omp_record_take_slow(heist__omp_slot *self);
void heist__omp_record_give_slow(heist__omp_slot *self, heist__omp_task *task);
/* Call from: a thread that is in no team. */
void heist__omp_record_give_outside(heist__omp_task *task);
/* In a child of fork(). */
void heist__omp_records_after_fork(void);

/* Begins to fetch a record that another thread may have written last. NULL: does nothing. */
static inline void heist__omp_record_fetch(const heist__omp_task *task)
{
    if (!task) return;
    __builtin_prefetch(task, 1);
    __builtin_prefetch(&task->next, 1);
    __builtin_prefetch(task->room, 1);
}

/* A record with nothing filled in. Its blank fields are 0, see task.h. NULL: no memory. */
static inline heist__omp_task *heist__omp_record_take(heist__omp_slot *self)
{
    heist__omp_task *task = *self->record;
    if (__builtin_expect(!task, 0)) return heist__omp_record_take_slow(self);
    self->record--;
    return task;
}

/* The record's blank fields are 0 again. */
static inline void heist__omp_record_give(heist__omp_slot *self, heist__omp_task *task)
{
    heist__omp_task **last = &self->records[HEIST__OMP_AHEAD + 2 * HEIST__OMP_BATCH - 1];
    if (__builtin_expect(self->record == last, 0)) {
        heist__omp_record_give_slow(self, task);
        return;
    }
    *++self->record = task;
}

#endif
