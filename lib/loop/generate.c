/* Lazy generation. Each member of a fanout has room for a few items. It draws items into its room while no other member
 * draws, then consumes them. So the items in flight are those in the rooms, and there is no queue that could grow.
 *
 * By contract only one thread at a time draws, so there is a lock. A member that finds it taken spins for a little,
 * then sleeps. It is the only lock in a loop. A producer that joins while it holds the lock runs only its own
 * descendants, which never draw here.
 *
 *   G1  the producer's writes under the lock  -> the next holder of the lock
 *   G2  a sleeper marks the lock word as awaited before it sleeps; the member that unlocks such a word wakes one */
#include <errno.h>
#include <stdlib.h>

#include "idle/backoff.h"
#include "loop/fanout.h"
#include "loop/loop.h"
#include "platform/futex.h"

/* The items drawn at once should keep a worker busy this long, so that the lock costs little. */
#define BATCH_NS 5000

/* The most that a worker draws at once, unless the options say more or less. */
#define USUAL_ITEMS 64
#define USUAL_BYTES 65536

typedef enum { LOCK_FREE, LOCK_TAKEN, LOCK_AWAITED } lock_state;

typedef struct {
    /* Constant once the fanout runs. */
    heist_producer *produce;
    heist_consumer *consume;
    void *context;
    heist_loop_options options;
    size_t stride;     /* bytes from one item to the next */
    size_t room_bytes; /* from one member's room to the next */
    size_t room;       /* items in a room */
    bool adapts;
    unsigned workers, members;
    char *items;
    heist__loop_tally *tallies; /* NULL: no report */
    int64_t began;
    int outcome; /* Written by: the worker that begins the generation. */

    char apart[HEIST__LINE]; /* padding in place of alignment: see heist__loop */
    /* A lock_state. Written by: members that draw, members that wait to draw. */
    HEIST__ATOMIC(uint32_t) lock;
    bool ended; /* guarded by the lock */
    char apart_too[HEIST__LINE];
    /* Not 0: no more items are drawn. Written by: the first member that finds a reason, once (CAS). Read by: all
     * members. */
    HEIST__ATOMIC(int) stopped;
    HEIST__ATOMIC(unsigned) seats; /* members that have a room. Written by: members (add). */
    char apart_from_the_caller[HEIST__LINE];
} generator;

static void lock(generator *g, heist__worker *w)
{
    heist__backoff backoff;
    heist__backoff_begin(&backoff, w->pool->settings.spin);
    for (;;) {
        uint32_t state = LOCK_FREE;
        if (heist__cas_acq_rel(&g->lock, &state, LOCK_TAKEN)) return; /* G1. Pairs with unlock. */
        if (heist__backoff_wait(&backoff, &w->random) == HEIST__PARK) break;
    }
    while (heist__exchange_acq_rel(&g->lock, LOCK_AWAITED) != LOCK_FREE) { /* G1, G2 */
        heist__futex_wait(&g->lock, LOCK_AWAITED, -1);
    }
}

static void unlock(generator *g)
{
    if (heist__exchange_acq_rel(&g->lock, LOCK_FREE) == LOCK_AWAITED) heist__futex_wake(&g->lock, 1); /* G1, G2 */
}

static void stop(generator *g, int result)
{
    int none = 0;
    heist__cas_relaxed(&g->stopped, &none, result); /* relaxed: the joins give it to the caller */
}

static bool stopped(generator *g)
{
    return heist__load_relaxed(&g->stopped) != 0; /* relaxed: a member that sees it late draws some more */
}

/* Draws up to `most` items into `room`. Returns how many. */
static size_t draw(generator *g, heist__worker *w, char *room, size_t most)
{
    size_t n = 0;
    lock(g, w);
    while (n < most && !g->ended && !stopped(g)) {
        int more = g->produce(room + n * g->stride, g->context);
        if (more > 0) {
            n++;
        } else {
            g->ended = true;
            if (more < 0) stop(g, more);
        }
    }
    unlock(g);
    return n;
}

static void consume(generator *g, heist__worker *w, char *room, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (heist__stressed(w)) heist__stress_rest(w);
        int result = g->consume(room + i * g->stride, g->context);
        if (result) stop(g, result);
    }
}

