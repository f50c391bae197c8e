/* Stress for users' programs: see stress.h.
 *
 * ThreadSanitizer and its like find a race of two tasks if the two run in different threads, and if nothing that heist
 * did for other reasons orders them. A thief that takes a child late, when its sibling has run, takes it after the
 * parent has published it: that is an order. So under stress the spawner waits until its child has been taken, and goes
 * on then. There must be thieves for that: so mostly the spawner waits until the thief has finished the child, and is
 * free for the next one. That wait orders nothing, in the sense of the memory model: it looks at the child's state by
 * relaxed loads. It is bounded, since the child may wait for something that its parent does after the spawn.
 *
 * Delays take a bounded part of a worker's time: a program with many small tasks becomes some times slower, not a
 * thousand times. */
#include "schedule/stress.h"

#include <sched.h>

#include "platform/clock.h"
#include "schedule/join.h"

/* The longest wait for a thief. A sleeping worker takes some tens of microseconds to come, more beside other
 * programs. */
#define THIEF_NS 3000000
/* The longest wait for the end of a child that a thief has. */
#define CHILD_NS 100000000
/* The longest delay without a purpose. */
#define DELAY_NS 50000
/* The longest time that a worker leaves further jobs to others. */
#define REST_NS 300000
/* Should the clock stand still, a wait ends after so many rounds. */
#define MOST_ROUNDS 1000000
/* A worker may wait for so long without regard to its other time. */
#define FREE_NS INT64_C(1000000000)

void heist__stress_init(heist__worker *w)
{
    heist__random_seed(&w->stress.random, w->pool->settings.stress, w->index);
}

/* Whether the worker has delayed for less than half of its time. */
static bool may_wait(heist__worker *w, int64_t now)
{
    heist__stress *s = &w->stress;
    if (s->began == 0) s->began = now;
    return s->waited < FREE_NS || s->waited < (now - s->began) / 2;
}

/* Gives the CPU to others until `still` says no, or for `ns`. Returns how long it took. */
static int64_t wait_while(heist__worker *w, int64_t ns, bool (*still)(const void *), const void *argument)
{
    const int64_t began = heist__clock_ns();
    if (!may_wait(w, began)) return 0;
    int64_t now = began;
    for (unsigned round = 0; round < MOST_ROUNDS && now - began < ns && still(argument); round++) {
        sched_yield();
        now = heist__clock_ns();
    }
    return now - began;
}

static bool always(const void *unused)
{
    (void)unused;
    return true;
}

/* True once in `n` times. */
static bool one_in(heist__worker *w, uint32_t n)
{
    return heist__random_below(&w->stress.random, n) == 0;
}

void heist__stress_delay(heist__worker *w)
{
    if (!one_in(w, 2)) return;
    w->stress.waited += wait_while(w, heist__random_below(&w->stress.random, DELAY_NS), always, NULL);
}

void heist__stress_rest(heist__worker *w)
{
    if (one_in(w, 8)) return;
    w->stress.waited += wait_while(w, heist__random_below(&w->stress.random, REST_NS), always, NULL);
}

/* ---- waiting for a thief ---- */

typedef struct {
    heist_task *task;
    uintptr_t untouched;
} spawned;

static bool is_untouched(const void *argument)
{
    const spawned *s = argument;
    return heist__load_relaxed(&s->task->state) == s->untouched; /* relaxed: nothing is read on the strength of it */
}

/* The number of workers that are free to steal. relaxed: a hint */
static uint32_t free_workers(const heist__worker *w)
{
    const heist__idle *idle = &w->pool->idle;
    return heist__load_relaxed(&idle->searching) + heist__load_relaxed(&idle->asleep);
}

static bool is_not_done(const void *argument)
{
    const spawned *s = argument;
    return heist__load_relaxed(&s->task->state) != HEIST__TASK_DONE; /* relaxed: as above, and on purpose */
}

void heist__stress_spawned(heist__worker *w, heist_task *task, uintptr_t untouched)
{
    const uint32_t draw = heist__random_below(&w->stress.random, 64);
    const spawned s = {task, untouched};
    if (draw == 0) return; /* as without stress */
    heist__task_deque_publish(&w->tasks);
    if (heist__idle_wake_one(&w->pool->idle)) heist__count(&w->counters.wakes);
    if (free_workers(w) > 0) w->stress.waited += wait_while(w, THIEF_NS, is_untouched, &s);
    if (w->stress.together || is_untouched(&s)) return;
    if (draw < 20 && free_workers(w) > w->pool->count / 2) return;
    const int64_t took = wait_while(w, CHILD_NS, is_not_done, &s);
    if (is_not_done(&s)) w->stress.waited += took; /* in vain; else the thief has worked meanwhile */
}

typedef struct {
    heist__worker *worker;
    size_t jobs;
} given;

static bool has_all(const void *argument)
{
    const given *g = argument;
    return heist_deque_size(g->worker->jobs) >= g->jobs;
}

void heist__stress_given(heist__worker *w)
{
    if (one_in(w, 4)) return;
    if (heist__idle_wake_one(&w->pool->idle)) heist__count(&w->counters.wakes);
    const given g = {w, heist_deque_size(w->jobs)};
    if (g.jobs > 0 && free_workers(w) > 0) w->stress.waited += wait_while(w, THIEF_NS, has_all, &g);
}

/* ---- odd orders ---- */

/* About as many batches are made of a loop. */
#define MOST_BATCHES 65536

bool heist__stress_reverses(heist__worker *w)
{
    return heist_deque_size(w->jobs) > 1 && one_in(w, 2);
}

void heist__stress_loop(heist__worker *w, heist_loop_options *options, uint64_t units, bool reduces)
{
    if (options->deterministic) return; /* the parts follow from the schedule, and the result from the parts */
    const bool left = options->schedule == HEIST_SCHEDULE_DEFAULT || options->schedule == HEIST_SCHEDULE_AUTO;
    if (left) options->schedule = HEIST_SCHEDULE_STEAL;
    /* Shared gives neighbours to different workers. For a reduction it might lack memory. */
    if (left && !reduces && !one_in(w, 16)) options->schedule = HEIST_SCHEDULE_SHARED;
    if (options->batch || options->schedule == HEIST_SCHEDULE_STATIC) return;
    options->batch = units / MOST_BATCHES + 1;
}
