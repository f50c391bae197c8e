/* Going to sleep and waking: nobody is asleep while there is work, and pushing costs one load while nobody is asleep.
 *
 * A worker is active, searching, or asleep. The one that goes to sleep pays for the ordering: it says so, makes every
 * pusher look (`ring`), passes a heavy barrier, and only then looks for work a last time. A pusher that is made to look
 * wakes one sleeper, unless somebody is searching already; who finds work when nobody else is searching wakes the next, or
 * does as the one that goes to sleep and makes sure that there is nothing for it.
 * IDLE.md has the states, the edges I1 to I5 and the proof. This file knows nothing of deques. */
#ifndef HEIST_IDLE_IDLE_H
#define HEIST_IDLE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/atomic.h>

#include "idle/crowd.h"

/* One per worker. */
typedef struct heist__sleeper {
    /* While asleep or about to be, its seat and one; else 0. Written by: its worker, whoever wakes it (to 0). Waited on. The seat, so that
     * who takes it back counts it where it was counted out, wherever its worker is by then. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) asleep;
    /* Where it was seen last, see crowd.h. Written by: its worker. Read by: wakers. */
    HEIST__ATOMIC(uint32_t) seat;
} heist__sleeper;

typedef struct heist__idle {
    /* How many are asleep. Written by: sleepers and wakers (add). Read by: wakers. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) asleep;
    /* How many are searching. Written by: searchers and wakers. Read by: wakers. */
    HEIST__ATOMIC(uint32_t) searching;
    /* How many were woken when there was no CPU for them, and will search in a moment. Written by: them. Read by: wakers. */
    HEIST__ATOMIC(uint32_t) standing_by;
    /* 1: the pool ends, and nobody stands by any more. Written by: who ends it. Read by: who is woken. */
    HEIST__ATOMIC(uint32_t) ending;
    /* Where the last waker began to look for a sleeper. A hint. */
    HEIST__ATOMIC(uint32_t) next;
    /* Constant. */
    heist__sleeper **sleepers;
    unsigned count;
    bool fenced;
    heist__crowd crowd;
} heist__idle;

/* What a worker that leaves the search asks its scheduler. */
typedef struct heist__idle_calls {
    void (*ring)(void *context);     /* makes every pusher look before its next push is over */
    bool (*any_work)(void *context); /* whether anything is to be had, or the worker is to end */
    void (*parks)(void *context);    /* sleeps now */
    void (*settled)(void *context);  /* has slept for a second: time to give memory back. May be NULL. */
    void *context;
} heist__idle_calls;

/* Nobody is asleep, searches or stands by. */
void heist__idle_clear(heist__idle *idle);

/* Searcher: found nothing, or was woken. If somebody else has this CPU, goes to another where nobody is. Whether there is none, so that to
 * sleep at once is better than to search on. */
bool heist__idle_crowded(heist__idle *idle, heist__sleeper *self);

/* Worker: whether another was seen on its CPU. */
bool heist__idle_shares(const heist__idle *idle, const heist__sleeper *self);

/* Searcher: found nothing. Sleeps until woken; returns soon if there is work after all. Still a searcher afterwards. True: there
 * should be work; false: it has stood by, and if there is nothing now, whoever it was woken for has done it. */
bool heist__idle_sleep(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls);

/* An active worker begins to search; a searcher has found something. The latter, if it was the last and there is more,
 * wakes the next, and returns whether it did. */
void heist__idle_search(heist__idle *idle, heist__sleeper *self);
bool heist__idle_found(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls);

/* Anybody, after making work visible: wakes one sleeper unless somebody searches. Returns whether it did. */
bool heist__idle_wake_one(heist__idle *idle);

/* Who ends the pool: wakes all. */
void heist__idle_wake_all(heist__idle *idle);

#endif
