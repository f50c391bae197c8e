/* The scheduler as a whole: workers in their real loop, that search, run, sleep and are woken, and outsiders that
 * submit, wait and shut down.
 *
 *   workers=   how many run the loop
 *   pusher=    one more worker, which is busy, and does this: p spawns a fork/join child, l detaches a task,
 *              j joins the oldest child that it has spawned, h hides its children for a moment, as a join out of order
 *              does. Then it computes for ever.
 *   outside=   what the outsider does: s submits a task, S one of its scope, e waits until that scope is quiet and
 *              frees it, w waits until all is quiet, q closes and waits, T waits until task 0 says that it has run, x
 *              shuts the pool down, r runs a task itself, in a seat; R has a worker run it, and waits for its end
 *   second=    the same, for another outsider
 *   bodies=    what the tasks do, one letter each in the order of their numbers: . nothing; d detaches a task;
 *              f spawns a child and joins it; L computes for ever; P spawns a child and computes for ever
 *   batch=     how many a worker may take out of the inbox at once
 *   bare       workers look at nothing but the pusher's children and the inbox: a shorter way to sleep
 *   impatient  a caller that waits for a seat gives its task to a worker after some time
 *   offers     bare workers offer their seats before they sleep
 *   rested     bare workers begin asleep with open gates, as when their seats have been given back
 *   fenced     fence mode
 *   alone      a thread that pushes, submits, tells waiters or leaves the search gets on with that though all others
 *              stand still
 *
 * At the end nobody may sleep while there is something to run; what was waited for must have run, and be visible. */
#include "schedule/pool.h"

static bool alone;

static void tell_waiters(heist_pool *pool)
{
    model_must_end(alone);
    heist__tell_waiters(pool);
    model_must_end(false);
}

#define heist__tell_waiters tell_waiters
#include "schedule/worker.c"

#define pthread_join(thread, result) model_join((int)(thread))
#define pthread_create(thread, attributes, run, argument) 0
#include "schedule/pool.c"
#include "schedule/worker_threads.c"

#include "schedule/seat.h"
#include "schedule/spawn.h"
#include "stubs.h"
#include "workers.h"

const char model_harness_name[] = "pool";

enum { TASKS = 5 };

typedef struct {
    heist_task task;
    heist__job job;
    long contents; /* watched: written by the task, read by the thread that waited for it */
} record;

static heist_pool *pool;
static record *records;
static struct {
    uint8_t used, begun[TASKS], ended[TASKS];
    uint8_t given[TASKS];  /* its submitter has been told that the pool has it */
    uint8_t parent[TASKS]; /* the task that gave it, + 1 */
    uint8_t computing;     /* threads that will not come back */
    uint8_t caller[TASKS]; /* the outsider that waits for its end, + 1 */
    uint8_t in_seat[4];    /* the thread that runs a task there, + 1 */
    uint8_t over;          /* the pool is gone ... */
    uint8_t closed;        /* ... or closed and quiet: nothing may run any more */
} * seen;
static const char *bodies, *pusher_script, *outside_scripts[2];
static bool bare, offers, rested;
static unsigned worker_count;
static HEIST__ATOMIC(uint32_t) * told, *never; /* by task 0; by nobody */
static heist__scope_core *scopes[2];   /* of the outsiders */

/* ---- tasks ---- */

static void compute_for_ever(long task)
{
    seen->computing = (uint8_t)(seen->computing | 1 << model_self());
    if (seen->caller[task]) seen->computing = (uint8_t)(seen->computing | 1 << (seen->caller[task] - 1));
    for (;;) model_futex_wait(never, 0); /* nobody wakes it */
}

static record *next_task(long parent)
{
    if (seen->used == TASKS) {
        model_check(false, "the scenario has more than %d tasks", TASKS);
        return NULL;
    }
    seen->parent[seen->used] = (uint8_t)(parent + 1);
    return &records[seen->used++];
}

