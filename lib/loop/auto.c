/* The schedule auto: it is chosen when something is known of the loop. The worker that begins the loop runs a few
 * iterations, twice as many each time, until they have taken long enough to be measured. plan.c then decides from their
 * cost. These iterations are so few that running them alone delays no worker: at most a sixteenth of one worker's part,
 * or a single iteration. As long as the rest does not seem worth sharing, the worker goes on like this, and measures:
 * the first iterations may have been the cheap ones. A loop with hardly more iterations than workers has none to spare
 * for a measurement. It is left to stealing, which measures while it runs. */
#include "loop/cost_probe.h"
#include "loop/loop.h"

/* A loop with fewer units than this for each worker is not measured. */
#define FEWEST_EACH 64

/* Runs [from, to) on this worker alone. */
static void run_here(heist__loop *l, heist__worker *w, uint64_t from, uint64_t to, void *accumulator)
{
    uint64_t batch = l->options.batch ? l->options.batch : to - from;
    while (from < to) {
        uint64_t end = to - from > batch ? from + batch : to;
        if (!heist__loop_batch(l, w, from, end, accumulator)) return;
        from = end;
    }
}

/* Runs units here until the rest is worth sharing. Returns the schedule for the rest; default: no rest is left. */
static heist_schedule measure(heist__loop *l, heist__worker *w, void *accumulator, heist__cost_probe *g,
                              uint64_t *finest)
{
    const int64_t began = heist__clock_ns();
    heist_schedule schedule = HEIST_SCHEDULE_DEFAULT;
    heist__cost_probe_begin(g, l->domain.units, l->at_once, l->options.batch);
    while (schedule == HEIST_SCHEDULE_DEFAULT && g->next > 0 && !heist__loop_stopped(l)) {
        if (!l->options.batch && l->measured < g->next) l->measured = g->next;
        run_here(l, w, g->done, g->done + g->next, accumulator);
        heist__cost_probe_ran(g, heist__clock_ns() - began);
        if (g->enough) schedule = heist__plan_choose(g->units - g->done, g->ns_each, l->at_once, l->monoid, finest);
    }
    return schedule;
}

/* Cuts the units that are left as `schedule` demands, and runs them. */
static int run_rest(heist__loop *l, heist__worker *w, void *accumulator, heist_schedule schedule, uint64_t done,
                    uint64_t finest)
{
    heist__loop_plan(l, schedule, done, finest);
    int error = heist__loop_distribute(l, w, accumulator);
    /* A loop that has begun cannot fail as if it had not begun. Stealing needs no memory to begin with. */
    return error && done > 0 ? run_rest(l, w, accumulator, HEIST_SCHEDULE_STEAL, done, 0) : error;
}

int heist__loop_auto(heist__loop *l, heist__worker *w, void *accumulator)
{
    const uint64_t units = l->domain.units;
    if (l->monoid && l->options.deterministic) /* the parts may not depend on a measurement */
        return run_rest(l, w, accumulator, heist__plan_choose_by_size(units), 0, 0);
    if (l->workers == 1 || units / l->workers < FEWEST_EACH)
        return run_rest(l, w, accumulator, HEIST_SCHEDULE_STEAL, 0, 0);
    l->plan.batch = l->options.batch;
    heist__cost_probe probe;
    uint64_t finest = 0;
    heist_schedule schedule = measure(l, w, accumulator, &probe, &finest);
    return schedule == HEIST_SCHEDULE_DEFAULT ? 0 : run_rest(l, w, accumulator, schedule, probe.done, finest);
}
