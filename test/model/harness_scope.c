/* A worker that waits for a scope: finds the scope's tasks among others, and sleeps only while there is nothing to
 * find.
 *
 *   own=       what the waiter has in its own deque when it begins to wait: s a task of the scope, f one of no scope
 *   creator=   what another worker does meanwhile, in a task of the scope: s and f create such tasks; e ends its task,
 *              else it computes for ever after the rest
 *   outside=   what an outsider submits: s and f
 *   thief      one more worker, which takes and runs what it finds, once in each deque
 *   sleeper    one more worker, which runs all that it finds, and sleeps by the idle protocol when it finds nothing
 *   fenced     fence mode
 *
 * The waiter runs tasks of the scope only, and its wait ends when they have ended and not before. At the end no task of
 * the scope may lie anywhere while the waiter sleeps, and every other task must have run or be where a thief finds it.
 * No task at all may lie anywhere while the sleeper sleeps. */
#include "schedule/worker.c"

#include "schedule/scope_wait.h"
#include "stubs.h"
#include "workers.h"

const char model_harness_name[] = "scope";

enum { TASKS = 6, WAITER = 0, CREATOR = 1, THIEF = 2, WORKERS = 3 };

typedef struct {
    heist_task task;
    heist__job job;
    long contents; /* watched: written by the task, read by the thread that has waited */
} record;

static heist_pool *pool;
static heist__scope_core *scope;
static record *records;
static struct {
    uint8_t used, begun[TASKS], ended[TASKS];
    uint8_t waited; /* the wait is over */
} * seen;
static const char *own_script, *creator_script, *outside_script;
static bool sleeper;

void heist__note(heist_pool *p, const char *format, ...)
{
    (void)p;
    (void)format;
}

static void run_task(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    (void)bottom;
    record *r = (record *)(void *)task;
    long i = r - records;
    model_check(!seen->begun[i], "task %ld is run twice", i);
    if (heist__worker_of(face)->index == WAITER)
        model_check(r->job.core == scope, "the waiter runs task %ld of others", i);
    seen->begun[i] = 1;
    r->contents = 1;
    seen->ended[i] = 1;
}

static void end_task(heist__job *l, heist__worker *w, bool ran)
{
    (void)l;
    (void)w;
    (void)ran;
}

static void give(char what)
{
    if (seen->used == TASKS) {
        model_check(false, "the scenario has more than %d tasks", TASKS);
        return;
    }
    record *r = &records[seen->used++];
    r->job.core = what == 's' ? scope : NULL;
    model_check(heist__job_give(pool, &r->job, HEIST_WAIT) == 0, "a task was not taken");
}

static void wait_for_scope(void *self_worker)
{
    heist__worker *w = self_worker;
    heist__set_self(w);
    for (const char *p = own_script; *p; p++) give(*p);
    heist__scope_wait_as_worker(w, scope);
    seen->waited = 1;
    for (int i = 0; i < seen->used; i++) {
        if (records[i].job.core != scope) continue;
        model_check(seen->ended[i], "task %d has not run, and the wait is over", i);
        if (seen->ended[i]) model_check(records[i].contents == 1, "what task %d did is not seen", i);
    }
}

static void create(void *self_worker)
{
    heist__worker *w = self_worker;
    heist__set_self(w);
    for (const char *p = creator_script; *p; p++) {
        if (*p != 'e') {
            give(*p);
            continue;
        }
        heist__count_finished(pool, w, scope);
        heist__tell_waiters(pool);
    }
}

static void steal_once(void *self_worker)
{
    heist__worker *w = self_worker;
    heist__set_self(w);
    for (unsigned i = 0; i < THIEF; i++) {
        void *l;
        if (heist_deque_steal(pool->workers[i]->jobs, &l) != HEIST_STEAL_GOT) continue;
        heist__job_run(w, l);
        heist__tell_waiters(pool);
    }
}

static heist__job *steal_from_all(const heist__worker *w)
{
    void *l;
    for (unsigned i = 0; i < pool->count; i++)
        if (i != w->index && heist_deque_steal(pool->workers[i]->jobs, &l) == HEIST_STEAL_GOT) return l;
    return NULL;
}

/* search_and_run, with less to search. */
static void search_and_sleep(void *self_worker)
{
    heist__worker *w = self_worker;
    heist__set_self(w);
    const heist__idle_calls calls = {ring, any_work, left, NULL, w};
    heist__call room;
    for (;;) {
        heist__job *l = steal_from_all(w);
        if (!l && outside_script[0]) l = heist__inbox_find(w, &room, 1);
        if (!l) {
            heist__idle_sleep(&pool->idle, &w->sleeper, &calls);
            continue;
        }
        heist__idle_found(&pool->idle, &w->sleeper, &calls);
        run_own(w, l);
        heist__idle_search(&pool->idle, &w->sleeper);
    }
}

static void submit(void *unused)
{
    (void)unused;
    for (const char *p = outside_script; *p; p++) give(*p);
}

/* ---- the world ---- */

static void make_worker(unsigned i, bool fenced)
{
    heist__worker *w = model_worker(pool, i, 3, fenced);
    pool->workers[i] = w;
    pool->idle.sleepers[i] = &w->sleeper;
    w->jobs = heist__deque_new_at(4, 0);
    model_unwatch(w->jobs, sizeof *w->jobs);
    model_name(w->jobs, sizeof *w->jobs, 0, false, "jobs%u", i);
    model_name(&w->jobs->top, 8, 8, false, "jobs_top%u", i);
    model_name(&w->jobs->bottom, 8, 8, false, "jobs_bottom%u", i);
    model_single_writer(&w->jobs->bottom, 8, (int)i);
    model_single_writer(&w->jobs->ring, 8, (int)i);
    model_single_writer(&w->jobs->side, 4, (int)i);
    heist__object_pool_init(&w->blocks, HEIST__JOB_BLOCK, 0);
    for (unsigned k = 0; k < MODEL_NESTINGS; k++) model_ignore(&w->nestings[k].core, 24);
    model_ignore(&w->waits_on, sizeof w->waits_on);
}