static int give(long parent, heist__scope_core *core)
{
    record *r = next_task(parent);
    r->job.core = core;
    model_must_end(alone);
    int error = heist__job_give(pool, &r->job, HEIST_WAIT);
    model_must_end(false);
    model_check(error == 0 || error == -ESHUTDOWN, "a task was not taken: %d", error);
    if (error) seen->begun[r - records] = 1; /* refused: nobody waits for it */
    seen->given[r - records] = !error;
    return error;
}

/* After a run: its task has ended and what it did is seen (J5), or it was refused. */
static void check_run(const record *r, int error)
{
    model_check(error == 0 || error == -ESHUTDOWN || error == -ECANCELED, "a run was not taken: %d", error);
    if (error) {
        seen->begun[r - records] = 1;
        return;
    }
    model_check(seen->ended[r - records], "the run is over, and its task is not");
    if (seen->ended[r - records]) model_check(r->contents == 1, "what the task did is not seen");
}

/* A run by an outsider, in a seat. */
static void run_in_seat(void)
{
    record *r = next_task(-1);
    seen->caller[r - records] = (uint8_t)(model_self() + 1);
    int error = heist__seat_run(pool, &r->task);
    model_check(!heist__self(), "a caller goes on in its seat");
    check_run(r, error);
}

/* A run by a worker, for an outsider. */
static void hand_over(void)
{
    record *r = next_task(-1);
    seen->caller[r - records] = (uint8_t)(model_self() + 1);
    check_run(r, heist__hand_over(pool, &r->task));
}

static void run_task(heist_worker *face, heist_slot *bottom, heist_task *task);

static heist_slot *join_child(heist__worker *w, heist_slot *bottom, heist_task *child)
{
    if (!heist__pop(&w->tasks.face, bottom, child)) return heist__join_slow(&w->tasks.face, bottom, child);
    run_task(&w->tasks.face, --bottom, child);
    return bottom;
}

static void run_task(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    record *r = (record *)(void *)task;
    if (r < records || r >= records + TASKS) {
        model_check(false, "thread %d runs %p, which is no task", model_self(), (void *)task);
        return;
    }
    long i = r - records;
    model_check(!seen->over && !seen->closed, "task %ld is run after the end", i);
    model_check(!seen->begun[i], "task %ld is run twice", i);
    model_check(heist__worker_of(face) == heist__self(), "task %ld runs in another's seat", i);
    if (heist__load_relaxed(&heist__self()->depth) == 1) /* relaxed: own */
        model_check(bottom == heist__self()->tasks.slots, "task %ld does not begin with an empty deque", i);
    uint8_t *sits = &seen->in_seat[heist__self()->index], before = *sits;
    model_check(!before || before == model_self() + 1, "threads %d and %d are in one seat", before - 1, model_self());
    *sits = (uint8_t)(model_self() + 1);
    seen->begun[i] = 1;
    switch (bodies[i]) {
    case 'd': give(i, r->job.core); break;
    case 'L': compute_for_ever(i); break;
    case 'P':
        heist__push(face, bottom, &next_task(i)->task);
        compute_for_ever(i);
        break;
    case 'f': {
        record *child = next_task(i);
        bottom = heist__push(face, bottom, &child->task);
        join_child(heist__worker_of(face), bottom, &child->task);
        break;
    }
    }
    *sits = before;
    r->contents = 1;
    seen->ended[i] = 1;
    if (i == 0) heist__store_release(told, 1);
}

static void end_task(heist__job *l, heist__worker *w, bool ran)
{
    (void)l;
    (void)w;
    (void)ran;
}

/* ---- workers ---- */

static bool find_bare(heist__worker *w, heist__found_work *found)
{
    *found = (heist__found_work){0};
    if (model_lends) found->job = pop_job(w); /* left there by a caller */
    if (!found->job) found->job = heist__inbox_find(w, &found->room, HEIST__BATCH);
    if (found->job) return true;
    for (unsigned i = pusher_script[0] || !model_lends ? worker_count : 0; i < pool->count; i++) {
        heist__worker *victim = pool->workers[i];
        if (victim == w) continue;
        if (heist__steal_child(victim, heist__task_deque_look(&victim->tasks), 0, &found->child) == HEIST_STEAL_GOT)
            return true;
    }
    found->child.task = NULL;
    return false;
}

