/* loop/gauge.h: what the iterations of a loop cost, as told by the first of them. Pure: who runs them says how long that took.
 *
 * Each time twice as many are run, until they have taken long enough to be measured, or a sixteenth of what falls to one worker is done. The
 * very first are left out, for they pay for cold caches, unless they took so long that there were no others. */
#ifndef HEIST_LOOP_GAUGE_H
#define HEIST_LOOP_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct heist__gauge {
    uint64_t units, batch, most; /* constant: of the loop; what stays whole; to be run at once */
    uint64_t next;               /* how many to run now; 0: none are left */
    uint64_t done;
    int64_t passed;  /* since it began, in nanoseconds */
    uint64_t before; /* of `done`, left out of the measurement, */
    int64_t seen;    /* and of `passed` */
    double ns_each;
    bool enough; /* it can be relied upon */
} heist__gauge;

/* `batch`: what the caller gives the body at once; 0: as many as may be. */
void heist__gauge_begin(heist__gauge *g, uint64_t units, unsigned at_once, uint64_t batch);

/* `next` units have been run, and so much time has passed since the beginning. */
void heist__gauge_ran(heist__gauge *g, int64_t passed);

#endif
