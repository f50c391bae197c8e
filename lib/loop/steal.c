/* Lazy splitting. A worker that has a span of a loop puts the right half into its deque and runs the left half batch by
 * batch. As long as no thief takes the right half, that is all: when the worker has finished the left half, it takes
 * the right half back and treats it alike. When a thief has taken the right half, the worker splits the rest of the
 * left half. So a worker without thieves spawns once for each power of two, and a worker with thieves always has
 * something more to steal.
 *
 * A reduction runs its batches into one result in order. Only a span that was stolen gets a result of its own, which is
 * added when the span is joined; by then everything to its left has been added.
 *
 * Without a given batch each span finds its own: ten to twenty microseconds, doubled from the usual one as long as
 * batches take less; the clock is read once for each batch. Before that, the worker that begins the loop runs some
 * units alone, unless it remembers their cost (lead_in.h). */
#include <errno.h>

#include "loop/lead_in.h"
#include "loop/loop.h"
#include "loop/loop_costs.h"
#include "schedule/inside.h"

/* A batch takes from this to twice this time. The clock, the call and the look at the deque take less than a hundredth
 * of it. */
#define BATCH_NS 10000

/* A part of the loop that lies in the deque. */
typedef struct {
    heist_task task;
    heist__loop *loop;
    uint64_t from, to;
    void *result; /* the thief's; NULL: none, or no memory */
    _Alignas(max_align_t) char small[HEIST__SMALL_RESULT];
} span;

/* A span of fewer than FEW batches is cut into FEW batches, but each has at least 1 / FINEST of a usual batch: a
 * microsecond or two. */
#define FEW 8
#define FINEST 8

/* A span that takes less than this is not split: handing a half over costs about a microsecond. */
#define WHOLE_NS 3000

/* The size of batches, adapted to the time they take. */
typedef struct {
    uint64_t batch, most;
    uint64_t now;   /* the batch in this span: less than `batch` near the end */
    double ns_each; /* nanoseconds that a unit of the last batch took; 0: not known */
    bool adapts;
    int64_t began;
    int64_t spent; /* nanoseconds in this span's batches */
} pace;

/* `batch`: the batch that was right for this worker until now; 0: the worker has just stolen the span, and begins with
 * the batch that was right for others. */
static void pace_begin(pace *p, heist__loop *l, uint64_t batch)
{
    *p = (pace){.batch = l->plan.cells ? 1 : l->plan.batch};
    if (p->batch) return;
    p->adapts = true;
    p->most = l->workers == 1 ? UINT64_MAX / 2 : l->plan.units / ((uint64_t)l->at_once * HEIST__LARGEST_PART);
    p->batch = batch ? batch : heist__load_relaxed(&l->usual_batch); /* relaxed: a hint */
    p->began = heist__clock_ns();
}

/* In a loop that takes less than this, batches may be larger parts of it: a sixteenth would be a call of some hundred
 * nanoseconds, of which a third is spent on the clock and the call. */
#define BRIEF_NS 40000
#define BRIEF_PART 8

/* A batch of fewer units may be doubled in a brief loop; 0: the loop is not brief. */
static uint64_t largest_when_brief(const heist__loop *l, double ns_each)
{
    if (ns_each * (double)l->plan.units >= BRIEF_NS) return 0;
    return l->plan.units / ((uint64_t)l->at_once * BRIEF_PART);
}

/* Adapts the batch after `ran` units. */
static void pace_learn(pace *p, heist__loop *l, uint64_t ran)
{
    if (!p->adapts) return;
    int64_t now = heist__clock_ns(), took = now - p->began;
    p->began = now;
    p->ns_each = (double)took / (double)ran;
    p->spent += took;
    uint64_t batch = p->batch;
    if (took < HEIST__FINE_NS / 2 && ran == batch && batch < largest_when_brief(l, p->ns_each)) {
        batch *= 2; /* the clock and the call take a tenth of it */
    } else if (took < BATCH_NS && ran == batch && batch < p->most) {
        batch = p->most - batch < batch ? p->most : batch * 2;
    } else if (took > BATCH_NS * 4 && batch > 1) {
        batch /= 2;
    }
    if (batch == p->batch) return;
    if (p->now == p->batch || p->now > batch) p->now = batch;
    p->batch = batch;
    heist__store_relaxed(&l->usual_batch, batch); /* relaxed: a hint */
}

