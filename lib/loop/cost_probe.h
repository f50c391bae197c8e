/* loop/cost_probe.h: the cost of a loop's iterations, measured by running the first of them. Pure: the caller runs them
 * and says how long that took.
 *
 * Each time twice as many are run, until they have taken long enough to be measured, or until a sixteenth of one
 * worker's part is done. The very first are left out, for they pay for cold caches, unless they took so long that no
 * others were run. */
#ifndef HEIST_LOOP_COST_PROBE_H
#define HEIST_LOOP_COST_PROBE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct heist__cost_probe {
    uint64_t units, batch, most; /* constant: of the loop; kept whole; the most to run at once */
    uint64_t next;               /* units to run now; 0: none are left */
    uint64_t done;
    int64_t passed;  /* nanoseconds since the probe began */
    uint64_t before; /* units of `done` that the measurement leaves out */
    int64_t seen;    /* nanoseconds of `passed` that it leaves out */
    double ns_each;
    bool enough; /* `ns_each` can be relied upon */
} heist__cost_probe;

/* `batch`: units that the caller gives the body at once; 0: any number. */
void heist__cost_probe_begin(heist__cost_probe *g, uint64_t units, unsigned at_once, uint64_t batch);

/* Says that `next` units have been run, and that `passed` nanoseconds have gone by since the beginning. */
void heist__cost_probe_ran(heist__cost_probe *g, int64_t passed);

#endif
