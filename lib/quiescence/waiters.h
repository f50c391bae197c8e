/* quiescence/waiters.h: waiting until a detector is quiet. A waiting thread takes a place, and the worker that finishes
 * last tells it there. waiters.c has the protocol, TERMINATION.md the edges T4 to T10. */
#ifndef HEIST_QUIESCENCE_WAITERS_H
#define HEIST_QUIESCENCE_WAITERS_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

#include "quiescence/detector.h"

/* A place for a thread that waits until a detector is quiet. The place stays when that thread has gone. */
typedef struct heist__waiter {
    HEIST__ATOMIC(uint32_t) taken; /* Written by: a thread that wants to wait here (CAS), the thread that has waited. */
    /* Written by: the waiter (0), the finisher that saw the detector quiet (1), a creator of a task that the waiter may
     * run (2, by CAS from 0). Waited on by: the waiter. */
    HEIST__ATOMIC(uint32_t) quiet;
    HEIST__ATOMIC(uint32_t)
    looker; /* whether a finisher looks. Written by: finishers. Read and waited on by: the waiter. */
    HEIST__ATOMIC(uint32_t)
    leaving; /* the waiter sleeps until no finisher looks. Written by: the waiter. Read by: finishers. */
    HEIST__ATOMIC(const heist__detector *) detector; /* Written by: the waiter; NULL: none. Read by: finishers. */
} heist__waiter;

/* Enough for most programs. (The model checker has fewer places, so that it needs more rooms.) */
#ifndef HEIST__PLACES
#define HEIST__PLACES 16
#endif

typedef struct heist__waiting_room {
    heist__waiter places[HEIST__PLACES];
    HEIST__ATOMIC(struct heist__waiting_room *)
    more; /* Written by: a thread that found no place, once. Read by: all. */
} heist__waiting_room;

typedef struct heist__waiters {
    /* The number of waiters. Written by: waiters (add). Read by: finishers. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) waiting;
    /* The number of waiters that are workers, sleep, and would run the tasks that they wait for. Written by: these
     * workers (add). Read by: creators. */
    HEIST__ATOMIC(uint32_t) hungry;
    _Alignas(HEIST__LINE) heist__waiting_room first;
} heist__waiters;

/* Finisher, after counting: tells the waiters whose detector is quiet. `fenced`: finishers pay for the order of
 * counting and looking. Does not block. */
void heist__waiters_tell(heist__waiters *all, bool fenced);

/* Creator, after it has made a task visible: wakes the workers that sleep and wait for the scope of the task.
 * `detector` counts the task. It is not read, only compared: the task may have ended by now. In fence mode the caller
 * has a fence before this call. Does not block. */
void heist__waiters_offer_all(heist__waiters *all, const heist__detector *detector);
static inline void heist__waiters_offer(heist__waiters *all, const heist__detector *detector)
{
    heist__compiler_barrier(); /* T10: as T4, for a task that is created */
    if (heist__load_relaxed(&all->hungry)) heist__waiters_offer_all(all, detector); /* relaxed: T10 orders it */
}

/* Takes a place to wait in; NULL: no memory. False: finishers may not tell the waiter, because it has no place, or
 * because the kernel refused the barrier that orders T4; then the waiter must look from time to time. */
bool heist__waiter_begin(heist__waiters *all, bool fenced, const heist__detector *detector, heist__waiter **place);

/* Sleeps until a finisher says that the detector is quiet, or a creator that there is a task to run, or for `nap_ns`.
 * True: the detector is quiet. */
bool heist__waiter_sleep(heist__waiter *waiter, int64_t nap_ns);

/* Gives the place back. From then on no finisher looks at the detector. Blocks: for as long as a finisher looks at this
 * place. */
void heist__waiter_end(heist__waiters *all, heist__waiter *waiter);

/* Blocks until the detector is quiet. On `spare` CPUs the calling thread may spin first. */
void heist__waiters_wait(heist__waiters *all, bool fenced, const heist__detector *detector, unsigned spare);

/* Frees all places. No other thread may use them. */
void heist__waiters_forget(heist__waiters *all);

#endif
