/* The worker's loop: its own jobs, submissions, then other workers' work; and sleep when there is none. */
#include "schedule/worker.h"

#include <stdio.h>

#include "idle/backoff.h"
#include "idle/lending.h"
#include "platform/barrier.h"
#include "platform/clock.h"
#include "platform/cpu.h"
#include "platform/futex.h"
#include "platform/sleep.h"
#include "platform/thread_state.h"
#include "schedule/job.h"
#include "schedule/overflow.h"
#include "schedule/pool.h"
#include "schedule/search.h"
#include "schedule/steal.h"
#include "schedule/stress.h"
#include "schedule/submit.h"
#include "schedule/worker_memory.h"
#include "topology/place.h"

/* After this many tasks a worker looks at the inbox first, so that submissions are not starved. */
#define INBOX_EVERY 64

/* glibc keeps room for a few words that are found without a call, also in a library that is loaded later. */
#ifdef __GLIBC__
__attribute__((tls_model("initial-exec")))
#endif
static _Thread_local heist__worker *self;

heist__worker *heist__self(void)
{
    return self;
}

void heist__set_self(heist__worker *w)
{
    self = w;
}

/* Makes the next push of every worker look for sleepers. */
static void ring(void *worker)
{
    heist_pool *pool = ((heist__worker *)worker)->pool;
    /* I2: a pusher that opened its gate and then saw no sleeper to wake has opened it before this thread shuts it.
     * Processors do not need this, C11 does: it lets a store come late into the order of a location. */
    heist__fence_seq_cst();
    for (unsigned i = 0; i < pool->count; i++) {
        /* I1, I2. Pairs with the exchange in heist__notice. */
        heist__store_release(pool->workers[i]->tasks.push_gate, HEIST__PUSH_SHUT);
    }
}

static bool has_work(heist__worker *w)
{
    return heist__task_deque_size(&w->tasks) > 0 || heist_deque_size(w->jobs) > 0;
}

static bool any_submitted(const heist_pool *pool)
{
    for (unsigned i = 0; i < pool->inbox_count; i++) {
        if (!heist__inbox_looks_empty(&pool->inboxes[i])) return true;
    }
    return false;
}

static bool any_work(void *worker)
{
    const heist_pool *pool = ((heist__worker *)worker)->pool;
    if (heist__load_acquire(&pool->stop)) return true; /* I1: stop_threads stores it, then wakes all workers */
    if (any_submitted(pool)) return true;
    for (unsigned i = 0; i < pool->count; i++) {
        if (has_work(pool->workers[i])) return true;
    }
    return false;
}

static void give_memory_back(void *worker)
{
    heist__worker_give_memory_back(worker);
}

/* Call from: any thread, after the seat was given back. Whether a worker must be woken for work that is left here. */
static bool left(void *worker)
{
    heist__worker *w = worker;
    return heist_deque_size(w->jobs) > 0 || any_submitted(w->pool);
}

heist__idle_calls heist__worker_idle_calls(heist__worker *w)
{
    return (heist__idle_calls){ring, any_work, left, give_memory_back, w};
}

static heist__job *pop_job(heist__worker *w)
{
    void *job;
    if (heist__stressed(w) && heist__stress_reverses(w) && heist_deque_steal(w->jobs, &job) == HEIST_STEAL_GOT)
        return job;
    return heist_deque_pop(w->jobs, &job) == HEIST_STEAL_GOT ? job : NULL;
}

/* Every detached task begins, as long as tasks end. A worker prefers the youngest of its own jobs, so tasks that submit
 * themselves again and again would keep all older ones waiting. Therefore a worker that has run as many jobs and stolen
 * children as lie in its deque, and at least OLDEST_EVERY, takes the oldest of a deque: by turns its own, and that of
 * the next of the others.
 *
 * The bound. Let m older tasks lie in a task's deque, and no deque become longer than n; p is the larger of n and
 * OLDEST_EVERY. The task begins before its worker has run 2 (m + 1) (p + 1) more; and if that worker is held up, before
 * any other of the W workers has run 2 (W - 1) (m + 1) (p + 1). For a worker looks after p, or after one more if the
 * inbox came first, and every second time at its own deque, or every 2 (W - 1) times at that of a certain other. Each
 * look takes the oldest, or another thread has taken it: after m looks the task is the oldest, and the next look takes
 * it. (A wait for a scope may move the task to another deque, where it is counted anew.)
 *
 * Why as many as lie in the deque: an old task that begins leaves the tasks it creates above the rest. With a fixed
 * number the deque of a tree of detached tasks would grow with the number of tasks; so it grows with the square
 * root. */
