/* The scheduler as a whole: workers in their real loop, that search, run, sleep and are woken; somebody outside who
 * submits, waits and shuts down.
 *
 *   workers=   how many run the loop
 *   pusher=    one more worker, which is busy, and does this: p spawns a fork/join child, l detaches a task,
 *              h hides its children for a moment, as a join out of order does. Then it computes for ever.
 *   outside=   what the outsider does: s submits a task, S one of its scope, e waits until that scope is quiet and frees it, w waits
 *              until all is quiet, q closes and waits, T waits until task 0 says that it has run, x shuts the pool down
 *   second=    the same, for another outsider
 *   bodies=    what the tasks do, one letter each in the order of their numbers: . nothing; d detaches a task;
 *              f spawns a child and joins it; L computes for ever
 *   batch=     how many a worker may take out of the inbox at once
 *   bare       workers look at nothing but the pusher's children and the inbox: a shorter way to sleep
 *   fenced     fence mode
 *
 * At the end nobody may sleep while there is something to run; what was waited for must have run, and be visible. */
#include "schedule/worker.c"

#undef KEPT_BLOCKS
#define pthread_join(thread, result) model_join((int)(thread))
#define pthread_create(thread, attributes, run, argument) 0
#include "schedule/pool.c"

#include "stubs.h"
#include "workers.h"

const char model_harness_name[] = "pool";

enum { TASKS = 5 };

typedef struct {
    heist_task task;
    heist__loose loose;
    long contents; /* watched: written by the task, read by who waited for it */
} record;

static heist_pool *pool;
static record *records;
static struct {
    uint8_t used, begun[TASKS], ended[TASKS];
    uint8_t given[TASKS];  /* whoever gave it has been told that the pool has it */
    uint8_t parent[TASKS]; /* the task that gave it, + 1 */
    uint8_t computing;     /* threads that will not come back */
    uint8_t over;          /* the pool is gone ... */
    uint8_t closed;        /* ... or closed and quiet: nothing may run any more */
} * seen;
static const char *bodies, *pusher_script, *outside_scripts[2];
static bool bare;
static unsigned worker_count;
static HEIST__ATOMIC(uint32_t) * told; /* by task 0 */
static heist__scope_core *scopes[2];   /* of the outsiders */

/* ---- tasks ---- */

static void compute_for_ever(void)
{
    seen->computing = (uint8_t)(seen->computing | 1 << model_self());
    for (;;) model_futex_wait(&records[0].contents, 0); /* nobody wakes it */
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
    r->loose.core = core;
    int error = heist__loose_give(pool, &r->loose, HEIST_WAIT);
    model_check(error == 0 || error == -ESHUTDOWN, "a task was not taken: %d", error);
    if (error) seen->begun[r - records] = 1; /* refused: nobody waits for it */
    seen->given[r - records] = !error;
    return error;
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
    seen->begun[i] = 1;
    switch (bodies[i]) {
    case 'd': give(i, r->loose.core); break;
    case 'L': compute_for_ever(); break;
    case 'f': {
        record *child = next_task(i);
        bottom = heist__push(face, bottom, &child->task);
        if (heist__pop(face, bottom, &child->task)) {
            run_task(face, bottom - 1, &child->task);
        } else {
            heist__join_slow(face, bottom, &child->task);
        }
        break;
    }
    }
    r->contents = 1;
    seen->ended[i] = 1;
    if (i == 0) heist__store_release(told, 1);
}

static void end_task(heist__loose *l, heist__worker *w, bool ran)
{
    (void)l;
    (void)w;
    (void)ran;
}

/* ---- workers ---- */

static bool find_bare(heist__worker *w, loot *found)
{
    *found = (loot){0};
    found->loose = heist__inbox_find(w, &found->room, HEIST__BATCH);
    if (found->loose) return true;
    if (!pusher_script[0]) return false;
    heist__worker *victim = pool->workers[worker_count];
    if (heist__steal_child(victim, heist__frames_look(&victim->frames), 0, &found->child) == HEIST_STEAL_GOT)
        return true;
    found->child.task = NULL;
    return false;
}

