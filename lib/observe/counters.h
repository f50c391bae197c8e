/* Counters with one writer: the thread that has the worker's seat. Any thread may read them at any time. The times are
 * here, too: they are sums of intervals, and the beginning of an interval that has not ended. */
#ifndef HEIST_OBSERVE_COUNTERS_H
#define HEIST_OBSERVE_COUNTERS_H

#include <stdint.h>

#include <heist/deque.h>
#include <heist/detail/atomic.h>
#include <heist/stats.h>

#include "platform/clock.h"
#include "platform/ticks.h"

typedef HEIST__ATOMIC(uint64_t) heist__counter;

/* A heist_histogram with one writer. */
typedef struct heist__spread {
    heist__counter count, sum, least, most;
    heist__counter bucket[HEIST_BUCKETS];
} heist__spread;

typedef struct heist__counters {
    _Alignas(HEIST__LINE) heist__counter stolen_run; /* stolen tasks that this worker has run */
    heist__counter joins_slow;                       /* own children that the slow path popped: a thief had asked */
    heist__counter joins_stolen;
    heist__counter spawns_called;
    heist__counter detached;
    heist__counter leapfrogs;
    heist__counter steals[HEIST_LEVELS][3]; /* by outcome: heist_steal */
    heist__counter parks;
    heist__counter wakes;

    /* Nanoseconds of the clock; 0 in `started`: the thread has not begun; in another beginning: no such interval. */
    heist__counter started, ended;              /* of the home thread */
    heist__counter searching, searching_since;  /* in the worker's loop */
    heist__counter asleep, asleep_since;        /* likewise. The seat may be lent meanwhile. */
    heist__counter join_waiting, join_sleeping; /* within tasks: for a child that a thief runs */
    heist__counter lent, lent_since;            /* ticks in which a caller worked in the seat */

    heist__spread steal_latency;
    heist__spread wake_latency;
    heist__counter slots_ready; /* slots that the deque of children has now: those below may be read */
    heist__counter slots_most;  /* children at once, before memory was given back */
    heist__counter slots_grown;
    heist__counter jobs_most;
    heist__counter blocks_new, blocks_reused;
} heist__counters;

static inline uint64_t heist__counted(heist__counter *c)
{
    return heist__load_relaxed(c); /* relaxed: one writer, and no thread relies on its order */
}

static inline void heist__counter_set(heist__counter *c, uint64_t value)
{
    heist__store_relaxed(c, value); /* relaxed: as above */
}

static inline void heist__count_more(heist__counter *c, uint64_t more)
{
    heist__counter_set(c, heist__counted(c) + more);
}

static inline void heist__count(heist__counter *c)
{
    heist__count_more(c, 1);
}

static inline void heist__count_most(heist__counter *c, uint64_t value)
{
    if (value > heist__counted(c)) heist__counter_set(c, value);
}

/* ---- times ---- */

/* The model of test/model has no time: there the functions below do nothing. */
#ifdef HEIST__TIME_STANDS_STILL
#define HEIST__TIMED 0
#else
#define HEIST__TIMED 1
#endif

/* The time, in nanoseconds. Not 0, which stands for "no time", unless the clock is refused. */
static inline uint64_t heist__stats_now(void)
{
    return HEIST__TIMED ? (uint64_t)heist__clock_ns() : 0;
}

void heist__spread_add(heist__spread *spread, uint64_t ns);

/* Adds the time from `began` to `now`, unless the clock was refused, or `began` is later. */
static inline void heist__spread_time(heist__spread *spread, uint64_t began, uint64_t now)
{
    if (HEIST__TIMED && began != 0 && now >= began) heist__spread_add(spread, now - began);
}

/* An interval begins, or ends, at `now`. */
static inline void heist__interval_begin(heist__counter *since, uint64_t now)
{
    if (HEIST__TIMED) heist__counter_set(since, now);
}

static inline void heist__interval_end(heist__counter *sum, heist__counter *since, uint64_t now)
{
    if (!HEIST__TIMED) return;
    const uint64_t began = heist__counted(since);
    heist__counter_set(since, 0);
    if (began != 0 && now > began) heist__count_more(sum, now - began);
}

/* An interval that the caller has measured. */
static inline void heist__interval_of(heist__counter *sum, uint64_t began, uint64_t now)
{
    if (HEIST__TIMED && began != 0 && now > began) heist__count_more(sum, now - began);
}

/* A worker waits for a child that a thief runs. `since` is the caller's: when the wait began or went on; 0: it has not
 * begun. */
static inline void heist__join_wait_begin(uint64_t *since)
{
    if (HEIST__TIMED && *since == 0) *since = heist__stats_now();
}

static inline void heist__join_wait_end(heist__counters *c, uint64_t *since)
{
    if (!HEIST__TIMED || *since == 0) return;
    const uint64_t now = heist__stats_now();
    if (now > *since) heist__count_more(&c->join_waiting, now - *since);
    *since = 0;
}

/* A caller works in the seat. The clock would be a fifth of a short run: these are ticks. */
static inline void heist__lent_begin(heist__counters *c)
{
    if (HEIST__TIMED) heist__interval_begin(&c->lent_since, heist__ticks());
}

static inline void heist__lent_end(heist__counters *c)
{
    if (HEIST__TIMED) heist__interval_end(&c->lent, &c->lent_since, heist__ticks());
}

/* Times of one worker, as they are at `now`; `ns_per_tick` is the rate of the ticks. */
typedef struct heist__times {
    uint64_t working, searching, asleep;
} heist__times;

heist__times heist__counters_times(heist__counters *c, uint64_t now, uint64_t ticks, double ns_per_tick);

/* Adds the counters to a snapshot, all but the times. `joins_inline`: the joins that the worker's fast path has counted
 * itself. */
void heist__counters_add(heist_stats *sum, heist__counters *c, uint64_t joins_inline);

#endif
