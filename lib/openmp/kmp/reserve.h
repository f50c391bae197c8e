/* Memory for tasks when there is no other. The compiler fills a task's memory in before it says whether the task runs
 * at once or is put off, so there has to be some: each slot has a reserve, which it gets together with its team. Parts
 * that are not used are never touched. Call from: the slot's thread, but for heist__kmp_reserve_make. */
#ifndef HEIST_OPENMP_KMP_RESERVE_H
#define HEIST_OPENMP_KMP_RESERVE_H

#include "openmp/core/slot.h"

/* Gives the slot a reserve, if it has none. False: no memory. */
bool heist__kmp_reserve_make(heist__omp_slot *slot);
/* A record of the reserve, with nothing filled in. NULL: none is left. */
heist__omp_task *heist__kmp_reserve_record(heist__omp_slot *self);
/* A block of the reserve. NULL: there is not as much left. */
void *heist__kmp_reserve_take(heist__omp_slot *self, size_t bytes);
void heist__kmp_reserve_give(heist__omp_slot *self, void *block);
/* Whether an address is in a block of the reserve. */
bool heist__kmp_reserve_has(const heist__omp_slot *self, const void *memory);

#endif
