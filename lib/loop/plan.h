/* loop/plan.h: how a loop is cut, and which schedule suits it. Pure: numbers in, numbers out.
 *
 * A plan covers the units [base, base + units). Where it has cells, cell c begins at base + c * grain + min(c, extra): either
 * all cells have `grain` units and the last what is left (extra 0), or the first `extra` have one unit more. A batch is what
 * the body gets at once; a cell has one batch or several. */
#ifndef HEIST_LOOP_PLAN_H
#define HEIST_LOOP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/loop.h>

typedef struct heist__plan {
    heist_schedule schedule; /* never default */
    uint64_t base, units;
    uint64_t batch; /* the most that the body gets at once; 0: as time demands */
    uint64_t take;  /* as in the options */
    uint64_t cells; /* 0: none, units are dealt out themselves */
    uint64_t grain, extra;
    /* Hybrid. Not 0: batches taper, and have `most` cells, fewer in the end; but `least`, as far as is known from auto, and at most `largest` where
     * time demands more. */
    uint64_t most, least, largest;
} heist__plan;

/* Batches that the automatic choice makes for each worker: the last to finish is late by a sixty-fourth at most if all
 * cost the same. */
#define HEIST__BATCHES_EACH 64

/* Cells for each worker where batches taper: four for each of its sixty-four batches, so that the last are a fourth of the others. */
#define HEIST__TAPER_CELLS (4 * HEIST__BATCHES_EACH)

/* A batch is never more than this part of what falls to one worker, however short the iterations were until then: they promise nothing for
 * those after them. */
#define HEIST__LARGEST_PART 16

/* A tapered batch should take this long at least: some twenty times what it costs to take it. */
#define HEIST__FINE_NS 1250

/* Parts of a deterministic reduction, unless a batch is given: enough for any number of workers here. */
#define HEIST__FIXED_PARTS 1024

/* What is to be cut: the units [base, base + units), which are not empty. */
typedef struct heist__wish {
    heist_schedule schedule;
    uint64_t base, units;
    unsigned workers;
    unsigned at_once; /* of these, can run at the same time */
    uint64_t batch;   /* as in the options; 0: as follows */
    uint64_t finest;  /* what is dealt out at once has this many units at least; 0: however many it comes to */
    uint64_t take;    /* as in the options */
    size_t stride;    /* size of a cell's result with padding, 0 if nothing is reduced */
    bool deterministic;
} heist__wish;

void heist__plan_make(heist__plan *p, const heist__wish *wish);

/* The first unit of a cell; of cell number p->cells, the end. */
uint64_t heist__plan_cell(const heist__plan *p, uint64_t cell);

/* What auto does with `units` that take `ns_each`: one of the schedules, or default: not worth sharing. *finest is what it wishes with
 * that schedule. */
heist_schedule heist__plan_choose(uint64_t units, double ns_each, unsigned at_once, bool reduces, uint64_t *finest);

/* The same without having measured, by size alone. */
heist_schedule heist__plan_choose_by_size(uint64_t units);

#endif