static void leave_search(heist__worker *w, const heist__idle_calls *calls)
{
    model_must_end(alone);
    heist__idle_found(&pool->idle, &w->sleeper, calls);
    model_must_end(false);
}

/* search_and_run, with less to search. */
static void bare_loop(heist__worker *w)
{
    const heist__idle_calls calls = {ring, any_work, left, NULL, w};
    search_wait wait = {.worth_waiting = true};
    if (rested) heist__lending_wait(&pool->idle, &w->sleeper, &calls);
    while (!heist__load_acquire(&pool->stop)) {
        heist__found_work found;
        if (find_bare(w, &found)) {
            leave_search(w, &calls);
            if (found.child.task) heist__run_stolen(w, &found.child);
            run_own(w, found.job ? found.job : pop_job(w));
            heist__idle_search(&pool->idle, &w->sleeper);
        } else if (!offers || !wait_a_moment(w, &wait, &calls, 0)) {
            heist__idle_sleep(&pool->idle, &w->sleeper, &calls);
        }
    }
    leave_search(w, &calls);
}

static void work(void *self_worker)
{
    heist__worker *w = self_worker;
    heist__set_self(w);
    if (bare) {
        bare_loop(w);
    } else {
        search_and_run(w);
    }
}

static void push(void *self_worker)
{
    heist__worker *w = self_worker;
    heist_task *spawned[TASKS], **youngest = spawned, **oldest = spawned;
    heist__set_self(w);
    heist_slot *bottom = w->tasks.slots;
    for (const char *p = pusher_script; *p; p++) {
        model_must_end(alone);
        if (*p == 'p') bottom = heist__push(&w->tasks.face, bottom, *youngest++ = &next_task(-1)->task);
        if (*p == 'l') give(-1, NULL);
        if (*p == 'j') {
            model_must_end(false); /* a thief may have it */
            bottom = join_child(w, bottom, *oldest++);
        }
        if (*p == 'h') {
            heist__store_release(&w->tasks.face.bottom, w->tasks.slots);
            heist__store_release(&w->tasks.face.bottom, bottom);
            heist__notice(w);
        }
    }
    model_must_end(false);
    seen->computing = (uint8_t)(seen->computing | 1 << model_self());
}

/* ---- outside ---- */

/* The tasks that had been given, as bits; those of one scope, or with NULL all. */
static unsigned given_now(const heist__scope_core *scope)
{
    unsigned given = 0;
    for (int i = 0; i < TASKS; i++)
        if (!scope || records[i].job.core == scope) given |= (unsigned)seen->given[i] << i;
    return given;
}

/* All of `given`, and what they gave, has run and is seen. */
static void check_quiet(unsigned given)
{
    for (int i = 0; i < seen->used; i++) {
        bool due = given >> i & 1 || (seen->parent[i] && given >> (seen->parent[i] - 1) & 1);
        if (!due) continue;
        given |= 1u << i;
        model_check(seen->ended[i], "task %d has not run, and the wait is over", i);
        if (seen->ended[i]) model_check(records[i].contents == 1, "what task %d did is not seen", i);
    }
}

static void end_scope(heist__scope_core *scope)
{
    heist__wait_outside(pool, &scope->detector);
    heist__detector_destroy(&scope->detector);
}

static void outsider(void *script)
{
    heist__scope_core *scope = scopes[script == outside_scripts[1]];
    for (const char *p = script; *p; p++) {
        unsigned given = given_now(*p == 'e' ? scope : NULL);
        if (*p == 's') give(-1, NULL);
        if (*p == 'r') run_in_seat();
        if (*p == 'R') hand_over();
        if (*p == 'S') give(-1, scope);
        if (*p == 'e') {
            end_scope(scope);
            check_quiet(given);
        }
        if (*p == 'w') {
            heist__wait_outside(pool, &pool->all);
            check_quiet(given);
        }
        if (*p == 'q') {
            heist_pool_close(pool);
            heist__wait_outside(pool, &pool->all);
            seen->closed = 1;
        }
        if (*p == 'T') {
            while (!heist__load_acquire(told)) model_pause();
        }
        if (*p == 'x') {
            heist_pool_shutdown(pool, HEIST_DRAIN, NULL);
            seen->over = 1;
            check_quiet(given_now(NULL)); /* all that was ever taken */
        }
    }
}