static bool run_units(heist__loop *l, heist__worker *w, uint64_t from, uint64_t to, void *accumulator)
{
    if (l->cells) return heist__loop_cells(l, w, from, to);
    return heist__loop_batch(l, w, from, to, accumulator);
}

/* Runs batches up to `to`, until `right` (NULL: none) is taken, or until the loop is stopped. Returns the first unit
 * that has not run. */
static uint64_t run_batches(heist__loop *l, heist__worker *w, pace *p, uint64_t from, uint64_t to, void *accumulator,
                            span *right, uintptr_t untouched)
{
    while (from < to) {
        uint64_t n = to - from < p->now ? to - from : p->now;
        if (!run_units(l, w, from, from + n, accumulator)) break;
        from += n;
        pace_learn(p, l, n);
        if (right && !heist__is_untouched(&right->task, untouched)) break;
    }
    return from;
}

/* The number of units that take `ns` together, at least 1. */
static uint64_t units_within(const pace *p, double ns)
{
    const double units = p->ns_each > 0 ? ns / p->ns_each : 1;
    return units < 1 ? 1 : units < (double)p->batch ? (uint64_t)units : p->batch;
}

/* Cuts a span of few batches finer: it may be the last of the loop, where the worker that finishes first waits for the
 * other. */
static void pace_span(pace *p, uint64_t units)
{
    uint64_t least = p->batch / FINEST, fine = units / FEW, brief = units_within(p, HEIST__FINE_NS / 2);
    if (least < brief) least = brief;
    if (fine < least) fine = least;
    p->now = p->adapts && fine < p->batch ? fine : p->batch;
}

/* The first unit of the right half of [from, to); `to`: the span is too small to split. Given batches stay whole. */
static uint64_t middle(const heist__loop *l, const pace *p, uint64_t from, uint64_t to)
{
    uint64_t batches = heist__ceil_div(to - from, p->now);
    uint64_t right = batches / 2;
    if (l->plan.take > right) right = l->plan.take;
    if (l->workers == 1 || right == 0 || right >= batches) return to;
    return from + (batches - right) * p->now;
}

static void run_span(heist__loop *l, heist__worker *w, uint64_t from, uint64_t to, void *accumulator, uint64_t batch);

static void run_taken(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    (void)bottom;
    span *s = (span *)(void *)task;
    heist__loop *l = s->loop;
    void *result = NULL;
    if (l->monoid && !l->cells) {
        result = heist__loop_result_room(l, s->small);
        if (!result) {
            heist__loop_stop(l, -ENOMEM);
            return;
        }
        heist__loop_result_begin(l, result);
    }
    run_span(l, heist__worker_of(face), s->from, s->to, result, 0);
    s->result = result;
}

static void run_span(heist__loop *l, heist__worker *w, uint64_t from, uint64_t to, void *accumulator, uint64_t batch)
{
    pace p;
    pace_begin(&p, l, batch);
    while (!heist__loop_stopped(l)) {
        pace_span(&p, l->workers > 1 ? to - from : UINT64_MAX);
        uint64_t half = middle(l, &p, from, to);
        if (half < to && p.ns_each > 0 && p.ns_each * (double)(to - from) < WHOLE_NS) {
            /* One batch after the other: they may take longer than expected. */
            from = run_batches(l, w, &p, from, to - from < p.now ? to : from + p.now, accumulator, NULL, 0);
            continue;
        }
        if (half == to) {
            run_batches(l, w, &p, from, to, accumulator, NULL, 0);
            break;
        }
        span right = {.task = {.run = run_taken}, .loop = l, .from = half, .to = to};
        uintptr_t untouched = heist__fork_for_others(w, &right.task);
        from = run_batches(l, w, &p, from, half, accumulator, &right, untouched);
        /* A thief has `right`: the next one should find something, too. */
        if (from < half) run_span(l, w, from, half, accumulator, p.batch);
        if (!heist__take_back_or_join(w, &right.task)) {
            if (right.result) heist__loop_result_add(l, accumulator, right.result);
            heist__loop_result_free(right.result, right.small);
            break;
        }
        from = half;
        if (p.adapts) p.began = heist__clock_ns(); /* other workers' parts may have run in between */
    }
    if (p.spent) heist__add_relaxed(&l->spent_ns, (uint64_t)p.spent); /* relaxed: the joins order it before the sum */
}

