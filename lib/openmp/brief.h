/* How long tasks with dependences take, about. To hand one over to another thread, which then makes its successor ready,
 * costs some hundreds of nanoseconds: its record, its node and what it works on go from one cache to the other and back.
 * Where such tasks are shorter than that, one that has nothing to wait for had better run where it is created.
 *
 * Each thread measures one task of some, and says when the mean passes the limit. A region begins without an opinion:
 * tasks are handed over until several were measured. */
#ifndef HEIST_OPENMP_BRIEF_H
#define HEIST_OPENMP_BRIEF_H

#include "openmp/team.h"
#include "platform/clock.h"

/* ---- brief.c ---- */
void heist__omp_brief_measured(heist__omp_slot *self, int64_t ns);

enum { HEIST__OMP_MEASURED = 16 }; /* one of so many */

/* A task with dependences is about to begin. Returns what the other is to be called with. Who is alone need not know. */
static inline int64_t heist__omp_brief_begin(heist__omp_slot *self)
{
    return self->most_enough == 0 || self->begun++ % HEIST__OMP_MEASURED ? 0 : heist__clock_ns();
}

static inline void heist__omp_brief_end(heist__omp_slot *self, int64_t begin)
{
    if (begin) heist__omp_brief_measured(self, heist__clock_ns() - begin);
}

#endif