/* ---- the world ---- */

static void make_worker(unsigned i, bool fenced)
{
    heist__worker *w = model_worker(pool, i, (size_t)model_number("slots", 3), fenced);
    pool->workers[i] = w;
    pool->idle.sleepers[i] = &w->sleeper;
    w->thread = i;
    w->running = i < worker_count;
    w->jobs = heist__deque_new_at(2, 0);
    model_unwatch(w->jobs, sizeof *w->jobs);
    model_name(w->jobs, sizeof *w->jobs, 0, false, "jobs%u", i);
    model_name(&w->jobs->top, 8, 8, false, "jobs_top%u", i);
    model_name(&w->jobs->bottom, 8, 8, false, "jobs_bottom%u", i);
    model_own(&w->jobs->bottom, 8, (int)i);
    model_own(&w->jobs->ring, 8, (int)i);
    model_own(&w->jobs->side, 4, (int)i);
    heist__object_pool_init(&w->blocks, HEIST__JOB_BLOCK, 0);
    w->victims.worker = model_alloc(4 * sizeof *w->victims.worker);
    for (unsigned v = 0; v < pool->count; v++) {
        if (v != i) w->victims.worker[w->victims.count++] = (uint16_t)v;
    }
    for (unsigned k = 0; k < MODEL_NESTINGS; k++) model_ignore(&w->nestings[k].core, 24);
    if (!strpbrk(bodies, "f") && !strchr(pusher_script, 'j')) model_ignore(&w->waits_on, sizeof w->waits_on);
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
        model_name(&r->task.state, 8, 8, false, "state_%d", i);
        model_name(&r->contents, 8, 8, false, "contents_%d", i);
        model_name(r, sizeof *r, 0, false, "task_%d", i);
    }
}

