/* idle/cpu_occupancy.h: how many workers are awake on each CPU, and how many of them search.
 *
 * Workers that share a CPU get in each other's way in two manners. First, a searcher is queued for milliseconds behind
 * a worker that computes; as long as it counts as a searcher no other worker is woken, though another CPU may be idle.
 * Second, a worker that is woken while every CPU is taken only takes turns with the workers that compute already. This
 * happens in pools with more workers than CPUs; in other pools the system lets it happen for ten milliseconds at a
 * time. IDLE.md says how the pool uses the counts. Everything here is a hint: a wrong one costs time, nothing else. */
#ifndef HEIST_IDLE_CPU_OCCUPANCY_H
#define HEIST_IDLE_CPU_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

#define HEIST__NO_CPU_PLACE 0

/* A CPU, and the workers that were seen there last. */
typedef struct heist__cpu_place {
    /* Workers that are not asleep, and workers that search. Written by: these workers and their wakers (add). Read by:
     * searchers and wakers. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) awake;
    HEIST__ATOMIC(uint32_t) searching;
} heist__cpu_place;

typedef struct heist__cpu_occupancy {
    heist__cpu_place *places; /* CPU n has place n + 1. NULL: nothing is counted. */
    unsigned count;           /* the number of places */
    unsigned cpus;            /* the number of CPUs that the pool may use */
    unsigned workers;
    /* The clocks (platform/cpu.h) of the workers' threads; the first `entered` are filled in, but for a clock that is
     * just being stored and still 0. Written by: workers, each once. Read by: workers that stand by. Behind them lie as
     * many again: for each seat the clock of the caller that had it last, or 0. Written by: these callers. */
    HEIST__ATOMIC(int32_t) * clocks;
    HEIST__ATOMIC(uint32_t) entered;
    /* The number of places where a worker is awake. Written by: as places. Read by: wakers. */
    HEIST__ATOMIC(uint32_t) taken;
    /* 1: the workers that are awake do not compute, but wait for something else. Written by: workers that stand by or
     * go to sleep. Read by: woken workers, and wakers. */
    HEIST__ATOMIC(uint32_t) blocked;
} heist__cpu_occupancy;

/* Returns 0 or -ENOMEM. After -ENOMEM, and in a pool with one worker, nothing is counted. */
int heist__cpu_occupancy_init(heist__cpu_occupancy *c, unsigned workers, unsigned cpus);
void heist__cpu_occupancy_destroy(heist__cpu_occupancy *c);

/* Resets all counts to 0. */
void heist__cpu_occupancy_clear(heist__cpu_occupancy *c);

/* Worker's thread, when it begins. */
void heist__cpu_occupancy_enter(heist__cpu_occupancy *c);

/* Caller from outside that has taken the seat of worker `number`. */
void heist__cpu_occupancy_guest(heist__cpu_occupancy *c, unsigned number);

/* Counts one more worker (1) or one less (-1) on `place`. */
void heist__cpu_occupancy_awake(heist__cpu_occupancy *c, uint32_t place, int more);
void heist__cpu_occupancy_searching(heist__cpu_occupancy *c, uint32_t place, int more);

/* The place of the CPU that the calling thread runs on, or `otherwise` if that is not known. */
uint32_t heist__cpu_occupancy_here(const heist__cpu_occupancy *c, uint32_t otherwise);

/* The number of searchers that cannot be running at this moment, because the calling thread runs on their CPU. */
uint32_t heist__cpu_occupancy_stuck(const heist__cpu_occupancy *c);

/* Whether another worker is awake on `place`, which is the calling worker's own place. */
bool heist__cpu_occupancy_shares(const heist__cpu_occupancy *c, uint32_t place);

/* Moves the calling thread to a CPU where no worker is awake, if there is one. The thread must have given up its place
 * before. Returns whether it was moved. */
bool heist__cpu_occupancy_move(const heist__cpu_occupancy *c);

/* Whether no worker is awake on `place`. */
bool heist__cpu_occupancy_vacant(const heist__cpu_occupancy *c, uint32_t place);

/* Whether on each CPU a worker is awake, and computes as far as is known. */
bool heist__cpu_occupancy_full(const heist__cpu_occupancy *c);

/* Sleeps for `steps` steps of platform/sleep.h, and notes in `blocked` if the workers have used less than half of the
 * CPUs' time meanwhile. */
void heist__cpu_occupancy_watch(heist__cpu_occupancy *c, unsigned steps);

/* Worker that goes to sleep: resets `blocked`. */
void heist__cpu_occupancy_forget(heist__cpu_occupancy *c);

#endif
