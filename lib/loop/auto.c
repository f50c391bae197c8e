/* The schedule is chosen when something is known of the loop. The caller runs a few iterations, twice as many each time, until
 * they have taken long enough to be measured; plan.c decides from what they cost. They are so few that running them alone
 * delays nobody: at most a sixteenth of what falls to one worker anyway, or a single iteration. As long as the rest does not
 * seem worth sharing it goes on like this, and measures: the first iterations may have been the cheap ones. A loop with
 * hardly more iterations than workers has none to spare for that and is left to stealing, which measures as it goes. */
#include "loop/loop.h"

#define MEASURABLE_NS 5000

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

/* What was found out about a loop on the way. */
typedef struct {
    uint64_t done;
    heist_schedule schedule; /* for the rest; default: there is none */
    uint64_t batch;
} finding;

/* Runs units here until it is clear that the rest is worth sharing, or there is no rest. */
static finding measure(heist__loop *l, heist__worker *w, void *accumulator)
{
    const uint64_t units = l->domain.units, batch = l->options.batch ? l->options.batch : 1; /* given ones stay whole */
    uint64_t most = units / ((uint64_t)l->workers * 16) / batch * batch;
    if (most == 0) most = batch;
    finding f = {0};
    int64_t began = heist__clock_ns(), before = began;
    for (uint64_t n = batch; f.done < units && !heist__loop_stopped(l); n *= 2) {
        if (n > most) n = most;
        if (n > units - f.done) n = units - f.done;
        run_here(l, w, f.done, f.done + n, accumulator);
        f.done += n;
        int64_t now = heist__clock_ns();
        double ns_each = (double)(now - before) / (double)n; /* of the latest: the first pay for cold caches */
        before = now;
        if (now - began < MEASURABLE_NS && f.done < most) continue;
        f.schedule = heist__plan_choose(units - f.done, ns_each, l->workers, &f.batch);
        if (f.schedule != HEIST_SCHEDULE_DEFAULT) break;
    }
    return f;
}

/* Cuts what is left by `schedule` and runs it. */
static int go_on(heist__loop *l, heist__worker *w, void *accumulator, heist_schedule schedule, uint64_t done,
                 uint64_t batch)
{
    const heist_loop_options *o = &l->options;
    heist__plan_make(&l->plan, schedule, done, l->domain.units - done, l->workers, o->batch ? o->batch : batch, o->take,
                     l->stride, o->deterministic);
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
    finding f = measure(l, w, accumulator);
    return f.schedule == HEIST_SCHEDULE_DEFAULT ? 0 : go_on(l, w, accumulator, f.schedule, f.done, f.batch);
}
