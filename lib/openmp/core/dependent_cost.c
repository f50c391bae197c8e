/* The mean of the measured times: see dependent_cost.h. A thread can be interrupted while it measures, so one long
 * task does not change the opinion; but the next task is measured, too, and after three long ones the opinion has
 * changed. */
#include "openmp/core/dependent_cost.h"

#include "openmp/core/team.h"

/* Handing over costs about SHORT_NS: below, tasks are short; above LONG_NS, they are not. Longer times than MOST_NS
 * count as MOST_NS. */
enum { SHORT_NS = 500, LONG_NS = 1000, MOST_NS = 4096 };

/* Measurements before there is an opinion; and how slowly the mean changes then. */
enum { LEAST_MEASURED = 4, WEIGHT = 8 };

void heist__omp_dependent_cost_measured(heist__omp_slot *self, int64_t ns)
{
    if (ns <= 0) return; /* a clock that stands still says nothing */
    if (ns > SHORT_NS) self->begun = 0;
    if (ns > MOST_NS) ns = MOST_NS;
    self->measured++;
    self->mean_ns = self->measured == 1 ? ns : self->mean_ns + (ns - self->mean_ns) / WEIGHT;
    if (self->measured < LEAST_MEASURED || (self->mean_ns > SHORT_NS && self->mean_ns < LONG_NS)) return;
    uint32_t are_short = self->mean_ns <= SHORT_NS;
    HEIST__ATOMIC(uint32_t) *said = &self->team->dependents_are_short;
    /* relaxed: an opinion; nothing but time depends on it */
    if (heist__load_relaxed(said) != are_short) heist__store_relaxed(said, are_short);
}
