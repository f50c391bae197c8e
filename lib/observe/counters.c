/* The counters of one worker, added to a snapshot. */
#include "observe/counters.h"

#include "observe/histogram.h"

void heist__spread_add(heist__spread *spread, uint64_t ns)
{
    if (heist__counted(&spread->count) == 0 || ns < heist__counted(&spread->least))
        heist__counter_set(&spread->least, ns);
    heist__count_most(&spread->most, ns);
    heist__count_more(&spread->sum, ns);
    heist__count(&spread->bucket[heist__bucket_of(ns)]);
    heist__count(&spread->count);
}

/* The count is that of the buckets, so that a snapshot agrees with itself. */
static void add_spread(heist_histogram *sum, heist__spread *spread)
{
    heist_histogram one = {.sum = heist__counted(&spread->sum),
                           .least = heist__counted(&spread->least),
                           .most = heist__counted(&spread->most)};
    for (int b = 0; b < HEIST_BUCKETS; b++) {
        one.bucket[b] = heist__counted(&spread->bucket[b]);
        one.count += one.bucket[b];
    }
    heist__histogram_add(sum, &one);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* `a - b`, or 0. */
static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* The whole of an interval's sum, with the one that goes on. */
static uint64_t until(heist__counter *sum, heist__counter *since, uint64_t now)
{
    const uint64_t began = heist__counted(since);
    return heist__counted(sum) + (began ? less(now, began) : 0);
}

heist__times heist__counters_times(heist__counters *c, uint64_t now, uint64_t ticks, double ns_per_tick)
{
    heist__times t = {0, 0, 0};
    const uint64_t started = heist__counted(&c->started), ended = heist__counted(&c->ended);
    if (started == 0) return t;
    const uint64_t life = less(ended ? ended : now, started);
    /* The home thread sleeps, or offers its seat while it searches, as long as a caller is in it. */
    const uint64_t lent = (uint64_t)((double)until(&c->lent, &c->lent_since, ticks) * ns_per_tick);
    const uint64_t slept = until(&c->asleep, &c->asleep_since, now);
    t.asleep = less(slept, lent) + heist__counted(&c->join_sleeping);
    t.searching =
        less(until(&c->searching, &c->searching_since, now), less(lent, slept)) + heist__counted(&c->join_waiting);
    if (t.asleep > life) t.asleep = life;
    if (t.searching > life - t.asleep) t.searching = life - t.asleep;
    t.working = life - t.asleep - t.searching;
    return t;
}

void heist__counters_add(heist_stats *sum, heist__counters *c, uint64_t joins_inline)
{
    uint64_t inlined = joins_inline + heist__counted(&c->joins_slow);
    sum->joins_inline += inlined;
    sum->joins_stolen += heist__counted(&c->joins_stolen);
    sum->spawns_called += heist__counted(&c->spawns_called);
    sum->detached += heist__counted(&c->detached);
    sum->leapfrogs += heist__counted(&c->leapfrogs);
    /* a spawn that became a call is counted as joined, too */
    sum->spawns += inlined + heist__counted(&c->joins_stolen);
    sum->tasks += inlined + heist__counted(&c->stolen_run) + heist__counted(&c->detached);
    for (int level = 0; level < HEIST_LEVELS; level++) {
        sum->steal_got[level] += heist__counted(&c->steals[level][HEIST_STEAL_GOT]);
        sum->steal_empty[level] += heist__counted(&c->steals[level][HEIST_STEAL_EMPTY]);
        sum->steal_lost[level] += heist__counted(&c->steals[level][HEIST_STEAL_LOST]);
    }
    sum->parks += heist__counted(&c->parks);
    sum->wakes += heist__counted(&c->wakes);
    add_spread(&sum->steal_latency, &c->steal_latency);
    add_spread(&sum->wake_latency, &c->wake_latency);
    sum->slots_most = greater(sum->slots_most, heist__counted(&c->slots_most));
    sum->slots_grown += heist__counted(&c->slots_grown);
    sum->jobs_most = greater(sum->jobs_most, heist__counted(&c->jobs_most));
    sum->blocks_new += heist__counted(&c->blocks_new);
    sum->blocks_reused += heist__counted(&c->blocks_reused);
}
