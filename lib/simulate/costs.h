/* simulate/costs.h: what things cost on a simulated machine, in picoseconds. A file gives them in nanoseconds, one name
 * and its values a line; doc/simulating.md explains the names. */
#ifndef HEIST_SIMULATE_COSTS_H
#define HEIST_SIMULATE_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/machine.h"

/* The levels of a machine, and above them the network between the machines of a cluster. */
enum { HEIST__SIM_NETWORK = HEIST__LEVELS, HEIST__SIM_LEVELS };

/* No cost and no piece of work is longer than a day: sums stay far below 2^63. */
#define HEIST__SIM_MOST_NS 86400e9

typedef struct heist__sim_costs {
    int64_t spawn, join;              /* without a thief */
    int64_t claim;                    /* the owner takes tasks back that were public */
    int64_t answer;                   /* the owner publishes for a thief that asks, or hears that a worker sleeps */
    int64_t join_stolen;              /* the owner joins a child that a thief has finished */
    int64_t pause, yield;             /* of the back-off */
    int64_t barrier;                  /* a heavy barrier, which a thief pays if the owner does not answer */
    int64_t sleep;                    /* to go to sleep: the ring, the barrier, the system call */
    int64_t wake;                     /* from the waker's call until the sleeper runs */
    int64_t wake_call;                /* the waker's part of it */
    int64_t look[HEIST__SIM_LEVELS];  /* to see that a victim has nothing */
    int64_t steal[HEIST__SIM_LEVELS]; /* to take a public task */
    int64_t carry[HEIST__SIM_LEVELS]; /* the misses of a task that runs on another worker than its data */
    double smt;                       /* the speed of each of two siblings that are busy at once; 1: as if alone */
    double roof; /* workers of a node that have the memory they want, if they do nothing else; 0: no roof */
} heist__sim_costs;

/* Nothing costs anything: the machine of the theorems. */
bool heist__sim_costs_are_free(const heist__sim_costs *c);

/* Reads `text`, lines of a file called `name`, over the costs that *c has. Returns 0, or -EINVAL with a sentence in
 * `error`, which begins with the name and the line. */
int heist__sim_costs_read(heist__sim_costs *c, const char *text, const char *name, char *error, size_t room);

/* Multiplies the cost called `name` (all of its levels) by `factor`. False: there is no such cost. */
bool heist__sim_costs_scale(heist__sim_costs *c, const char *name, double factor);

/* Writes the costs in the form of a file. Returns the length, as snprintf does. */
int heist__sim_costs_write(const heist__sim_costs *c, char *text, size_t room);

#endif
