/* idle/crowd.h: who is where.
 *
 * Workers that share a CPU get in each other's way in two manners. One that searches is queued behind one that computes, for
 * milliseconds; as long as it counts as a searcher nobody else is woken, though another CPU may be idle. And one that is woken
 * while every CPU is taken only takes turns with those that compute already. That is so in pools that have more workers than CPUs, and
 * in others the system lets it be so for ten milliseconds at a time. So it is counted how many workers are awake on each CPU,
 * and how many of them search. IDLE.md says what follows from that. Everything here is a hint: a wrong one costs time, nothing else. */
#ifndef HEIST_IDLE_CROWD_H
#define HEIST_IDLE_CROWD_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/atomic.h>

#define HEIST__NO_SEAT 0

/* A CPU, and the workers that were seen there last. */
typedef struct heist__seat {
    /* Not asleep; and searching. Written by: these workers, and who wakes them (add). Read by: searchers and wakers. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) awake;
    HEIST__ATOMIC(uint32_t) searching;
} heist__seat;

typedef struct heist__crowd {
    heist__seat *seats; /* CPU n's is n + 1. NULL: nothing is counted. */
    unsigned count;     /* of seats */
    unsigned cpus;      /* that may be used */
    unsigned workers;
    /* Their clocks (platform/cpu.h), those of the first `entered`; a 0 among them is one that is just being entered. Written by:
     * workers, each once. Read by: who stands by. */
    HEIST__ATOMIC(int32_t) * clocks;
    HEIST__ATOMIC(uint32_t) entered;
    /* Seats where somebody is awake. Written by: as seats. Read by: wakers. */
    HEIST__ATOMIC(uint32_t) taken;
    /* 1: who is awake does not compute, but waits for something else. Written by: who stands by, and who goes to sleep. Read by:
     * who was woken, and wakers. */
    HEIST__ATOMIC(uint32_t) blocked;
} heist__crowd;

/* Returns 0, or -ENOMEM: then nothing is counted, nor is it where there is one worker. */
int heist__crowd_init(heist__crowd *c, unsigned workers, unsigned cpus);
void heist__crowd_destroy(heist__crowd *c);

/* Nobody is anywhere. */
void heist__crowd_clear(heist__crowd *c);

/* A worker's thread begins. */
void heist__crowd_enter(heist__crowd *c);

/* One more (1) or one less (-1) on `seat`. */
void heist__crowd_awake(heist__crowd *c, uint32_t seat, int more);
void heist__crowd_searching(heist__crowd *c, uint32_t seat, int more);

/* The seat of the CPU that the caller runs on, or `otherwise` if that is not known. */
uint32_t heist__crowd_here(const heist__crowd *c, uint32_t otherwise);

/* Searchers that cannot be running at this moment, since the caller runs on their CPU. */
uint32_t heist__crowd_stuck(const heist__crowd *c);

/* Whether somebody else than the caller, whose seat it is, is awake there. */
bool heist__crowd_shares(const heist__crowd *c, uint32_t seat);

/* Moves the calling thread to a CPU where nobody is awake, if there is one; its own seat must have been given up. Returns whether it
 * was moved. */
bool heist__crowd_move(const heist__crowd *c);

/* Whether nobody is awake there. */
bool heist__crowd_vacant(const heist__crowd *c, uint32_t seat);

/* Whether on each CPU somebody is awake, and computes as far as is known. */
bool heist__crowd_full(const heist__crowd *c);

/* Sleeps for so many naps, and finds out whether the workers used the CPUs meanwhile. */
void heist__crowd_watch(heist__crowd *c, unsigned naps);

/* Somebody goes to sleep: what was found out is forgotten. */
void heist__crowd_forget(heist__crowd *c);

#endif
