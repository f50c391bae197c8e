/* Where a thread looks for a task: first in the team's queue, then in its own deque, youngest first, then in the deques
 * of the others, oldest first, from a random one on.
 *
 * A thread in a barrier may run any task. A thread that waits in a task may run only descendants of that task. In its
 * own deque these are the tasks above the index at which the waiting task began, its `base`: tasks that were pushed
 * since descend from it. Of other deques the oldest task is examined before it is taken (ancestry.h). */
#ifndef HEIST_OPENMP_CORE_FIND_H
#define HEIST_OPENMP_CORE_FIND_H

#include "openmp/core/slot.h"

/* A task to run now, or NULL. `within`: only a descendant of the current task. */
heist__omp_task *heist__omp_find(heist__omp_slot *self, bool within);
/* The youngest task of the thread's own deque that descends from the current task, or NULL. */
heist__omp_task *heist__omp_find_own(heist__omp_slot *self);
/* Steals the task that `theft`, after a look at the deque, says is the oldest. NULL: another thread has it, or it is
 * not wanted. */
heist__omp_task *heist__omp_steal_seen(heist__omp_slot *self, heist_deque *deque, heist__theft *theft, bool within);

#endif