void model_setup(void)
{
    bool fenced = model_number("fenced", 0);
    worker_count = (unsigned)model_number("workers", 1);
    pusher_script = model_text("pusher", "");
    outside_scripts[0] = model_text("outside", "");
    outside_scripts[1] = model_text("second", "");
    bodies = model_text("bodies", ".....");
    bare = model_number("bare", 0);
    alone = model_number("alone", 0);
    model_lends = strchr(outside_scripts[0], 'r') || strchr(outside_scripts[1], 'r');
    offers = model_number("offers", 0);
    rested = model_number("rested", 0);
    seen = model_alloc(sizeof *seen);
    told = model_alloc(sizeof *told);
    never = model_alloc(sizeof *never);
    model_name(told, 4, 4, false, "told");
    if (!strchr(outside_scripts[0], 'T') && !strchr(outside_scripts[1], 'T')) model_ignore(told, sizeof *told);
    unsigned count = worker_count + (pusher_script[0] != 0);
    pool = model_pool(count);
    pool->idle.sleepers = model_alloc(4 * sizeof *pool->idle.sleepers);
    pool->idle.count = count;
    pool->idle.present = count;
    pool->idle.fenced = fenced;
    pool->running = worker_count;
    heist__detector_init(&pool->all, count);
    model_unwatch(pool->all.tallies, (count + 1) * sizeof *pool->all.tallies);
    for (int i = 0; i < 2; i++) {
        if (!strchr(outside_scripts[i], 'S')) continue;
        scopes[i] = model_payload(sizeof *scopes[i]);
        heist__detector_init(&scopes[i]->detector, count);
    }
    pool->inboxes = model_alloc(sizeof *pool->inboxes);
    pool->inbox_count = 1;
    pool->settings.inbox = 2;
    pool->batch = (size_t)model_number("batch", 1);
    heist__inbox_init(&pool->inboxes[0], 2);
    model_unwatch(pool->inboxes[0].slots, 2 * sizeof(heist__inbox_slot));
    make_tasks();
    for (unsigned i = 0; i < count; i++) make_worker(i, fenced);
    heist__store_relaxed(&pool->idle.searching, bare && !rested ? worker_count : 0);
    heist__store_relaxed(&pool->idle.asleep, rested ? worker_count : 0);
    for (unsigned i = 0; i < worker_count && rested; i++) heist__store_relaxed(&pool->workers[i]->sleeper.asleep, 1);
    model_ignore(&pool->idle.next, sizeof pool->idle.next);
    model_ignore(&pool->idle.offers, sizeof pool->idle.offers);
    model_name(&pool->idle.asleep, 4, 4, false, "asleep");
    model_name(&pool->idle.searching, 4, 4, false, "searching");
    model_name(&pool->idle.standing_by, 4, 4, false, "standing_by");
    model_name(&pool->idle.wanting, 4, 4, false, "wanting");
    model_name(&pool->idle.heir, 4, 4, false, "heir");
    model_name(&pool->idle.vacancies, 4, 4, false, "vacancies");
    model_name(&pool->waiters.waiting, 4, 4, false, "waiting");
    model_name(&pool->waiters.first.places[0].taken, 4, 4, false, "taken");
    model_name(&pool->waiters.first.places[0].quiet, 4, 4, false, "quiet");
    model_name(&pool->waiters.first.places[0].looker, 4, 4, false, "looker");
    model_name(&pool->waiters.first.places[0].leaving, 4, 4, false, "leaving");
    model_name(&pool->waiters.first.places[0].detector, 8, 8, false, "detector");
    model_name(&pool->waiters.first.more, 8, 8, false, "more");
    model_name(&pool->state, 4, 4, false, "state");
    model_name(&pool->stop, 4, 4, false, "stop");
    model_name(&pool->outsiders, 4, 4, false, "outsiders");
    for (unsigned i = 0; i <= count; i++) {
        model_name(&pool->all.tallies[i].created, 8, 8, false, "created%u", i);
        model_name(&pool->all.tallies[i].finished, 8, 8, false, "finished%u", i);
    }
    model_name(&pool->inboxes[0].tail, 8, 8, false, "tail");
    model_name(&pool->inboxes[0].head, 8, 8, false, "head");
    model_name(pool->inboxes[0].slots, 2 * sizeof(heist__inbox_slot), sizeof(heist__inbox_slot), false, "box");
    for (unsigned i = 0; i < worker_count; i++) model_thread(work, pool->workers[i]);
    if (pusher_script[0]) model_thread(push, pool->workers[worker_count]);
    for (int i = 0; i < 2; i++) {
        if (outside_scripts[i][0]) model_thread(outsider, (void *)(uintptr_t)outside_scripts[i]);
    }
}

void model_always(void)
{
}

void model_end(unsigned blocked)
{
    unsigned asleep = blocked & ~(unsigned)seen->computing;
    for (unsigned i = 0; i < worker_count && !seen->over; i++) { /* a thread without its seat cannot work */
        if (MODEL_PEEK(&pool->workers[i]->sleeper.asleep) & HEIST__LENT) asleep &= ~(1u << i);
    }
    for (unsigned i = worker_count + (pusher_script[0] != 0); i < 4; i++)
        model_check(!(asleep & 1u << i), "the outsider waits for ever");
    for (int i = 0; i < seen->used; i++)
        model_check(seen->begun[i] || !asleep, "task %d waits while threads %x sleep", i, asleep);
    if (seen->over) {
        model_check(!asleep, "threads %x outlive the pool", asleep);
        return;
    }
    unsigned sleepers = 0;
    for (unsigned i = 0; i < worker_count; i++) sleepers += asleep >> i & 1;
    model_check(MODEL_PEEK(&pool->idle.asleep) == sleepers, "%u sleep, %u are counted", sleepers,
                MODEL_PEEK(&pool->idle.asleep));
    model_check(MODEL_PEEK(&pool->idle.searching) == 0, "%u are counted as searching",
                MODEL_PEEK(&pool->idle.searching));
    model_check(MODEL_PEEK(&pool->idle.standing_by) == 0, "%u are counted as standing by",
                MODEL_PEEK(&pool->idle.standing_by));
}