/* search_and_run, with less to search. */
static void bare_loop(heist__worker *w)
{
    const heist__idle_calls calls = {ring, any_work, count_park, NULL, w};
    while (!heist__load_acquire(&pool->stop)) {
        loot found;
        if (find_bare(w, &found)) {
            heist__idle_found(&pool->idle, &w->sleeper, &calls);
            if (found.child.task) heist__run_stolen(w, &found.child);
            run_own(w, found.loose ? found.loose : pop_loose(w));
            heist__idle_search(&pool->idle, &w->sleeper);
        } else {
            heist__idle_sleep(&pool->idle, &w->sleeper, &calls);
        }
    }
    heist__idle_found(&pool->idle, &w->sleeper, &calls);
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
    heist__set_self(w);
    heist_slot *bottom = w->frames.slots;
    for (const char *p = pusher_script; *p; p++) {
        if (*p == 'p') bottom = heist__push(&w->frames.face, bottom, &next_task(-1)->task);
        if (*p == 'l') give(-1, NULL);
        if (*p == 'h') {
            heist__store_release(&w->frames.face.bottom, w->frames.slots);
            heist__store_release(&w->frames.face.bottom, bottom);
            heist__notice(w);
        }
    }
    seen->computing = (uint8_t)(seen->computing | 1 << model_self());
}

/* ---- outside ---- */

/* The tasks that had been given, as bits. */
static unsigned given_now(void)
{
    unsigned given = 0;
    for (int i = 0; i < TASKS; i++) given |= (unsigned)seen->given[i] << i;
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
        unsigned given = given_now();
        if (*p == 's') give(-1, NULL);
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
            check_quiet(given_now()); /* all that was ever taken */
        }
    }
}

/* ---- the world ---- */

static void make_worker(unsigned i, bool fenced)
{
    heist__worker *w = model_worker(pool, i, 3, fenced);
    pool->workers[i] = w;
    pool->idle.sleepers[i] = &w->sleeper;
    w->thread = i;
    w->running = i < worker_count;
    w->loose = heist__deque_new_at(2, 0);
    model_unwatch(w->loose, sizeof *w->loose);
    model_name(w->loose, sizeof *w->loose, 0, false, "loose%u", i);
    model_name(&w->loose->top, 8, 8, false, "loose_top%u", i);
    model_name(&w->loose->bottom, 8, 8, false, "loose_bottom%u", i);
    model_single_writer(&w->loose->bottom, 8, (int)i);
    model_single_writer(&w->loose->ring, 8, (int)i);
    model_single_writer(&w->loose->side, 4, (int)i);
    heist__object_pool_init(&w->blocks, HEIST__LOOSE_BLOCK, 0);
    w->victims.worker = model_alloc(4 * sizeof *w->victims.worker);
    for (unsigned v = 0; v < pool->count; v++) {
        if (v != i) w->victims.worker[w->victims.count++] = (uint16_t)v;
    }
    for (unsigned k = 0; k < MODEL_LEVELS; k++) model_ignore(&w->levels[k].core, 16);
    if (!strpbrk(bodies, "f")) model_ignore(&w->waits_on, sizeof w->waits_on);
}

static void make_tasks(void)
{
    records = model_payload(TASKS * sizeof *records);
    for (int i = 0; i < TASKS; i++) {
        record *r = &records[i];
        r->task.run = run_task;
        r->loose.task = &r->task;
        r->loose.end = end_task;
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
    seen = model_alloc(sizeof *seen);
    told = model_alloc(sizeof *told);
    model_name(told, 4, 4, false, "told");
    if (!strchr(outside_scripts[0], 'T') && !strchr(outside_scripts[1], 'T')) model_ignore(told, sizeof *told);
    unsigned count = worker_count + (pusher_script[0] != 0);
    pool = model_pool(count);
    pool->idle.sleepers = model_alloc(4 * sizeof *pool->idle.sleepers);
    pool->idle.count = count;
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
    heist__store_relaxed(&pool->idle.searching, bare ? worker_count : 0);
    model_ignore(&pool->idle.next, sizeof pool->idle.next);
    model_name(&pool->idle.asleep, 4, 4, false, "asleep");
    model_name(&pool->idle.searching, 4, 4, false, "searching");
    model_name(&pool->idle.standing_by, 4, 4, false, "standing_by");
    model_name(&pool->waiting, 4, 4, false, "waiting");
    model_name(&pool->waiters.places[0].taken, 4, 4, false, "taken");
    model_name(&pool->waiters.places[0].quiet, 4, 4, false, "quiet");
    model_name(&pool->waiters.places[0].looker, 4, 4, false, "looker");
    model_name(&pool->waiters.places[0].detector, 8, 8, false, "detector");
    model_name(&pool->waiters.more, 8, 8, false, "more");
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
