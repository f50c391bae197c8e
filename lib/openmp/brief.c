/* The mean of what was measured: see brief.h. A thread can be interrupted while it is measured, so one long task changes no
 * opinion; but the next is measured then, too, and after three of them it has changed. */
#include "openmp/brief.h"

/* What handing over costs, about: below, tasks are short; above the next, they are not. What takes longer than the third
 * counts as that. */
enum { SHORT_NS = 500, LONG_NS = 1000, MOST_NS = 4096 };

/* Before there is an opinion; and how slowly it changes then. */
enum { LEAST_MEASURED = 4, WEIGHT = 8 };

void heist__omp_brief_measured(heist__omp_slot *self, int64_t ns)
{
    if (ns <= 0) return; /* a clock that stands still says nothing */
    if (ns > SHORT_NS) self->begun = 0;
    if (ns > MOST_NS) ns = MOST_NS;
    self->measured++;
    self->mean_ns = self->measured == 1 ? ns : self->mean_ns + (ns - self->mean_ns) / WEIGHT;
    if (self->measured < LEAST_MEASURED || (self->mean_ns > SHORT_NS && self->mean_ns < LONG_NS)) return;
    uint32_t brief = self->mean_ns <= SHORT_NS;
    HEIST__ATOMIC(uint32_t) *said = &self->team->brief;
    /* relaxed: an opinion, on which nothing depends but time */
    if (heist__load_relaxed(said) != brief) heist__store_relaxed(said, brief);
}
