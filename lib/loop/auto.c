/* The schedule is chosen when something is known of the loop. The caller runs a few iterations, twice as many each time, until
 * they have taken long enough to be measured; plan.c decides from what they cost. They are so few that running them alone
 * delays nobody: at most a sixteenth of what falls to one worker anyway, or a single iteration. As long as the rest does not
 * seem worth sharing it goes on like this, and measures: the first iterations may have been the cheap ones. A loop with
 * hardly more iterations than workers has none to spare for that and is left to stealing, which measures as it goes. */
#include "loop/gauge.h"
#include "loop/loop.h"

/* Fewer units than this for each worker are not worth a look. */
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

/* Runs units here until it is clear that the rest is worth sharing, or there is no rest (default). */
static heist_schedule measure(heist__loop *l, heist__worker *w, void *accumulator, heist__gauge *g, uint64_t *finest)
{
    const int64_t began = heist__clock_ns();
    heist_schedule schedule = HEIST_SCHEDULE_DEFAULT;
    heist__gauge_begin(g, l->domain.units, l->at_once, l->options.batch);
    while (schedule == HEIST_SCHEDULE_DEFAULT && g->next > 0 && !heist__loop_stopped(l)) {
        if (!l->options.batch && l->measured < g->next) l->measured = g->next;
        run_here(l, w, g->done, g->done + g->next, accumulator);
        heist__gauge_ran(g, heist__clock_ns() - began);
        if (g->enough) schedule = heist__plan_choose(g->units - g->done, g->ns_each, l->at_once, l->monoid, finest);
    }
    return schedule;
}

/* Cuts what is left by `schedule` and runs it. */
static int go_on(heist__loop *l, heist__worker *w, void *accumulator, heist_schedule schedule, uint64_t done,
                 uint64_t finest)
{
    heist__loop_plan(l, schedule, done, finest);
    int error = heist__loop_distribute(l, w, accumulator);
    /* A loop that has begun cannot say that it did not. Stealing needs no memory to begin with. */
    return error && done > 0 ? go_on(l, w, accumulator, HEIST_SCHEDULE_STEAL, done, 0) : error;
}

int heist__loop_auto(heist__loop *l, heist__worker *w, void *accumulator)
{
    const uint64_t units = l->domain.units;
    if (l->monoid && l->options.deterministic) /* the parts may not depend on what was measured */
        return go_on(l, w, accumulator, heist__plan_choose_by_size(units), 0, 0);
    if (l->workers == 1 || units / l->workers < FEWEST_EACH)
        return go_on(l, w, accumulator, HEIST_SCHEDULE_STEAL, 0, 0);
    l->plan.batch = l->options.batch;
    heist__gauge gauge;
    uint64_t finest = 0;
    heist_schedule schedule = measure(l, w, accumulator, &gauge, &finest);
    return schedule == HEIST_SCHEDULE_DEFAULT ? 0 : go_on(l, w, accumulator, schedule, gauge.done, finest);
}
