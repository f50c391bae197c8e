/* Counters with one writer: the worker they belong to. Anybody may read them at any time. */
#ifndef HEIST_OBSERVE_COUNTERS_H
#define HEIST_OBSERVE_COUNTERS_H

#include <stdint.h>

#include <heist/atomic.h>
#include <heist/stats.h>

typedef HEIST__ATOMIC(uint64_t) heist__counter;

typedef struct heist__counters {
    _Alignas(HEIST__LINE) heist__counter stolen_run; /* stolen tasks that this worker has run */
    heist__counter joins_slow;                       /* own children popped with a thief about */
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
    heist__store_relaxed(c, heist__load_relaxed(c) + 1); /* relaxed: one writer, and nothing hangs on it */
}

#endif