#define OLDEST_EVERY 64

static heist__job *take_oldest(heist__worker *w)
{
    const heist_pool *pool = w->pool;
    const unsigned turn = w->turn++, others = pool->count - 1;
    heist__worker *victim = w;
    if (turn % 2 && others) victim = pool->workers[(w->index + 1 + turn / 2 % others) % pool->count];
    void *job;
    return heist_deque_steal(victim->jobs, &job) == HEIST_STEAL_GOT ? job : NULL;
}

/* The job to run after a job or a stolen child. A submission's record lies in `room`. */
static heist__job *next_job(heist__worker *w, heist__call *room)
{
    heist__job *job = NULL;
    w->ran++;
    if (w->ran % INBOX_EVERY == 0) job = heist__inbox_find(w, room, 1);
    if (!job && (int32_t)(w->ran - w->looks_at) >= 0) {
        size_t length = heist_deque_size(w->jobs);
        heist__count_most(&w->counters.jobs_most, length);
        w->looks_at = w->ran + (uint32_t)(length > OLDEST_EVERY ? length : OLDEST_EVERY);
        job = take_oldest(w);
    }
    return job ? job : pop_job(w);
}

/* Runs `job`, or the next job after a stolen child (NULL), and then all jobs in the worker's own deque. */
static void run_own(heist__worker *w, heist__job *job)
{
    heist__call room;
    if (!job) job = next_job(w, &room);
    while (job) {
        heist__scope_core *core = job->core;
        heist__job_run(w, job);
        job = next_job(w, &room);
        /* As long as the next job belongs to the same scope, that scope and the pool are not quiet. */
        if (!job || job->core != core) heist__tell_waiters(w->pool);
    }
}

static bool find_work(heist__worker *w, heist__found_work *found)
{
    found->child.task = NULL;
    found->job = pop_job(w);
    if (!found->job) found->job = heist__inbox_find(w, &found->room, HEIST__BATCH);
    return found->job || heist__steal_somewhere(w, found);
}

/* ---- searching ---- */

/* The waiting of a worker between two looks for work. */
typedef struct {
    heist__backoff backoff;
    heist__random random; /* not the worker's own, since the seat may be lent meanwhile */
    bool worth_waiting;   /* else the worker has been on standby, and there was nothing */
} search_wait;

static void search_wait_begin(heist__worker *w, search_wait *wait)
{
    const heist__settings *s = &w->pool->settings;
    const uint64_t now = heist__stats_now();
    heist__backoff_begin(&wait->backoff, s->learns_to_spin ? UINT32_MAX : s->spin);
    if (s->learns_to_spin) heist__spin_begin(&w->spin, (int64_t)now);
    heist__interval_begin(&w->counters.searching_since, now);
    wait->worth_waiting = true;
}

/* Call after a sleep. */
static void search_wait_resume(heist__worker *w, search_wait *wait)
{
    const heist__settings *s = &w->pool->settings;
    heist__backoff_begin(&wait->backoff, s->learns_to_spin ? UINT32_MAX : s->spin);
    if (s->learns_to_spin) heist__spin_woken(&w->spin, heist__clock_ns());
}

static void search_wait_end(heist__worker *w)
{
    const uint64_t now = heist__stats_now();
    if (w->pool->settings.learns_to_spin) heist__spin_end(&w->spin, (int64_t)now);
    heist__interval_end(&w->counters.searching, &w->counters.searching_since, now);
}

/* Sleeps. Returns whether it is worth waiting for work, as heist__idle_sleep does. The seat may be lent meanwhile: the
 * counters of this function are written before and after that. */
