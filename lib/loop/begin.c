/* The public calls begin and end here: the loop is taken to a worker of its pool and runs there; its result and its
 * report are written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/loop.h"

static size_t padded(size_t size)
{
    return (size + HEIST__LINE - 1) / HEIST__LINE * HEIST__LINE;
}

/* Memory that any schedule needs: tallies for a report, and an accumulator for a reduction, in `small` if it fits. */
static int get_memory(heist__loop *l, char *small, void **accumulator)
{
    if (l->options.report) {
        l->tallies = heist__loop_tallies_new(l->workers);
        if (!l->tallies) return -ENOMEM;
        l->began = heist__clock_ns();
    }
    if (!l->monoid) return 0;
    *accumulator = heist__loop_result_room(l, small);
    if (!*accumulator) return -ENOMEM;
    heist__loop_result_begin(l, *accumulator);
    return 0;
}

static int run_schedule(heist__loop *l, heist__worker *w, void *accumulator)
{
    if (heist__stressed(w)) heist__stress_loop(w, &l->options, l->domain.units, l->monoid);
    if (l->options.schedule == HEIST_SCHEDULE_AUTO) return heist__loop_auto(l, w, accumulator);
    heist__loop_plan(l, l->options.schedule, 0, 0);
    return heist__loop_distribute(l, w, accumulator);
}

static void write_report(heist__loop *l)
{
    heist_loop_report *report = l->options.report;
    report->schedule = l->plan.schedule;
    report->batch = l->plan.batch && l->plan.batch < l->measured ? l->measured : l->plan.batch;
    heist__loop_report_write(report, l->tallies, l->workers, l->began);
    free(l->tallies);
}

static void run_on_worker(void *loop)
{
    heist__loop *l = loop;
    _Alignas(max_align_t) char small[HEIST__SMALL_RESULT];
    void *accumulator = NULL;
    int error = get_memory(l, small, &accumulator);
    if (!error) error = run_schedule(l, heist__self(), accumulator);
    if (!error && l->monoid && !heist__loop_stopped(l)) memcpy(l->result, accumulator, l->monoid->size);
    heist__loop_result_free(accumulator, small);
    if (l->tallies) write_report(l);
    l->outcome = error ? error : heist__load_relaxed(&l->stopped); /* relaxed: all members are joined */
}

/* The result and the report of a loop without units. */
static int nothing_to_do(heist__loop *l)
{
    if (l->monoid) heist__loop_result_begin(l, l->result);
    if (!l->options.report) return 0;
    l->began = heist__clock_ns();
    l->tallies = heist__loop_tallies_new(l->workers);
    if (!l->tallies) return heist__fail(-ENOMEM, "no memory for a report");
    l->plan.schedule = l->options.schedule;
    if (l->plan.schedule == HEIST_SCHEDULE_DEFAULT) {
        l->plan.schedule = HEIST_SCHEDULE_STEAL;
    } else if (l->plan.schedule == HEIST_SCHEDULE_AUTO) {
        l->plan.schedule = HEIST_SCHEDULE_DEFAULT;
    }
    l->plan.batch = l->options.batch;
    write_report(l);
    return 0;
}

static int find_units(heist__loop *l, const char *caller)
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
    return error ? heist__fail(error, "%s: there are too many tiles", caller) : 0;
}

int heist__loop_begin(heist_pool *pool, heist__loop *l, const char *caller, const heist_loop_options *options)
{
    int error = heist__loop_options_read(&l->options, options, caller);
    if (error) return error;
    pool = heist__pool_resolve(pool);
    if (!pool) return -errno;
    l->workers = pool->running;
    l->at_once = pool->at_once < l->workers ? pool->at_once : l->workers;
    if (l->monoid) l->stride = padded(l->monoid->size);
    error = find_units(l, caller);
    if (error) return error;
    if (l->domain.units == 0) return nothing_to_do(l);
    error = heist_run(pool, run_on_worker, l);
    if (error) return error;
    /* Here, because the sentence belongs to the calling thread. */
    if (l->outcome == -ENOMEM) heist__fail(-ENOMEM, "%s: no memory", caller);
    return l->outcome;
}
