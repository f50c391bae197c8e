/* lead_in.c: see lead_in.h. */
#include "loop/lead_in.h"

#include "loop/plan.h"

/* The cost of a unit is taken to be known when the lead-in has run this long. */
#define SETTLED_NS 400

/* The units that are left must take this long to be worth sharing with a worker that searches, or with one that must be
 * woken: a wake-up takes some 30 microseconds to have an effect, and costs the waker up to 5. */
#define WORTH_SOUGHT_NS 4000
#define WORTH_WAKING_NS 60000

/* The number of units run at once may always be this large. */
#define FEW_UNITS 64

/* The number of units run at once grows at most by this factor. */
#define GROWTH 8

/* A lead-in that goes on looks at the clock about this often, and a look takes this long. */
#define LOOK_NS 1000
#define CLOCK_NS 20

/* A loop that was short the last time runs one unit, and if that is short again, units for this long. */
#define SECOND_NS 250

static bool worth_sharing(const heist__lead_in *lead, bool sought)
{
    return lead->ns_each * (double)lead->left >= (sought ? WORTH_SOUGHT_NS : WORTH_WAKING_NS);
}

/* The number of units that take `ns` together, at least 1. */
static uint64_t units_within(double ns, double ns_each)
{
    const double units = ns / (ns_each > 0.01 ? ns_each : 0.01);
    return units < 1 ? 1 : (uint64_t)units;
}

/* The number of units to run next: as many as fit between two looks at the clock, growing slowly, and never many, since
 * short units promise nothing for those after them. */
static uint64_t next_few(const heist__lead_in *lead)
{
    const uint64_t fit = units_within(LOOK_NS, lead->ns_each);
    uint64_t few = lead->next * GROWTH;
    if (few < lead->second) few = lead->second;
    if (few > lead->most) few = lead->most;
    if (few > fit) few = fit;
    return few < lead->left ? few : lead->left;
}

void heist__lead_in_begin(heist__lead_in *lead, uint64_t units, unsigned at_once, double ns_each, bool sought)
{
    *lead = (heist__lead_in){.left = units, .ns_each = ns_each};
    lead->most = units / ((uint64_t)at_once * HEIST__LARGEST_PART);
    const bool has_to_spare = lead->most > 0, is_short = ns_each > 0 && !worth_sharing(lead, sought);
    if (lead->most < FEW_UNITS) lead->most = FEW_UNITS;
    lead->next = has_to_spare && ns_each == 0;
    if (!is_short) return;
    const uint64_t look = units_within(LOOK_NS, ns_each);
    if (lead->most < look) lead->most = look;
    lead->next = 1;
    lead->second = units_within(SECOND_NS, ns_each);
}

void heist__lead_in_ran(heist__lead_in *lead, int64_t took, bool sought)
{
    took = took > CLOCK_NS ? took - CLOCK_NS : 0;
    lead->left -= lead->next;
    lead->passed += took;
    lead->ns_each = (double)took / (double)lead->next;
    const bool known = lead->passed >= SETTLED_NS;
    lead->next = known && worth_sharing(lead, sought) ? 0 : next_few(lead);
}