static _Thread_local heist__loop_costs costs; /* of the loops that this thread began */

/* Tells this loop from others. */
static uintptr_t identity(const heist__loop *l)
{
    const heist__loop_body *b = &l->body;
    return b->for1      ? (uintptr_t)b->for1
           : b->for2    ? (uintptr_t)b->for2
           : b->reduce1 ? (uintptr_t)b->reduce1
                        : (uintptr_t)b->reduce2;
}

/* The cost of a unit is known before the loop is shared: the first batches follow from it. A batch takes `ns` at most,
 * and is at most one of `parts` of a worker's units. */
static void begin_with(heist__loop *l, double ns_each, double ns, uint64_t parts)
{
    const double batch = ns / ns_each;
    const uint64_t most = l->plan.units / ((uint64_t)l->at_once * parts) + 1;
    /* relaxed: no other worker sees it yet */
    heist__store_relaxed(&l->usual_batch, batch < (double)most ? (uint64_t)batch + 1 : most);
}

/* Runs the first units of [from, to) on this worker alone, until the rest is worth sharing. Returns the first unit that
 * has not run. */
static uint64_t lead_in(heist__loop *l, heist__worker *w, uint64_t from, uint64_t to, void *accumulator)
{
    heist__lead_in lead;
    const uint64_t began = from;
    const double known = heist__loop_costs_get(&costs, identity(l));
    heist__lead_in_begin(&lead, to - from, l->at_once, known, heist__is_sought(w));
    int64_t before = lead.next ? heist__clock_ns() : 0;
    while (lead.next > 0 && run_units(l, w, from, from + lead.next, accumulator)) {
        const int64_t now = heist__clock_ns();
        if (lead.next > l->measured) l->measured = lead.next;
        from += lead.next;
        heist__lead_in_ran(&lead, now - before, heist__is_sought(w));
        before = now;
    }
    heist__store_relaxed(&l->spent_ns, (uint64_t)lead.passed); /* relaxed: no other worker sees it yet */
    /* The remembered cost of an earlier loop promises little for this one: the first batch is brief. */
    if (from > began) {
        begin_with(l, lead.ns_each, BATCH_NS, HEIST__LARGEST_PART);
    } else if (known > 0) {
        begin_with(l, known, HEIST__FINE_NS / 2, FEW);
    }
    return from;
}

/* Remembers the mean cost of a unit, unless the loop was stopped before all had run. A loop that was disturbed seems
 * dear, and is shared sooner the next time. */
static void remember_cost(heist__loop *l)
{
    if (heist__loop_stopped(l)) return;
    const double spent = (double)heist__load_relaxed(&l->spent_ns); /* relaxed: the joins order it */
    heist__loop_costs_set(&costs, identity(l), spent / (double)l->plan.units);
}

void heist__loop_steal(heist__loop *l, heist__worker *w, void *accumulator)
{
    heist__store_relaxed(&l->usual_batch, 1); /* relaxed: no other worker sees it yet */
    heist__store_relaxed(&l->spent_ns, 0);
    uint64_t from = l->plan.cells ? 0 : l->plan.base;
    uint64_t to = l->plan.cells ? l->plan.cells : l->plan.base + l->plan.units;
    const bool asks_time = !l->plan.cells && !l->plan.batch && l->at_once > 1;
    if (asks_time) from = lead_in(l, w, from, to, accumulator);
    if (from < to && !heist__loop_stopped(l)) run_span(l, w, from, to, accumulator, 0);
    if (asks_time) remember_cost(l);
}
