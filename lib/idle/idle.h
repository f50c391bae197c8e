/* Going to sleep and waking: no worker sleeps while there is work for it, and a push costs one load while no worker
 * sleeps.
 *
 * A worker is active, searching, or asleep. The worker that goes to sleep pays for the ordering: it counts itself
 * asleep, makes every pusher look (`ring`), passes a heavy barrier, and only then looks for work a last time. A pusher
 * that is made to look wakes one sleeper, unless a worker is searching already. A worker that finds work when no other
 * worker is searching wakes the next one; or it rings and looks as a worker does that goes to sleep, and so makes sure
 * that there is nothing for the next one. IDLE.md has the states, the edges I1 to I6 and the proof. This file knows
 * nothing of deques. */
#ifndef HEIST_IDLE_IDLE_H
#define HEIST_IDLE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

#include "idle/cpu_occupancy.h"

/* The bits of a sleeper's word beside the place. */
#define HEIST__LENT 0x80000000u    /* another thread has the seat */
#define HEIST__DOUBT 0x40000000u   /* the home thread takes a nap, and looks for work then: see lending.h */
#define HEIST__OFFERED 0x20000000u /* the home thread searches, and can spare the seat for a moment */
#define HEIST__SETTLED 0x10000000u /* the home thread has given memory back, and sleeps without a limit */
#define HEIST__PLACE_IN_WORD 0x0fffffffu

/* After so long a sleeping home thread gives memory back. */
#define HEIST__SETTLE_NS 1000000000

/* One per worker. */
typedef struct heist__sleeper {
    /* 0: the home thread is awake, and has the seat. Else the home thread's place plus one, and the bits above. Without
     * LENT and OFFERED the home thread is asleep, or about to be. The place is there so that the waker counts the home
     * thread as awake at the place where it was counted out. Written by: the home thread, its waker (to 0), the caller
     * that takes the seat and gives it back. Waited on by: the home thread. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) asleep;
    /* The place where the seat's thread was seen last, see cpu_occupancy.h. Written by: the thread that has the seat.
     * Read by: wakers. */
    HEIST__ATOMIC(uint32_t) cpu_place;
    unsigned number; /* the index among the idle's sleepers. Constant. */
    /* How often the home thread fell asleep. Written by: the home thread, also while its seat is lent. Read by: any
     * thread. */
    HEIST__ATOMIC(uint64_t) parks;
    /* When the home thread was last woken, in nanoseconds. Written by: wakers. Read by: the home thread, for the
     * statistics: a time that is not within the last sleep means nothing. */
    HEIST__ATOMIC(uint64_t) woken_at;
} heist__sleeper;

static inline bool heist__is_asleep(uint32_t word)
{
    return word != 0 && !(word & (HEIST__LENT | HEIST__OFFERED));
}

static inline bool heist__can_be_lent(uint32_t word)
{
    return word != 0 && !(word & HEIST__LENT);
}

typedef struct heist__idle {
    /* Home threads that are asleep and have their seats. Written by: sleepers, wakers, callers that take and give back
     * seats (add). Read by: wakers, and those callers. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) asleep;
    /* Workers that are searching. Written by: searchers and wakers. Read by: wakers. */
    HEIST__ATOMIC(uint32_t) searching;
    /* Workers that were woken when there was no CPU for them, and will search in a moment. Written by: these workers.
     * Read by: wakers. */
    HEIST__ATOMIC(uint32_t) standing_by;
    /* 1: the pool ends, and no worker stands by any more. Written by: the thread that ends the pool. Read by: woken
     * workers. */
    HEIST__ATOMIC(uint32_t) ending;
    /* Changes when work was made visible while workers searched, so that they need not wait for their next round.
     * Written by: wakers (add). Read by: searchers, while they spin. On a line of its own. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) offers;
    /* The index after the sleeper that was woken last: the next waker begins there. A hint. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) next;
    /* Constant. */
    heist__sleeper **sleepers;
    unsigned count;
    unsigned present; /* sleepers that have a thread. Constant once the threads have started. */
    bool fenced;
    heist__cpu_occupancy occupancy;
    /* Callers that wait for a seat. Written by: these callers (add). Read by: threads that free a seat. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) wanting;
    /* 1: one of these callers has been told of a seat, and has not looked yet. Written by: the thread that frees a seat
     * (1), the caller that was told (0). */
    HEIST__ATOMIC(uint32_t) heir;
    /* Changes when a caller is told. Written by: the thread that frees a seat (add). Waited on by: callers that wait
     * for a seat. */
    HEIST__ATOMIC(uint32_t) vacancies;
} heist__idle;

/* The questions that the idle protocol asks the scheduler. */
typedef struct heist__idle_calls {
    void (*ring)(void *context);     /* makes every pusher look before its next push is over */
    bool (*any_work)(void *context); /* whether there is work in any deque or inbox, or the worker is to end */
    bool (*left)(void *context);     /* whether a job waits in the worker's own deque of jobs, or in an inbox */
    /* The home thread has slept for HEIST__SETTLE_NS since its seat was used, and gives memory back. May be NULL. */
    void (*settled)(void *context);
    void *context;
} heist__idle_calls;

/* Resets all counts: no worker is asleep, searches or stands by. */
void heist__idle_clear(heist__idle *idle);

/* Searcher that found nothing or was woken: if another worker is awake on its CPU, moves to a CPU where no worker is
 * awake. True: there is no such CPU, and to sleep at once is better than to search on. */
bool heist__idle_crowded(heist__idle *idle, heist__sleeper *self);

/* Worker: whether another worker was seen on its CPU. */
bool heist__idle_shares(const heist__idle *idle, const heist__sleeper *self);

/* Searcher that found nothing: sleeps until it is woken, or returns soon if there is work after all. It is a searcher
 * afterwards, too. True: there should be work. False: it has stood by; if there is no work now, other workers have done
 * the work that it was woken for. */
bool heist__idle_sleep(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls);

/* search: an active worker begins to search. found: a searcher has found work; if it was the last searcher and there is
 * more work, it wakes the next worker, and returns whether it did. */
void heist__idle_search(heist__idle *idle, heist__sleeper *self);
bool heist__idle_found(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls);

/* Home thread, counted asleep: takes its sleep back, and is a searcher again. False: another thread has woken it, or
 * its seat is lent. */
bool heist__idle_rouse_self(heist__idle *idle, heist__sleeper *self);

/* Whether there is a sleeper that can be woken. */
bool heist__idle_any_asleep(const heist__idle *idle);

/* Any thread, after it has made work visible: wakes one sleeper, unless a worker searches. Returns whether it did. */
bool heist__idle_wake_one(heist__idle *idle);

/* The thread that ends the pool: wakes all sleepers. */
void heist__idle_wake_all(heist__idle *idle);

#endif
