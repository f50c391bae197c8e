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
    uint64_t batch; /* 0: as time demands; steal without cells only */
    uint64_t take;  /* as in the options */
    uint64_t cells; /* 0: none, units are dealt out themselves */
    uint64_t grain, extra;
} heist__plan;

/* Batches that the automatic choice makes for each worker: the last to finish is late by a sixty-fourth at most if all
 * cost the same. */
#define HEIST__BATCHES_EACH 64

/* Parts of a deterministic reduction, unless a batch is given: enough for any number of workers here. */
#define HEIST__FIXED_PARTS 1024

/* Cuts [base, base + units), which is not empty, for a schedule. `stride` is the size of a cell's result with padding, 0 if nothing is reduced. */
void heist__plan_make(heist__plan *p, heist_schedule schedule, uint64_t base, uint64_t units, unsigned workers,
                      uint64_t batch, uint64_t take, size_t stride, bool deterministic);

/* The first unit of a cell; of cell number p->cells, the end. */
uint64_t heist__plan_cell(const heist__plan *p, uint64_t cell);

/* What auto does with `units` that take `ns_each`: one of the schedules, or default: not worth sharing. *batch is what
 * a batch should be with it, 0: as always. */
heist_schedule heist__plan_choose(uint64_t units, double ns_each, unsigned workers, uint64_t *batch);

/* The same without having measured, by size alone. */
heist_schedule heist__plan_choose_by_size(uint64_t units);

#endif
