/* The counters of one worker, added to a snapshot. */
#include "observe/counters.h"

static uint64_t value(heist__counter *c)
{
    return heist__load_relaxed(c); /* relaxed: a counter */
}

void heist__counters_add(heist_stats *sum, heist__counters *c, uint64_t joins_inline)
{
    uint64_t inlined = joins_inline + value(&c->joins_slow);
    sum->joins_inline += inlined;
    sum->joins_stolen += value(&c->joins_stolen);
    sum->spawns_called += value(&c->spawns_called);
    sum->detached += value(&c->detached);
    sum->leapfrogs += value(&c->leapfrogs);
    sum->spawns += inlined + value(&c->joins_stolen); /* a spawn that became a call is counted as joined, too */
    sum->tasks += inlined + value(&c->stolen_run) + value(&c->detached);
    for (int level = 0; level < HEIST_LEVELS; level++) {
        sum->steal_got[level] += value(&c->steals[level][HEIST_STEAL_GOT]);
        sum->steal_empty[level] += value(&c->steals[level][HEIST_STEAL_EMPTY]);
        sum->steal_lost[level] += value(&c->steals[level][HEIST_STEAL_LOST]);
    }
    sum->parks += value(&c->parks);
    sum->wakes += value(&c->wakes);
}
