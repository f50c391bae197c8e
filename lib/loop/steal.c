/* Lazy splitting. Who has a span of a loop puts its right half into the deque and runs the left half batch by batch. As long as
 * nobody takes the right half that is all: having finished the left one it takes the right one back and does the same with
 * it. When the half was taken, what is left of the left one is split again. So a worker that is left alone spawns once for
 * each power of two, and one that is robbed always has something more to take.
 *
 * A reduction runs its batches into one result in order; only a span that was taken gets a result of its own, which is added
 * when it is joined, and by then everything to its left is in.
 *
 * Without a given batch each span finds its own: ten to twenty microseconds, doubled from the usual one as long as batches
 * take less. So no iteration is waited for to learn what it costs, and the clock is read once for each batch. */
#include <errno.h>

#include "loop/fork.h"
#include "loop/loop.h"

/* Batches take this to twice this; the clock, the call and the look at the deque are less than a hundredth of it. */
#define BATCH_NS 10000

/* A part of the loop that waits in the deque. */
typedef struct {
    heist_task task;
    heist__loop *loop;
    uint64_t from, to;
    void *result; /* of who took it; NULL: none, or no memory */
    _Alignas(max_align_t) char small[HEIST__SMALL_RESULT];
} span;

/* Spans of fewer batches than this are cut into that many, each a FINEST of a batch at least: a microsecond or two. */
#define FEW 8
#define FINEST 8

/* Batches as time demands. */
typedef struct {
    uint64_t batch, most;
    uint64_t now; /* the batch in this span: less than `batch` near the end */
    bool adapts;
    int64_t began;
} pace;

/* `batch`: what was right for this worker until now; 0: it has just come, and begins with what was right for others. */
static void pace_begin(pace *p, heist__loop *l, uint64_t batch)
{
    *p = (pace){.batch = l->plan.cells ? 1 : l->plan.batch};
    if (p->batch) return;
    p->adapts = true;
    p->most = l->workers == 1 ? UINT64_MAX / 2 : l->plan.units / ((uint64_t)l->at_once * HEIST__LARGEST_PART);
    p->batch = batch ? batch : heist__load_relaxed(&l->usual_batch); /* relaxed: a hint */
    p->began = heist__clock_ns();
}

/* After a batch of `ran` units. */
static void pace_learn(pace *p, heist__loop *l, uint64_t ran)
{
    if (!p->adapts) return;
    int64_t now = heist__clock_ns(), took = now - p->began;
    p->began = now;
    uint64_t batch = p->batch;
    if (took < BATCH_NS && ran == batch && batch < p->most) {
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

/* Runs batches up to `to`, or until `right` (NULL: none) is taken, or the loop stopped. Returns where it stands. */
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

/* A span of few batches is cut finer: it may be the last of the loop, and who finishes first waits for the other. */
static void pace_span(pace *p, uint64_t units)
{
    uint64_t least = p->batch / FINEST, fine = units / FEW;
    if (least == 0) least = 1;
    if (fine < least) fine = least;
    p->now = p->adapts && fine < p->batch ? fine : p->batch;
}

/* Where the right half of [from, to) begins; `to`: too little to split. Given batches stay whole. */
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
        if (half == to) {
            run_batches(l, w, &p, from, to, accumulator, NULL, 0);
            return;
        }
        span right = {.task = {.run = run_taken}, .loop = l, .from = half, .to = to};
        uintptr_t untouched = heist__fork_for_others(w, &right.task);
        from = run_batches(l, w, &p, from, half, accumulator, &right, untouched);
        /* `right` is gone: there should be something else. */
        if (from < half) run_span(l, w, from, half, accumulator, p.batch);
        if (!heist__take_back_or_join(w, &right.task)) {
            if (right.result) heist__loop_result_add(l, accumulator, right.result);
            heist__loop_result_free(right.result, right.small);
            return;
        }
        from = half;
        if (p.adapts) p.began = heist__clock_ns(); /* others' parts may lie between */
    }
}

void heist__loop_steal(heist__loop *l, heist__worker *w, void *accumulator)
{
    heist__store_relaxed(&l->usual_batch, 1); /* relaxed: not shared yet */
    uint64_t from = l->plan.cells ? 0 : l->plan.base;
    uint64_t to = l->plan.cells ? l->plan.cells : l->plan.base + l->plan.units;
    run_span(l, w, from, to, accumulator, 0);
}
