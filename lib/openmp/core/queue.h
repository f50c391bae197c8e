/* The team's queue: tasks with a priority, and tasks that a thread outside the team has made ready. Threads look here
 * first. There are HEIST__OMP_PRIORITY_LISTS lists, first come first served in each, under one lock. */
#ifndef HEIST_OPENMP_CORE_QUEUE_H
#define HEIST_OPENMP_CORE_QUEUE_H

#include "openmp/core/team.h"

void heist__omp_queue_put(heist__omp_team *team, heist__omp_task *task);
/* A task of the highest priority that the thread may run where it is, or NULL. `within`: only a descendant of the
 * current task, or a task of the group that the thread waits for. */
heist__omp_task *heist__omp_queue_take(heist__omp_slot *self, bool within);

#endif
