/* Counters with one writer: the worker that they belong to. Any thread may read them at any time. */
#ifndef HEIST_OBSERVE_COUNTERS_H
#define HEIST_OBSERVE_COUNTERS_H

#include <stdint.h>

#include <heist/deque.h>
#include <heist/detail/atomic.h>
#include <heist/stats.h>

typedef HEIST__ATOMIC(uint64_t) heist__counter;

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
} heist__counters;

static inline void heist__count(heist__counter *c)
{
    heist__store_relaxed(c, heist__load_relaxed(c) + 1); /* relaxed: one writer, and no thread relies on its order */
}

/* Adds the counters to a snapshot. `joins_inline`: the joins that the worker's fast path has counted itself. */
void heist__counters_add(heist_stats *sum, heist__counters *c, uint64_t joins_inline);

#endif
