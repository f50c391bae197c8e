/* Waiting by working: a thread that waits for something runs tasks meanwhile, and sleeps when there are none.
 *
 *   W1: a thread that goes to sleep says so, passes a heavy barrier, and looks a last time. A thread that makes
 *       something visible looks for sleepers afterwards, without a fence. Either the sleeper sees the new thing, or its
 *       maker sees the sleeper. Where the kernel has no heavy barrier, and in any case, a sleeper looks again after a
 *       while. */
#ifndef HEIST_OPENMP_CORE_WAIT_H
#define HEIST_OPENMP_CORE_WAIT_H

#include "openmp/core/team.h"

typedef bool heist__omp_condition(heist__omp_slot *self, const void *what);
/* Runs tasks until `over(self, what)`. `within`: only descendants of the current task. */
void heist__omp_wait_until(heist__omp_slot *self, bool within, heist__omp_condition *over, const void *what);
/* Waits for the children of the current task: see heist__omp_taskwait. */
void heist__omp_taskwait_slow(heist__omp_slot *self);
/* Runs a descendant of the current task, if there is one. */
void heist__omp_taskyield(heist__omp_slot *self);

/* Wakes the slot's thread, if it sleeps. Call after making the awaited thing visible. */
void heist__omp_wake(heist__omp_slot *slot);
/* Wakes a thread that sleeps in a barrier. */
void heist__omp_wake_one_slow(heist__omp_team *team);
void heist__omp_wake_all(heist__omp_team *team);

/* Call after making a task visible. */
static inline void heist__omp_wake_one(heist__omp_team *team)
{
    /* relaxed: a sleeper looks again after a heavy barrier, or soon. Pairs with W1 in wait.c. */
    if (__builtin_expect(heist__load_relaxed(&team->sleepers) != 0, 0)) heist__omp_wake_one_slow(team);
}

/* Waits for the children of the current task, running tasks meanwhile. */
static inline void heist__omp_taskwait(heist__omp_slot *self)
{
    const heist__omp_task *task = self->current;
    if (task->spawned != task->done_here) heist__omp_taskwait_slow(self);
}

#endif
