/* How long tasks with dependences take, about. To hand such a task over to another thread, which then makes its
 * successor ready, costs some hundreds of nanoseconds: its record, its node and its data go from one cache to the
 * other and back. Where such tasks are shorter than that, a task that has nothing to wait for runs where it is
 * created.
 *
 * Each thread measures one task of HEIST__OMP_MEASURED, and says so when the mean passes the limit. A region begins
 * without an opinion: tasks are handed over until several were measured. */
#ifndef HEIST_OPENMP_CORE_DEPENDENT_COST_H
#define HEIST_OPENMP_CORE_DEPENDENT_COST_H

#include "openmp/core/slot.h"
#include "platform/clock.h"

/* ---- dependent_cost.c ---- */
void heist__omp_dependent_cost_measured(heist__omp_slot *self, int64_t ns);

enum { HEIST__OMP_MEASURED = 16 };

/* A task with dependences is about to begin. Returns the start time for heist__omp_dependent_cost_end, or 0 if this
 * task is not measured. In a team of one thread none is. */
static inline int64_t heist__omp_dependent_cost_begin(heist__omp_slot *self)
{
    return self->most_enough == 0 || self->begun++ % HEIST__OMP_MEASURED ? 0 : heist__clock_ns();
}

static inline void heist__omp_dependent_cost_end(heist__omp_slot *self, int64_t begin)
{
    if (begin) heist__omp_dependent_cost_measured(self, heist__clock_ns() - begin);
}

#endif
