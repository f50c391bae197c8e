/* idle/spin_budget.h: how long a worker that finds nothing spins before it sleeps, learned from its last waits. Pure:
 * nothing here reads a clock or waits.
 *
 * A wait lasts from the first search without success until work is found, asleep or not. After a short wait the budget
 * is up to twice as long as that wait, so that the next wait of that length ends without a sleep. After a long wait the
 * budget is halved. A worker that was disturbed, because another program had its CPU for a while, spins as briefly as
 * possible in its next wait. */
#ifndef HEIST_IDLE_SPIN_BUDGET_H
#define HEIST_IDLE_SPIN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* The least budget is half of the cost of a sleep and a wake. The most keeps an idle pool from spinning for a
 * millisecond. */
#define HEIST__SPIN_LEAST_NS 20000
#define HEIST__SPIN_FIRST_NS 50000
#define HEIST__SPIN_MOST_NS 500000

/* A round that takes longer was disturbed. An undisturbed round takes a tenth of this. */
#define HEIST__SPIN_DISTURBED_NS 100000

/* The most rounds: a limit in case the clock stands still. */
#define HEIST__SPIN_ROUNDS_MOST 256

/* Belongs to one worker. Zero is a worker that has learned nothing. */
typedef struct heist__spin_budget {
    int64_t ns; /* the budget of this wait; 0: nothing learned yet */
    int64_t began, seen, until;
    uint32_t rounds;
    bool disturbed;
} heist__spin_budget;

/* Begins a wait. */
void heist__spin_begin(heist__spin_budget *b, int64_t now);
/* The worker has slept and is awake again: the same wait goes on, with the least budget. */
void heist__spin_woken(heist__spin_budget *b, int64_t now);
/* After a round that found nothing. Returns whether another round is worth it. */
bool heist__spin_on(heist__spin_budget *b, int64_t now);
/* Ends a wait. */
void heist__spin_end(heist__spin_budget *b, int64_t now);

#endif
