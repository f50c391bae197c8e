/* From the call to the schedule and back: the loop is taken to a worker of its pool, gets the memory it needs, runs, and its
 * results are put together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/loop.h"

static size_t padded(size_t size)
{
    return (size + HEIST__LINE - 1) / HEIST__LINE * HEIST__LINE;
}

/* A fixed share of the cells for each worker. */
static int deal_shares(heist__loop *l)
{
    l->shares = aligned_alloc(HEIST__LINE, l->workers * sizeof *l->shares);
    if (!l->shares) return -ENOMEM;
    for (uint64_t i = 0; i < l->workers; i++) {
        heist__share_set(&l->shares[i], heist__loop_share(l, i), heist__loop_share(l, i + 1));
    }
    return 0;
}

static int get_memory(heist__loop *l)
{
    bool dealt = l->plan.schedule == HEIST_SCHEDULE_STATIC || l->plan.schedule == HEIST_SCHEDULE_HYBRID;
    if (dealt && deal_shares(l) < 0) return -ENOMEM;
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

static int run_loop(heist__loop *l, heist__worker *w, void *accumulator)
{
    const heist_loop_options *o = &l->options;
    if (o->schedule == HEIST_SCHEDULE_AUTO) return heist__loop_auto(l, w, accumulator);
    heist__loop_plan(l, o->schedule, 0, 0);
    return heist__loop_distribute(l, w, accumulator);
}

static int run_and_reduce(heist__loop *l, heist__worker *w)
{
    _Alignas(max_align_t) char small[HEIST__SMALL_RESULT];
    if (!l->monoid) return run_loop(l, w, NULL);
    void *accumulator = heist__loop_result_room(l, small);
    if (!accumulator) return -ENOMEM;
    heist__loop_result_begin(l, accumulator);
    int error = run_loop(l, w, accumulator);
    if (!error && !heist__loop_stopped(l)) memcpy(l->result, accumulator, l->monoid->size);
    heist__loop_result_free(accumulator, small);
    return error;
}

static void write_report(heist__loop *l, heist__loop_tally *tallies)
{
    heist_loop_report *report = l->options.report;
    report->schedule = l->plan.schedule;
    report->batch = l->plan.batch && l->plan.batch < l->measured ? l->measured : l->plan.batch;
    heist__loop_report_write(report, tallies, l->workers, l->began);
    free(tallies);
}

static int run_and_report(heist__loop *l, heist__worker *w)
{
    if (!l->options.report) return run_and_reduce(l, w);
    l->tallies = heist__loop_tallies_new(l->workers);
    if (!l->tallies) return -ENOMEM;
    l->began = heist__clock_ns();
    int error = run_and_reduce(l, w);
    write_report(l, l->tallies);
    return error;
}

static void run_on_worker(void *loop)
{
    heist__loop *l = loop;
    int error = run_and_report(l, heist__self());
    l->outcome = error ? error : heist__load_relaxed(&l->stopped); /* relaxed: all is joined */
}

static int nothing_to_do(heist__loop *l)
{
    if (l->monoid) heist__loop_result_begin(l, l->result);
    if (!l->options.report) return 0;
    l->began = heist__clock_ns();
    heist__loop_tally *none = heist__loop_tallies_new(l->workers);
    if (!none) return heist__fail(-ENOMEM, "no memory for a report");
    l->plan.schedule = l->options.schedule;
    if (l->plan.schedule == HEIST_SCHEDULE_DEFAULT) {
        l->plan.schedule = HEIST_SCHEDULE_STEAL;
    } else if (l->plan.schedule == HEIST_SCHEDULE_AUTO) {
        l->plan.schedule = HEIST_SCHEDULE_DEFAULT;
    }
    l->plan.batch = l->options.batch;
    write_report(l, none);
    return 0;
}

static int find_units(heist__loop *l, const char *who)
{
    heist__domain *d = &l->domain;
    const heist_loop_options *o = &l->options;
    if (!l->body.for2 && !l->body.reduce2) {
        heist__domain_line(d, d->rows);
        return 0;
    }
    bool fixed = l->monoid && o->deterministic;
    uint64_t wanted = fixed ? HEIST__FIXED_PARTS : (uint64_t)l->at_once * HEIST__BATCHES_EACH;
    int error = heist__domain_tiles(d, d->rows, d->columns, o->tile_rows, o->tile_columns, wanted);
    return error ? heist__fail(error, "%s: there are too many tiles", who) : 0;
}

int heist__loop_begin(heist_pool *pool, heist__loop *l, const char *who, const heist_loop_options *options)
{
    int error = heist__loop_options_read(&l->options, options, who);
    if (error) return error;
    pool = heist__pool_resolve(pool);
    if (!pool) return -errno;
    l->workers = pool->running;
    l->at_once = pool->at_once < l->workers ? pool->at_once : l->workers;
    if (l->monoid) l->stride = padded(l->monoid->size);
    error = find_units(l, who);
    if (error) return error;
    if (l->domain.units == 0) return nothing_to_do(l);
    error = heist_run(pool, run_on_worker, l);
    if (error) return error;
    if (l->outcome == -ENOMEM) heist__fail(-ENOMEM, "%s: no memory", who); /* in the caller's thread */
    return l->outcome;
}
