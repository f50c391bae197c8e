/* Which scope a task belongs to, and when a scope is over. Scopes are begun, used, waited for and ended by the
 * library's own functions (scope.c, scope_children.c, scope_wait.c).
 *
 *   owner=     what worker 0 does: c spawns a child while it runs no task, d detaches a task into scope A, w waits for
 *              A and runs tasks of A meanwhile, j joins the children, e ends A
 *   outside=   what an outsider does with scope B: d detaches a task, w waits, e ends B
 *   body=      what each detached task does: . nothing; c spawns a child and joins it
 *   tries=     how often worker 1 looks for something to steal and run
 *   sleeper    worker 1 looks without end, and sleeps when it finds nothing
 *   fenced     fence mode
 *
 * A child belongs to the scope of the task that spawned it, also when a thief runs it. It detaches one task, which must
 * belong to that scope, too. A wait returns when all tasks of the scope have ended, and sees what they did. The end of
 * a scope frees its memory, which is watched. A child of a task of A may not wait for A. */
#include "schedule/worker.c"

#define pthread_join(thread, result) model_join((int)(thread))
#define pthread_create(thread, attributes, run, argument) 0
#include "schedule/pool.c"
#include "schedule/worker_threads.c"

#include "stubs.h"
#include "workers.h"

const char model_harness_name[] = "scope_of";

enum { TASKS = 8, OWNER = 0, THIEF = 1, WORKERS = 2 };

/* One detached task, or one child, and what it did. */
typedef struct {
    _Alignas(8) int value; /* watched: written by the task, read by the thread that has waited */
} record;

static heist_pool *pool;
static heist_scope *outer;     /* of worker 0's children */
static heist_scope *scopes[2]; /* A and B */
static heist_scope *inner;     /* of the children of each detached task */
static record *records;
static struct {
    uint8_t used, ended[TASKS];
    uint8_t scope[TASKS];       /* 0: none, 1: A, 2: B */
    heist__scope_core *core[3]; /* as the first detached task of each has it; core[0] is NULL */
} * seen;
static const char *owner_script, *outside_script, *body;
static long tries;

static record *next_record(int scope)
{
    if (seen->used == TASKS) {
        model_check(false, "the scenario has more than %d tasks", TASKS);
        return &records[0];
    }
    seen->scope[seen->used] = (uint8_t)scope;
    return &records[seen->used++];
}

/* The calling task is part of scope `scope`. */
static void check_scope(long i, int scope)
{
    heist__scope_core *core = heist__scope_now(heist__self());
    const char *is = !core ? "no scope" : core == seen->core[1] ? "A" : core == seen->core[2] ? "B" : "neither A nor B";
    model_check(core == seen->core[scope], "task %ld belongs to %s", i, is);
}

static void end_task(record *r)
{
    r->value = 1;
    seen->ended[r - records] = 1;
}

static void leaf(void *argument)
{
    record *r = argument;
    check_scope(r - records, seen->scope[r - records]);
    end_task(r);
}

/* A child: what it detaches belongs to the scope of its parent. */
static void child(void *argument)
{
    record *r = argument;
    int scope = seen->scope[r - records];
    check_scope(r - records, scope);
    if (scope) {
        model_check(heist_scope_wait(scopes[scope - 1]) == -EDEADLK, "a task of a scope may wait for that scope");
        model_check(heist_detach(NULL, leaf, next_record(scope)) == 0, "a task was not taken");
    }
    end_task(r);
}

static void detached(void *argument)
{
    record *r = argument;
    long i = r - records;
    int scope = seen->scope[i];
    heist__scope_core *core = heist__scope_now(heist__self());
    model_check(core != NULL, "task %ld belongs to no scope", i);
    if (!seen->core[scope]) seen->core[scope] = core;
    check_scope(i, scope);
    if (body[0] == 'c') {
        heist_scope_begin(&inner[i], pool);
        heist_spawn(&inner[i], child, next_record(scope));
        heist_join(&inner[i]);
        check_scope(i, scope);
        heist_scope_end(&inner[i]);
    }
    end_task(r);
}

/* All tasks of the scope that were given before the wait, and what they gave, have ended. */
static void check_over(int scope)
{
    for (int i = 0; i < seen->used; i++) {
        if (seen->scope[i] != scope) continue;
        model_check(seen->ended[i], "task %d has not ended, and the wait is over", i);
        if (seen->ended[i]) model_check(records[i].value == 1, "what task %d did is not seen", i);
    }
}

static void use_scope(const char *script, int scope)
{
    heist_scope *s = scopes[scope - 1];
    heist_scope_begin(s, pool);
    for (const char *p = script; *p; p++) {
        if (*p == 'c') heist_spawn(outer, child, next_record(0));
        if (*p == 'd') model_check(heist_detach(s, detached, next_record(scope)) == 0, "a task was not taken");
        if (*p == 'w') model_check(heist_scope_wait(s) == 0, "a wait has failed");
        if (*p == 'e') model_check(heist_scope_end(s) == 0, "the end of a scope has failed");
        if (*p == 'w' || *p == 'e') check_over(scope);
        if (*p == 'j') heist_join(outer);
    }
}

/* ---- threads ---- */

