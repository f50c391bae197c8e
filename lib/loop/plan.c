/* Cuts a loop into cells and batches, and chooses its schedule. */
#include "loop/plan.h"

#include "loop/range.h"

/* Two numbers of cells must fit into the one word of a share. */
#define MOST_CELLS ((uint64_t)1 << 31)

/* The results of all cells may take this much memory together. There are never more of them than MOST_RESULTS, and at
 * least LEAST_RESULTS are always allowed. */
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

/* Cuts cells of whole batches; the last cell has the units that are left. */
static void cut_by_batch(heist__plan *p, uint64_t batch, uint64_t most)
{
    uint64_t batches = heist__ceil_div(p->units, batch);
    p->batch = batch;
    /* no overflow: most of the batches are full, and there are many */
    p->grain = batch * heist__ceil_div(batches, most);
    p->cells = heist__ceil_div(p->units, p->grain);
    p->extra = 0;
}

/* Cuts this many cells, as even as can be; the body gets each in one piece. */
static void cut_evenly(heist__plan *p, uint64_t cells)
{
    p->cells = cells;
    p->grain = p->units / cells;
    p->extra = p->units % cells;
    p->batch = p->grain + (p->extra != 0);
}

static uint64_t wanted_cells(const heist__plan *p, const heist__wish *w, bool deterministic, bool tapers)
{
    if (deterministic) return HEIST__FIXED_PARTS;
    if (p->schedule == HEIST_SCHEDULE_STATIC) return w->workers;
    return (uint64_t)w->at_once * (tapers ? HEIST__TAPER_CELLS : HEIST__BATCHES_EACH);
}

static uint64_t at_least_one(uint64_t n)
{
    return n ? n : 1;
}

static void taper(heist__plan *p, const heist__wish *w)
{
    p->batch = 0;
    p->most = at_least_one(p->cells / ((uint64_t)w->at_once * HEIST__BATCHES_EACH));
    p->largest = at_least_one(p->cells / ((uint64_t)w->at_once * HEIST__LARGEST_PART));
    p->least = least(at_least_one(w->finest / p->grain), p->largest);
}

void heist__plan_make(heist__plan *p, const heist__wish *w)
{
    const bool deterministic = w->deterministic && w->stride > 0;
    *p = (heist__plan){.schedule = w->schedule, .base = w->base, .units = w->units, .batch = w->batch, .take = w->take};
    if (p->schedule == HEIST_SCHEDULE_DEFAULT) p->schedule = HEIST_SCHEDULE_STEAL;
    if (p->schedule == HEIST_SCHEDULE_STEAL && !deterministic) return;
    const uint64_t most = most_cells(w->stride, w->workers, deterministic);
    if (w->batch) {
        cut_by_batch(p, w->batch, most);
        return;
    }
    const bool tapers = p->schedule == HEIST_SCHEDULE_HYBRID && w->stride == 0 && w->take == 0;
    cut_evenly(p, least(w->units, least(wanted_cells(p, w, deterministic, tapers), most)));
    if (tapers) {
        taper(p, w);
    } else if (p->grain < w->finest) {
        cut_by_batch(p, w->finest, most);
    }
}

uint64_t heist__plan_cell(const heist__plan *p, uint64_t cell)
{
    if (cell >= p->cells) return p->base + p->units;
    return p->base + cell * p->grain + least(cell, p->extra);
}

/* ---- auto ---- */

/* Nanoseconds that all units take together. Waking a worker takes some tens of microseconds, so below NOT_WORTH_IT
 * there is nothing to gain. From MEDIUM on the measured iterations need not be like the rest, and stealing adapts its
 * batches as it goes. Between the two hybrid is chosen: for even iterations it costs no more than static, and it does
 * not suffer from uneven ones, which a few iterations measured at the beginning do not show. */
#define NOT_WORTH_IT 20e3
#define MEDIUM 100e6

/* A cell with a result of its own should take this long at least: a hundred times the cost of dealing it out. */
#define CELL_NS 5e3

heist_schedule heist__plan_choose(uint64_t units, double ns_each, unsigned at_once, bool reduces, uint64_t *finest)
{
    double all = (double)units * ns_each;
    *finest = 0;
    if (all < NOT_WORTH_IT) return HEIST_SCHEDULE_DEFAULT;
    if (all >= MEDIUM) return HEIST_SCHEDULE_STEAL;
    /* Thieves must find something, and more than a little: the measured iterations may be the cheap ones. */
    uint64_t largest = heist__ceil_div(units, (uint64_t)at_once * HEIST__LARGEST_PART);
    uint64_t wanted = (uint64_t)((reduces ? CELL_NS : HEIST__FINE_NS) / ns_each) + 1; /* finite: `all` is not 0 */
    *finest = least(wanted, largest);
    return HEIST_SCHEDULE_HYBRID;
}

/* 65536 is the border of medium loops in the programs that this library began with. */
heist_schedule heist__plan_choose_by_size(uint64_t units)
{
    return units <= 65536 ? HEIST_SCHEDULE_HYBRID : HEIST_SCHEDULE_STEAL;
}
