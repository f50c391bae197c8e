/* How a loop is cut, and which schedule suits it. */
#include "loop/plan.h"

#include "loop/range.h"

/* A share is two numbers of cells in one word. */
#define MOST_CELLS ((uint64_t)1 << 31)

/* Results of cells may take this much memory together, and there are never more of them than this. */
#define MOST_RESULT_BYTES ((uint64_t)64 << 20)
#define MOST_RESULTS 4096
#define LEAST_RESULTS 16

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most_cells(size_t stride, unsigned workers, bool deterministic)
{
    if (stride == 0) return MOST_CELLS;
    uint64_t most = least(MOST_RESULT_BYTES / stride, MOST_RESULTS);
    if (most < LEAST_RESULTS) most = LEAST_RESULTS;
    return !deterministic && most < workers ? workers : most;
}

/* Cells of whole batches, the last of what is left. */
static void cut_by_batch(heist__plan *p, uint64_t most)
{
    uint64_t batches = heist__ceil_div(p->units, p->batch);
    p->grain =
        p->batch * heist__ceil_div(batches, most); /* no overflow: most of the batches are full, and there are many */
    p->cells = heist__ceil_div(p->units, p->grain);
    p->extra = 0;
}

/* So many cells, as even as can be; the body gets each in one piece. */
static void cut_evenly(heist__plan *p, uint64_t cells)
{
    p->cells = cells;
    p->grain = p->units / cells;
    p->extra = p->units % cells;
    p->batch = p->grain + (p->extra != 0);
}

void heist__plan_make(heist__plan *p, heist_schedule schedule, uint64_t base, uint64_t units, unsigned workers,
                      uint64_t batch, uint64_t take, size_t stride, bool deterministic)
{
    if (schedule == HEIST_SCHEDULE_DEFAULT) schedule = HEIST_SCHEDULE_STEAL;
    deterministic = deterministic && stride > 0;
    *p = (heist__plan){.schedule = schedule, .base = base, .units = units, .batch = batch, .take = take};
    if (schedule == HEIST_SCHEDULE_STEAL && !deterministic) return;
    uint64_t most = most_cells(stride, workers, deterministic);
    if (batch) {
        cut_by_batch(p, most);
    } else {
        uint64_t each = schedule == HEIST_SCHEDULE_STATIC ? 1 : HEIST__BATCHES_EACH;
        uint64_t wanted = deterministic ? HEIST__FIXED_PARTS : each * workers;
        cut_evenly(p, least(units, least(wanted, most)));
    }
}

uint64_t heist__plan_cell(const heist__plan *p, uint64_t cell)
{
    if (cell >= p->cells) return p->base + p->units;
    return p->base + cell * p->grain + least(cell, p->extra);
}

/* ---- auto ---- */

/* Time that all the units together take, in nanoseconds. Waking a worker takes some tens of microseconds: below the
 * first there is nothing to gain. Beyond the second nobody can say that the measured iterations speak for the rest, and
 * stealing adapts its batches as it goes. Between them hybrid: for even iterations it costs no more than static, and it does
 * not suffer from uneven ones, which a few measured at the beginning do not show. */
#define NOT_WORTH_IT 20e3
#define MEDIUM 100e6

/* A batch should take this long at least: a hundred times what dealing it out costs. */
#define BATCH_NS 5e3
#define LEAST_BATCHES_EACH 16

heist_schedule heist__plan_choose(uint64_t units, double ns_each, unsigned workers, uint64_t *batch)
{
    double all = (double)units * ns_each;
    *batch = 0;
    if (workers == 1 || all < NOT_WORTH_IT) return HEIST_SCHEDULE_DEFAULT;
    if (all >= MEDIUM) return HEIST_SCHEDULE_STEAL;
    uint64_t usual = heist__ceil_div(units, (uint64_t)workers * HEIST__BATCHES_EACH);
    if ((double)usual * ns_each < BATCH_NS) {
        /* Something must be left to take over, and more than a little: the iterations measured may be the cheap ones. */
        uint64_t largest = heist__ceil_div(units, (uint64_t)workers * LEAST_BATCHES_EACH);
        uint64_t wanted = (uint64_t)(BATCH_NS / ns_each) + 1; /* finite: `all` is not 0, so neither is ns_each */
        *batch = least(wanted, largest);
    }
    return HEIST_SCHEDULE_HYBRID;
}

/* Medium is as in the programs that this began with: up to sixty-four thousand. */
heist_schedule heist__plan_choose_by_size(uint64_t units)
{
    return units <= 65536 ? HEIST_SCHEDULE_HYBRID : HEIST_SCHEDULE_STEAL;
}