static void own(void *self_worker)
{
    heist__set_self(self_worker);
    heist_scope_begin(outer, pool);
    use_scope(owner_script, 1);
    heist_scope_end(outer);
}

static void outsider(void *unused)
{
    (void)unused;
    use_scope(outside_script, 2);
}

/* What worker 1 found: a child, or a job. A submission lies in `room`. */
typedef struct {
    heist__stolen child;
    heist__job *job;
    heist__call room;
} discovery;

/* One look at the other worker and the inbox. */
static bool find_one(heist__worker *w, discovery *found)
{
    heist__worker *victim = pool->workers[OWNER];
    void *job = NULL;
    uint64_t top = heist__task_deque_look(&victim->tasks);
    if (heist__steal_child(victim, top, 0, &found->child) == HEIST_STEAL_GOT) {
        found->job = NULL;
        return true;
    }
    found->child.task = NULL;
    heist_deque_steal(victim->jobs, &job);
    if (!job && outside_script[0]) job = heist__inbox_find(w, &found->room, 1);
    found->job = job;
    return job;
}

static void run_found(heist__worker *w, discovery *found)
{
    if (found->child.task) heist__run_stolen(w, &found->child);
    run_own(w, found->job);
}

static void steal(void *self_worker)
{
    heist__worker *w = self_worker;
    heist__set_self(w);
    for (long i = 0; i < tries; i++) {
        discovery found;
        if (find_one(w, &found)) run_found(w, &found);
    }
}

static void search_and_sleep(void *self_worker)
{
    heist__worker *w = self_worker;
    heist__set_self(w);
    const heist__idle_calls calls = {ring, any_work, left, NULL, w};
    for (;;) {
        discovery found;
        if (!find_one(w, &found)) {
            heist__idle_sleep(&pool->idle, &w->sleeper, &calls);
            continue;
        }
        heist__idle_found(&pool->idle, &w->sleeper, &calls);
        run_found(w, &found);
        heist__idle_search(&pool->idle, &w->sleeper);
    }
}

/* ---- the world ---- */

static void make_worker(unsigned i, bool fenced)
{
    heist__worker *w = model_worker(pool, i, 4, fenced);
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
    for (unsigned k = 0; k < MODEL_NESTINGS; k++) model_ignore(&w->nestings[k].code, sizeof w->nestings[k].code);
}

static void make_pool(bool fenced, bool sleeper)
{
    pool = model_pool(WORKERS);
    pool->idle.sleepers = model_alloc(WORKERS * sizeof *pool->idle.sleepers);
    pool->idle.count = pool->idle.present = WORKERS;
    pool->idle.fenced = fenced;
    pool->running = WORKERS;
    heist__store_relaxed(&pool->idle.searching, sleeper);
    heist__store_relaxed(&pool->idle.asleep, 0);
    model_ignore(&pool->idle.next, sizeof pool->idle.next);
    model_ignore(&pool->idle.offers, sizeof pool->idle.offers);
    heist__detector_init(&pool->all, WORKERS);
    model_unwatch(pool->all.tallies, (WORKERS + 1) * sizeof *pool->all.tallies);
    model_ignore(pool->all.tallies, (WORKERS + 1) * sizeof *pool->all.tallies); /* nobody waits for the pool */
    pool->inboxes = model_alloc(sizeof *pool->inboxes);
    pool->inbox_count = 1;
    pool->settings.inbox = 2;
    pool->batch = 1;
    heist__inbox_init(&pool->inboxes[0], 2);
    model_unwatch(pool->inboxes[0].slots, 2 * sizeof(heist__inbox_slot));
    model_name(&pool->waiters.waiting, 4, 4, false, "waiting");
    model_name(&pool->waiters.hungry, 4, 4, false, "hungry");
    model_name(&pool->idle.asleep, 4, 4, false, "asleep");
    model_name(&pool->idle.searching, 4, 4, false, "searching");
}

void model_setup(void)
{
    const bool fenced = model_number("fenced", 0), sleeper = model_number("sleeper", 0);
    owner_script = model_text("owner", "");
    outside_script = model_text("outside", "");
    body = model_text("body", ".");
    tries = model_number("tries", 1);
    seen = model_alloc(sizeof *seen);
    make_pool(fenced, sleeper);
    for (unsigned i = 0; i < WORKERS; i++) make_worker(i, fenced);
    outer = model_payload(sizeof *outer);
    inner = model_payload(TASKS * sizeof *inner);
    for (int i = 0; i < 2; i++) scopes[i] = model_payload(sizeof *scopes[i]);
    records = model_payload(TASKS * sizeof *records);
    model_name(records, TASKS * sizeof *records, sizeof *records, false, "record");
    model_thread(own, pool->workers[OWNER]);
    model_thread(sleeper ? search_and_sleep : steal, pool->workers[THIEF]);
    if (outside_script[0]) model_thread(outsider, NULL);
}

void model_always(void)
{
}

void model_end(unsigned blocked)
{
    const unsigned may_sleep = model_number("sleeper", 0) ? 1u << THIEF : 0;
    model_check(!(blocked & ~may_sleep), "threads %x wait for ever", blocked & ~may_sleep);
    for (int i = 0; i < seen->used; i++)
        model_check(seen->ended[i] || !seen->scope[i], "task %d of a scope has not run", i);
}
