/* loop/plan.h: cuts a loop into cells and batches, and chooses its schedule. Pure: numbers in, numbers out.
 *
 * A plan covers the units [base, base + units). Where it has cells, cell c begins at base + c * grain + min(c, extra):
 * either all cells have `grain` units and the last has the units that are left (extra 0), or the first `extra` cells
 * have one unit more. A batch is the units that the body gets at once; a cell has one batch or several. */
#ifndef HEIST_LOOP_PLAN_H
#define HEIST_LOOP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/loop.h>

typedef struct heist__plan {
    heist_schedule schedule; /* never default */
    uint64_t base, units;
    uint64_t batch; /* the most units that the body gets at once; 0: as time demands */
    uint64_t take;  /* as in the options */
    uint64_t cells; /* 0: none, and units are dealt out themselves */
    uint64_t grain, extra;
    /* Hybrid. `most` not 0: batches taper. They have `most` cells, fewer in the end, but at least `least`, as far as
     * auto knows, and at most `largest` where time demands more. */
    uint64_t most, least, largest;
} heist__plan;

/* Batches that are made for each worker unless a batch is given: the last worker to finish is late by a sixty-fourth at
 * most if all cost the same. */
#define HEIST__BATCHES_EACH 64

/* Cells for each worker where batches taper: four for each of its sixty-four batches, so that the last batches are a
 * quarter of the others. */
#define HEIST__TAPER_CELLS (4 * HEIST__BATCHES_EACH)

/* A batch is never more than this part of one worker's units, however short the iterations were until then: they
 * promise nothing for those after them. (The first units of a small loop are an exception: lead_in.c.) */
#define HEIST__LARGEST_PART 16

/* A tapered batch should take this long at least: some twenty times the cost of taking it. */
#define HEIST__FINE_NS 1250

/* Parts of a deterministic reduction, unless a batch is given: enough for any number of workers on today's machines. */
#define HEIST__FIXED_PARTS 1024

/* The request for a plan. The units to cut are [base, base + units), which are not empty. */
typedef struct heist__wish {
    heist_schedule schedule;
    uint64_t base, units;
    unsigned workers;
    unsigned at_once; /* workers that can run at the same time */
    uint64_t batch;   /* as in the options; 0: `finest` applies */
    uint64_t finest;  /* the fewest units that are dealt out at once; 0: any number */
    uint64_t take;    /* as in the options */
    size_t stride;    /* size of a cell's result with padding, 0 if nothing is reduced */
    bool deterministic;
} heist__wish;

void heist__plan_make(heist__plan *p, const heist__wish *wish);

/* The first unit of a cell; for cell number p->cells, the end of the plan. */
uint64_t heist__plan_cell(const heist__plan *p, uint64_t cell);

/* Chooses auto's schedule for `units` that take `ns_each`. Default: the loop is not worth sharing. *finest: see
 * heist__wish. */
heist_schedule heist__plan_choose(uint64_t units, double ns_each, unsigned at_once, bool reduces, uint64_t *finest);

/* The same without a measurement, by size alone. */
heist_schedule heist__plan_choose_by_size(uint64_t units);

#endif
