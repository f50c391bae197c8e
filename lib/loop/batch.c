/* Running a batch: the calls of the body, with the look at `stopped` before and the tallies after each. */
#include "loop/loop.h"

void heist__loop_stop(heist__loop *l, int result)
{
    int none = 0;
    /* relaxed: the joins give it to the caller, and no other access depends on it */
    heist__cas_relaxed(&l->stopped, &none, result);
}

static int call_line(heist__loop *l, uint64_t from, uint64_t to, void *accumulator)
{
    heist_range part = heist__range_part(l->domain.rows, l->domain.row_count, from, to);
    return l->body.reduce1 ? l->body.reduce1(part, accumulator, l->context) : l->body.for1(part, l->context);
}

static int call_tile(heist__loop *l, uint64_t tile, void *accumulator, uint64_t *iterations)
{
    heist_range rows, columns;
    heist__domain_tile(&l->domain, tile, &rows, &columns);
    *iterations = heist_range_count(rows) * heist_range_count(columns);
    return l->body.reduce2 ? l->body.reduce2(rows, columns, accumulator, l->context)
                           : l->body.for2(rows, columns, l->context);
}

static int call_timed(heist__loop *l, heist__worker *w, uint64_t from, uint64_t to, void *accumulator)
{
    uint64_t iterations = to - from;
    int64_t before = l->tallies ? heist__clock_ns() : 0;
    int result =
        l->domain.tile_rows ? call_tile(l, from, accumulator, &iterations) : call_line(l, from, to, accumulator);
    if (l->tallies) {
        heist_loop_share *mine = &l->tallies[w->index].share;
        mine->busy_ns += (uint64_t)(heist__clock_ns() - before);
        mine->iterations += iterations;
        mine->batches++;
    }
    return result;
}

bool heist__loop_batch(heist__loop *l, heist__worker *w, uint64_t from, uint64_t to, void *accumulator)
{
    while (from < to) {
        if (heist__loop_stopped(l)) return false;
        if (heist__stressed(w)) heist__stress_rest(w);
        uint64_t end = l->domain.tile_rows ? from + 1 : to; /* a tile is a call of its own */
        int result = call_timed(l, w, from, end, accumulator);
        if (result) {
            heist__loop_stop(l, result);
            return false;
        }
        from = end;
    }
    return true;
}

static bool run_cell(heist__loop *l, heist__worker *w, uint64_t cell)
{
    uint64_t from = heist__plan_cell(&l->plan, cell), end = heist__plan_cell(&l->plan, cell + 1);
    char *result = l->cells ? l->cells + cell * l->stride : NULL;
    if (result) heist__loop_result_begin(l, result);
    while (from < end) {
        uint64_t to = end - from > l->plan.batch ? from + l->plan.batch : end;
        if (!heist__loop_batch(l, w, from, to, result)) return false;
        from = to;
    }
    return true;
}

bool heist__loop_cells(heist__loop *l, heist__worker *w, uint64_t first, uint64_t last)
{
    for (uint64_t cell = first; cell < last; cell++) {
        if (!run_cell(l, w, cell)) return false;
    }
    return true;
}
