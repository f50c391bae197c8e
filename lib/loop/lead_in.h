/* loop/lead_in.h: the first units of a loop, run by the worker that begins it, until the rest is known to be worth
 * sharing. Pure: the worker that runs units says how long they took. */
#ifndef HEIST_LOOP_LEAD_IN_H
#define HEIST_LOOP_LEAD_IN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct heist__lead_in {
    uint64_t left;   /* units that have not been run */
    uint64_t next;   /* units to run now; 0: share the rest, or there is no rest */
    uint64_t most;   /* the most units to run at once */
    uint64_t second; /* units to run after the first, if that is short; 0: not known */
    int64_t passed;  /* nanoseconds since the lead-in began */
    double ns_each;  /* nanoseconds that each of the last units took; 0: not known */
} heist__lead_in;

/* Begins with a loop of `units`, for workers of which `at_once` can run at the same time. `ns_each`: nanoseconds that a
 * unit took on average when this loop ran last, 0 if that is not known. `sought`: a worker searches at this moment, so
 * that sharing costs little; else a worker must be woken. A loop of few units for each worker has none to spare for a
 * trial: unless it is known to be short, `next` is 0 at once. */
void heist__lead_in_begin(heist__lead_in *lead, uint64_t units, unsigned at_once, double ns_each, bool sought);

/* Says that the `next` units have been run, and took `took` nanoseconds. */
void heist__lead_in_ran(heist__lead_in *lead, int64_t took, bool sought);

#endif
