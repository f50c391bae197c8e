/* Waiting for a future.
 *
 * A worker of the future's pool that waits for it runs the future's task itself, if no thread has begun it. If the
 * future waits for others, the worker runs one of those in the same way. If the task runs on another worker, it runs
 * descendants of that task. Otherwise it spins for a while, then sleeps. It runs nothing else: every task on its stack
 * waits for the one above it, so no task is held up by one that it does not need.
 *
 * Any other thread may run the task in a seat of the pool, if one is free at once. Else it spins shortly, then
 * sleeps. */
#include "async/wait.h"

#include <errno.h>
#include <string.h>

#include "idle/backoff.h"
#include "idle/outside_spin.h"
#include "platform/clock.h"
#include "platform/pause.h"

/* Naps of a worker that waits for a task of another worker: it may come to have descendants, or to wait in a circle. */
#define SHORTEST_NAP_NS 50000
#define LONGEST_NAP_NS 10000000

/* Pauses of a thread outside before it sleeps, or spins as long as its last waits have taught it: a microsecond. */
#define OUTSIDE_PAUSES 64

/* The futures between the one that is waited for and the one that can be run, kept for the next round. */
#define PATH 64

/* ---- time ---- */

/* The time until `when`, at most `limit_ns`; -1: without end. */
static int64_t time_left(int64_t when, int64_t limit_ns)
{
    if (when == HEIST_FOREVER) return limit_ns;
    int64_t now = heist__clock_ns();
    int64_t left = when > now ? when - now : 0;
    return limit_ns >= 0 && limit_ns < left ? limit_ns : left;
}

static bool is_over(int64_t when)
{
    return when != HEIST_FOREVER && heist__clock_ns() >= when;
}

/* ---- a worker ---- */

/* The way from a future to one that can be run. `at[0]` is the caller's; the others are counted. */
typedef struct {
    heist_future *at[PATH];
    unsigned length;
    unsigned way;  /* of a future with several sources: which of them is looked at first */
    bool by_any;   /* the first one may be done before the last one is */
    bool branches; /* one of them has several sources */
} path;

static void path_shorten(path *p)
{
    heist__future_unref(p->at[--p->length]);
}

static unsigned next_way(unsigned way)
{
    return way * 1664525u + 1013904223u;
}

/* Nothing could be run at the end of the path. Where there are others, the next look takes one of them, since another
 * source may be able to begin by now, or may be the only one that ever does. */
static void path_leave(path *p)
{
    if (!p->branches) return;
    while (p->length > 1) path_shorten(p);
    p->branches = false;
    p->way = next_way(p->way);
}

/* Follows the sources from the last future of the path, as long as they wait. */
static void path_extend(path *p)
{
    for (;;) {
        heist_future *last = p->at[p->length - 1];
        if (heist__load_acquire(&last->task.state) != HEIST__TASK_WAITS) return; /* Y1, J2 */
        heist_future *source = heist__unfinished_source(last, p->way >> 16);
        if (!source) return;
        if (last->kind == HEIST__ANY) p->by_any = true;
        if (heist__sources_of(last)->count > 1) {
            p->branches = true;
            if (p->way) p->way = next_way(p->way);
        }
        if (p->length == PATH) { /* the middle is found again when it is needed */
            heist__future_unref(p->at[1]);
            memmove(&p->at[1], &p->at[2], (PATH - 2) * sizeof *p->at);
            p->length--;
        }
        p->at[p->length++] = source;
    }
}

static bool is_mine(const heist__worker *w, const heist_future *f, uintptr_t state)
{
    return (state & HEIST__TASK_TAKEN) && f->pool == w->pool && state >> 3 == w->index;
}

static int in_circle(void)
{
    return heist__fail(-EDEADLK, "a future is waited for by a task that the future itself waits for");
}

/* Sleeps until the last future of the path is done, or for a nap. Returns 0, or -EDEADLK. */
static int nap(heist__worker *w, path *p, int64_t when, int64_t *nap_ns)
{
    heist_future *last = p->at[p->length - 1];
    uintptr_t state = heist__load_acquire(&last->task.state); /* J1, J2 */
    const bool beside = (state & HEIST__TASK_TAKEN) && last->pool == w->pool;
    if (beside && !p->by_any && heist__waits_in_circle(w, state) &&
        heist__load_acquire(&last->task.state) == state) /* J2: the first wait of the circle goes on, too */
        return in_circle();
    if (beside && !p->by_any && when == HEIST_FOREVER) heist__say_awaits(w, &last->task, state);
    heist__count(&w->counters.parks);
    /* A source that has not begun is looked at again soon, and so is one of several. */
    heist__future_sleep(p->by_any ? p->at[0] : last, time_left(when, *nap_ns));
    heist__say_awaits(w, NULL, 0);
    if (*nap_ns < LONGEST_NAP_NS) *nap_ns *= 2;
    return 0;
}