static void make_scope(unsigned workers)
{
    scope = model_payload(sizeof *scope);
    heist__detector_init(&scope->detector, workers);
    model_unwatch(scope->detector.tallies, (workers + 1) * sizeof *scope->detector.tallies);
    for (unsigned i = 0; i <= workers; i++) {
        model_name(&scope->detector.tallies[i].created, 8, 8, false, "created%u", i);
        model_name(&scope->detector.tallies[i].finished, 8, 8, false, "finished%u", i);
        model_name(&scope->detector.tallies[i].begun, 8, 8, false, "begun%u", i);
        model_ignore(&scope->detector.tallies[i].on_stack, 4);
    }
    /* the creator's own task, which the waiter has created */
    heist__count_created(pool, pool->workers[WAITER], scope);
    heist__detector_begun(&scope->detector, CREATOR);
}

static void make_tasks(void)
{
    records = model_payload(TASKS * sizeof *records);
    for (int i = 0; i < TASKS; i++) {
        record *r = &records[i];
        r->task.run = run_task;
        r->job.task = &r->task;
        r->job.end = end_task;
        model_unwatch(r, offsetof(record, contents));
        model_name(&r->contents, 8, 8, false, "contents_%d", i);
        model_name(r, sizeof *r, 0, false, "task_%d", i);
    }
}

void model_setup(void)
{
    bool fenced = model_number("fenced", 0), thief = model_number("thief", 0);
    sleeper = model_number("sleeper", 0);
    own_script = model_text("own", "");
    creator_script = model_text("creator", "");
    outside_script = model_text("outside", "");
    seen = model_alloc(sizeof *seen);
    const unsigned count = thief || sleeper ? WORKERS : WORKERS - 1;
    pool = model_pool(count);
    pool->idle.sleepers = model_alloc(4 * sizeof *pool->idle.sleepers);
    pool->idle.count = count;
    pool->idle.present = count;
    pool->idle.fenced = fenced;
    heist__store_relaxed(&pool->idle.searching, sleeper);
    heist__store_relaxed(&pool->idle.asleep, 0);
    model_ignore(&pool->idle.next, sizeof pool->idle.next);
    model_ignore(&pool->idle.offers, sizeof pool->idle.offers);
    model_name(&pool->idle.asleep, 4, 4, false, "asleep");
    model_name(&pool->idle.searching, 4, 4, false, "searching");
    pool->running = count;
    heist__detector_init(&pool->all, count);
    model_unwatch(pool->all.tallies, (count + 1) * sizeof *pool->all.tallies);
    model_ignore(pool->all.tallies, (count + 1) * sizeof *pool->all.tallies);
    pool->inboxes = model_alloc(sizeof *pool->inboxes);
    pool->inbox_count = 1;
    pool->settings.inbox = 2;
    pool->batch = 1;
    heist__inbox_init(&pool->inboxes[0], 2);
    model_unwatch(pool->inboxes[0].slots, 2 * sizeof(heist__inbox_slot));
    model_name(pool->inboxes[0].slots, 2 * sizeof(heist__inbox_slot), sizeof(heist__inbox_slot), false, "box");
    model_name(&pool->waiters.waiting, 4, 4, false, "waiting");
    model_name(&pool->waiters.hungry, 4, 4, false, "hungry");
    model_name(&pool->waiters.first.places[0].quiet, 4, 4, false, "quiet");
    model_name(&pool->waiters.first.places[0].looker, 4, 4, false, "looker");
    model_name(&pool->waiters.first.places[0].detector, 8, 8, false, "detector");
    make_tasks();
    for (unsigned i = 0; i < count; i++) make_worker(i, fenced);
    make_scope(count);
    model_thread(wait_for_scope, pool->workers[WAITER]);
    model_thread(create, pool->workers[CREATOR]);
    if (thief || sleeper) model_thread(sleeper ? search_and_sleep : steal_once, pool->workers[THIEF]);
    if (outside_script[0]) model_thread(submit, NULL);
}

void model_always(void)
{
}

void model_end(unsigned blocked)
{
    bool may_end = strchr(creator_script, 'e');
    const unsigned may_sleep = 1u << WAITER | (sleeper ? 1u << THIEF : 0);
    model_check(!(blocked & ~may_sleep), "threads %x wait for ever", blocked & ~may_sleep);
    model_check(!may_end == !seen->waited, "the wait is %s", seen->waited ? "over" : "not over");
    size_t foreign = 0;
    for (int i = 0; i < seen->used; i++) {
        if (records[i].job.core == scope) {
            model_check(seen->begun[i], "task %d waits while the waiter sleeps", i);
        } else {
            model_check(seen->begun[i] || !sleeper, "task %d waits while the worker that looks for any task sleeps", i);
            foreign += !seen->begun[i];
        }
    }
    for (unsigned i = 0; i < pool->count; i++)
        foreign -= (size_t)(MODEL_PEEK(&pool->workers[i]->jobs->bottom) - MODEL_PEEK(&pool->workers[i]->jobs->top));
    foreign -= heist__inbox_size(&pool->inboxes[0]);
    model_check(foreign == 0, "%zd tasks of others are lost", (ssize_t)foreign);
}
