/* cost_probe.c: see cost_probe.h. */
#include "loop/cost_probe.h"

#include "loop/plan.h"
#include "loop/range.h"

/* A hundred times the cost of reading the clock. */
#define MEASURABLE_NS 3000

void heist__cost_probe_begin(heist__cost_probe *g, uint64_t units, unsigned at_once, uint64_t batch)
{
    *g = (heist__cost_probe){.units = units, .batch = batch ? batch : 1};
    g->most = units / ((uint64_t)at_once * HEIST__LARGEST_PART) / g->batch * g->batch;
    if (g->most == 0) g->most = g->batch;
    g->next = g->batch < units ? g->batch : units;
}

/* The number of units to run next: twice as many as before, but no more than the measurement seems to need. Whole
 * batches. */
static uint64_t next_few(const heist__cost_probe *g)
{
    /* doubling would wrap only where fewer units are left than that */
    uint64_t few = g->next < g->units - g->done ? g->next * 2 : g->next;
    double missing = (MEASURABLE_NS - (double)g->passed) / g->ns_each;
    if (missing > 0 && missing < (double)few) few = heist__ceil_div((uint64_t)missing + 1, g->batch) * g->batch;
    if (few > g->most) few = g->most;
    return few < g->units - g->done ? few : g->units - g->done;
}

void heist__cost_probe_ran(heist__cost_probe *g, int64_t passed)
{
    if (g->enough || g->before == 0) { /* the earlier measurement may no longer hold */
        g->before = g->done;
        g->seen = g->passed;
    }
    g->done += g->next;
    g->passed = passed;
    g->ns_each = (double)(g->passed - g->seen) / (double)(g->done - g->before);
    g->enough = g->passed >= MEASURABLE_NS || g->done >= g->most;
    g->next = next_few(g);
}