static void tally(generator *g, const heist__worker *w, size_t n, int64_t took)
{
    if (!g->tallies) return;
    heist_loop_share *mine = &g->tallies[w->index].share;
    mine->iterations += n;
    mine->batches++;
    mine->busy_ns += (uint64_t)took;
}

static void draw_and_consume(heist__worker *w, void *generated)
{
    generator *g = generated;
    /* relaxed: only the numbers must differ; there are never more than members */
    char *room = g->items + heist__add_relaxed(&g->seats, 1) * g->room_bytes;
    size_t batch = g->adapts ? 1 : g->room;
    for (size_t n; (n = draw(g, w, room, batch)) > 0;) {
        int64_t began = heist__clock_ns();
        consume(g, w, room, n);
        int64_t took = heist__clock_ns() - began;
        tally(g, w, n, took);
        if (!g->adapts) continue;
        if (took < BATCH_NS && batch <= g->room / 2) batch *= 2;
        if (took > BATCH_NS * 4 && batch > 1) batch /= 2;
    }
}

/* Decides how many members there are, and how many items each has room for: together no more than may be in flight. */
static void divide(generator *g)
{
    const heist_loop_options *o = &g->options;
    const size_t in_flight = o->in_flight ? o->in_flight : (size_t)g->workers * USUAL_ITEMS;
    size_t each = o->batch && o->batch < in_flight ? (size_t)o->batch : in_flight;
    if (!o->batch) {
        each = in_flight / g->workers;
        if (each > USUAL_ITEMS) each = USUAL_ITEMS;
        if (each > USUAL_BYTES / g->stride) each = USUAL_BYTES / g->stride;
        if (each == 0) each = 1;
        g->adapts = true;
    }
    g->room = each;
    g->members = in_flight / each < g->workers ? (unsigned)(in_flight / each) : g->workers;
}

static int get_rooms(generator *g)
{
    size_t bytes;
    if (__builtin_mul_overflow(g->room, g->stride, &g->room_bytes) || g->room_bytes > SIZE_MAX / 2) return -ENOMEM;
    g->room_bytes = (g->room_bytes + HEIST__LINE - 1) / HEIST__LINE * HEIST__LINE;
    if (__builtin_mul_overflow(g->room_bytes, g->members, &bytes) || bytes > PTRDIFF_MAX) return -ENOMEM;
    g->items = aligned_alloc(HEIST__LINE, bytes);
    if (!g->items) return -ENOMEM;
    if (!g->options.report) return 0;
    g->tallies = heist__loop_tallies_new(g->workers);
    return g->tallies ? 0 : -ENOMEM;
}

static void run_on_worker(void *generated)
{
    generator *g = generated;
    divide(g);
    g->outcome = get_rooms(g);
    if (g->outcome == 0) {
        g->began = heist__clock_ns();
        heist__fanout_run(heist__self(), g->members, draw_and_consume, g);
        g->outcome = heist__load_relaxed(&g->stopped); /* relaxed: all members are joined */
        if (g->tallies) {
            g->options.report->schedule = HEIST_SCHEDULE_SHARED;
            g->options.report->batch = g->adapts ? 0 : g->room;
            heist__loop_report_write(g->options.report, g->tallies, g->workers, g->began);
        }
    }
    free(g->tallies);
    free(g->items);
}

int heist_generate(heist_pool *pool, size_t item_size, heist_producer *produce, heist_consumer *consume_item,
                   void *context, const heist_loop_options *options)
{
    if (!produce || !consume_item) return heist__fail(-EINVAL, "heist_generate: no producer, or no consumer");
    if (item_size == 0) return heist__fail(-EINVAL, "heist_generate: items have no size");
    if (item_size > PTRDIFF_MAX / 2) return heist__fail(-ENOMEM, "heist_generate: items of %zu bytes", item_size);
    generator g = {.produce = produce, .consume = consume_item, .context = context};
    const size_t unit = _Alignof(max_align_t);
    g.stride = (item_size + unit - 1) / unit * unit;
    int error = heist__loop_options_read(&g.options, options, "heist_generate");
    if (error) return error;
    pool = heist__pool_resolve(pool);
    if (!pool) return -errno;
    g.workers = pool->running;
    error = heist_run(pool, run_on_worker, &g);
    if (error) return error;
    /* here, because the sentence belongs to the caller's thread */
    if (g.outcome == -ENOMEM) heist__fail(-ENOMEM, "heist_generate: no memory");
    return g.outcome;
}
