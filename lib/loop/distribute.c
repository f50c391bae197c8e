/* Running a loop, or the rest of one, by a schedule: the plan, the memory that the schedule needs, the schedule itself,
 * and the results of its cells put together. */
#include <errno.h>
#include <stdlib.h>

#include "loop/loop.h"

/* Gives each worker a fixed share of the cells. */
static int make_shares(heist__loop *l)
{
    l->shares = aligned_alloc(HEIST__LINE, l->workers * sizeof *l->shares);
    if (!l->shares) return -ENOMEM;
    for (uint64_t i = 0; i < l->workers; i++) {
        heist__cell_range_set(&l->shares[i], heist__loop_share(l, i), heist__loop_share(l, i + 1));
    }
    return 0;
}

/* A loop with cells needs results if it reduces, and shares if its schedule deals them out. */
static int get_memory(heist__loop *l)
{
    bool has_shares = l->plan.schedule == HEIST_SCHEDULE_STATIC || l->plan.schedule == HEIST_SCHEDULE_HYBRID;
    if (has_shares && make_shares(l) < 0) return -ENOMEM;
    if (!l->monoid || !l->plan.cells) return 0;
    l->cells = aligned_alloc(HEIST__LINE, l->plan.cells * l->stride);
    return l->cells ? 0 : -ENOMEM;
}

static void run_schedule(heist__loop *l, heist__worker *w, void *accumulator)
{
    switch (l->plan.schedule) {
    case HEIST_SCHEDULE_STATIC: heist__loop_static(l, w); break;
    case HEIST_SCHEDULE_SHARED: heist__loop_shared(l, w); break;
    case HEIST_SCHEDULE_HYBRID: heist__loop_hybrid(l, w); break;
    default: heist__loop_steal(l, w, accumulator); break;
    }
}

int heist__loop_distribute(heist__loop *l, heist__worker *w, void *accumulator)
{
    int error = get_memory(l);
    if (!error) {
        run_schedule(l, w, accumulator);
        if (l->cells) heist__loop_result_add_cells(l, accumulator);
    }
    free(l->cells);
    free(l->shares);
    l->cells = NULL;
    l->shares = NULL;
    return error;
}

void heist__loop_plan(heist__loop *l, heist_schedule schedule, uint64_t done, uint64_t finest)
{
    const heist_loop_options *o = &l->options;
    const heist__wish wish = {
        .schedule = schedule,
        .base = done,
        .units = l->domain.units - done,
        .workers = l->workers,
        .at_once = l->at_once,
        .batch = o->batch,
        .finest = finest,
        .take = o->take,
        .stride = l->stride,
        .deterministic = o->deterministic,
    };
    heist__plan_make(&l->plan, &wish);
}