/* One step: runs something, or finds nothing to run. Returns 1, 0, or -EDEADLK. */
static int help(heist__worker *w, path *p, bool last_use)
{
    path_extend(p);
    heist_future *f = p->at[p->length - 1];
    uintptr_t state = heist__load_acquire(&f->task.state); /* Y1, J1, J2 */
    if (state == HEIST__TASK_DONE) {
        if (p->length > 1) path_shorten(p);
        return 1;
    }
    if (is_mine(w, f, state)) return in_circle();
    if (f->pool != w->pool) return (state == HEIST__TASK_READY && heist__future_run_outside(f)) ? 1 : 0;
    if (state == HEIST__TASK_READY || state == HEIST__TASK_CLAIMED)
        return heist__future_run_awaited(w, f, last_use && p->length == 1) ? 1 : 0;
    return (state & HEIST__TASK_TAKEN) && heist__leapfrog(w, &f->task, state);
}

/* The most frequent wait: no thread has begun the task. Returns whether the future is done. */
static bool run_at_once(heist__worker *w, heist_future *f, bool last_use)
{
    if (f->pool != w->pool || heist__load_acquire(&f->task.state) != HEIST__TASK_READY) return false; /* Y1 */
    return heist__future_run_awaited(w, f, last_use);
}

static int wait_as_worker(heist__worker *w, heist_future *f, int64_t when, bool last_use)
{
    if (when == HEIST_FOREVER && run_at_once(w, f, last_use)) return 0;
    path p; /* not cleared as a whole: most waits use its first entry only */
    p.at[0] = f;
    p.length = 1;
    p.way = 0;
    p.by_any = false;
    p.branches = false;
    heist__backoff backoff;
    heist__backoff_begin(&backoff, heist__waiting_spin(w));
    int64_t nap_ns = SHORTEST_NAP_NS;
    int error = 0;
    while (!error && !heist__is_done(f)) { /* J2 */
        if (is_over(when)) {
            error = -ETIMEDOUT;
            break;
        }
        int step = help(w, &p, last_use);
        if (step > 0) {
            heist__backoff_begin(&backoff, heist__waiting_spin(w));
            nap_ns = SHORTEST_NAP_NS;
        } else if (step < 0) {
            error = step;
        } else if (heist__backoff_wait_for(&backoff, &w->random, &f->task.state, HEIST__TASK_DONE) == HEIST__PARK) {
            error = nap(w, &p, when, &nap_ns);
            path_leave(&p);
        }
        if (p.length == 1) p.by_any = false;
    }
    while (p.length > 1) path_shorten(&p);
    return error;
}

/* ---- any other thread ---- */

static bool spin(heist_future *f)
{
    for (unsigned i = 0; i < OUTSIDE_PAUSES; i++) {
        if (heist__load_relaxed(&f->task.state) == HEIST__TASK_DONE) return true; /* relaxed: the caller looks again */
        heist__pause();
    }
    return false;
}

static int wait_outside(heist_future *f, int64_t when)
{
    if (is_over(when)) return -ETIMEDOUT;
    if (heist__load_acquire(&f->task.state) == HEIST__TASK_READY) heist__future_run_outside(f); /* Y1 */
    spin(f);
    while (!heist__is_done(f)) { /* J2 */
        if (is_over(when)) return -ETIMEDOUT;
        heist__future_sleep(f, time_left(when, -1));
    }
    return 0;
}

/* ---- both ---- */

int heist__future_wait(heist_future *f, int64_t when, bool last_use)
{
    if (heist__is_done(f)) return 0; /* J2 */
    if (f->mark != heist__process_mark())
        return heist__fail(-ECANCELED, "the future is the parent process's: it is never done in this one");
    heist__worker *w = heist__self();
    int error = w ? wait_as_worker(w, f, when, last_use) : wait_outside(f, when);
    if (error == -ETIMEDOUT) heist__fail(error, "the future was not done in time");
    return error;
}