static bool sleep_and_count(heist__worker *w, const heist__idle_calls *calls)
{
    heist__counters *c = &w->counters;
    const uint64_t began = heist__stats_now();
    heist__interval_end(&c->searching, &c->searching_since, began);
    heist__interval_begin(&c->asleep_since, began);
    const bool worth_waiting = heist__idle_sleep(&w->pool->idle, &w->sleeper, calls);
    const uint64_t now = heist__stats_now(), woken = heist__load_relaxed(&w->sleeper.woken_at); /* relaxed: a hint */
    heist__interval_end(&c->asleep, &c->asleep_since, now);
    heist__interval_begin(&c->searching_since, now);
    if (woken >= began) heist__spread_time(&c->wake_latency, woken, now);
    return worth_waiting;
}

/* Nothing was found: waits a moment, in which the seat may be lent, or returns false if it is time to sleep. `offers`:
 * the value before the search. */
static bool wait_a_moment(heist__worker *w, search_wait *wait, const heist__idle_calls *calls, uint32_t offers)
{
    heist__idle *idle = &w->pool->idle;
    if (!wait->worth_waiting || heist__lending_wanted(idle) || heist__idle_crowded(idle, &w->sleeper)) return false;
    heist__lending_offer(&w->sleeper);
    heist__idle_step step = heist__backoff_wait_while(&wait->backoff, &wait->random, &idle->offers, offers);
    if (!heist__lending_take_back(&w->sleeper)) {
        if (heist__lending_wait(idle, &w->sleeper, calls)) calls->settled(calls->context);
        search_wait_resume(w, wait);
        return true;
    }
    if (step == HEIST__PARK) return false;
    return !w->pool->settings.learns_to_spin || heist__spin_on(&w->spin, heist__clock_ns());
}

static void search_and_run(heist__worker *w)
{
    const heist__idle_calls calls = heist__worker_idle_calls(w);
    heist_pool *pool = w->pool;
    search_wait wait;
    wait.random = w->random;
    search_wait_begin(w, &wait);
    heist__idle_search(&pool->idle, &w->sleeper);
    while (!heist__load_acquire(&pool->stop)) { /* pairs with the store in heist__stop_threads */
        heist__found_work found;
        uint32_t offers = heist__load_relaxed(&pool->idle.offers); /* relaxed: a hint */
        if (find_work(w, &found)) {
            if (heist__idle_found(&pool->idle, &w->sleeper, &calls)) heist__count(&w->counters.wakes);
            search_wait_end(w);
            if (found.child.task) heist__run_stolen(w, &found.child);
            run_own(w, found.job ? found.job : pop_job(w));
            heist__idle_search(&pool->idle, &w->sleeper);
            search_wait_begin(w, &wait);
        } else if (!wait_a_moment(w, &wait, &calls, offers)) {
            wait.worth_waiting = sleep_and_count(w, &calls);
            if (heist__barrier_lost()) heist__sleep_step(); /* it may not have slept: the search must not be endless */
            search_wait_resume(w, &wait);
        }
    }
    heist__idle_found(&pool->idle, &w->sleeper, &calls);
    search_wait_end(w);
}

static void name_thread(const heist__worker *w)
{
    char name[16]; /* the system's limit */
    int digits = snprintf(NULL, 0, "/%u", w->index);
    snprintf(name, sizeof name, "%.*s/%u", 15 - digits, w->pool->settings.name, w->index);
    pthread_setname_np(pthread_self(), name);
}

void *heist__worker_main(void *worker)
{
    heist__worker *w = worker;
    heist_pool *pool = w->pool;
    heist__set_self(w);
    heist__overflow_prepare();
    w->signal_stack = heist__overflow_stack();
    name_thread(w);
    heist__store_relaxed(&w->clock, heist__thread_clock()); /* relaxed: P1 publishes both */
    heist__store_relaxed(&w->thread_number, heist__thread_number());
    heist__worker_keep_stack_small(w);
    w->bind_error = heist__bind_thread(&pool->machine, pool->settings.bind, w->pu);
    heist__worker_keep_stack_near(w);
    heist__cpu_occupancy_enter(&pool->idle.occupancy);
    heist__counter_set(&w->counters.ended, 0);
    heist__counter_set(&w->counters.started, heist__stats_now());
    heist__add_acq_rel(&pool->ready, 1); /* P1: bind_error is written. Pairs with the maker's load. */
    heist__futex_wake(&pool->ready, 1);
    search_and_run(w);
    heist__counter_set(&w->counters.ended, heist__stats_now());
    w->signal_stack = NULL; /* the thread gives it back */
    heist__set_self(NULL);
    return NULL;
}
