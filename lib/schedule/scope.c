/* Scopes: children by plain functions, and detached tasks that are waited for together. */
#include <errno.h>
#include <stdlib.h>

#include "idle/pace.h"
#include "schedule/worker.h"

#define CHUNK 64
#define LONGEST_NAP_NS 10000000

struct heist__plain_chunk {
    struct heist__plain_chunk *older;
    struct heist__plain items[CHUNK];
};

int heist_scope_begin(heist_scope *scope, heist_pool *pool)
{
    if (!scope) return heist__fail(-EINVAL, "heist_scope_begin: no scope");
    pool = heist__pool_resolve(pool);
    if (!pool) return -errno;
    heist__worker *w = heist__self();
    if (w && w->pool != pool) w = NULL;
    scope->core = malloc(sizeof *scope->core);
    if (!scope->core || heist__detector_init(&scope->core->detector, pool->count) < 0) {
        free(scope->core);
        scope->core = NULL;
        return heist__fail(-ENOMEM, "no memory for a scope");
    }
    heist__store_relaxed(&scope->core->dropped, 0); /* relaxed: nobody has seen it yet */
    scope->pool = pool;
    scope->worker = w ? &w->frames.face : NULL;
    scope->count = 0;
    scope->chunks = NULL;
    return 0;
}

/* ---- children ---- */

/* Whether the child with this number is the first of a chunk. */
static bool begins_chunk(size_t number)
{
    return number >= HEIST__PLAIN_INLINE && (number - HEIST__PLAIN_INLINE) % CHUNK == 0;
}

static bool make_room(heist_scope *scope)
{
    if (!begins_chunk(scope->count)) return true;
    struct heist__plain_chunk *chunk = malloc(sizeof *chunk);
    if (!chunk) return false;
    chunk->older = scope->chunks;
    scope->chunks = chunk;
    return true;
}

/* The record of the child with this number, which is the youngest. */
static struct heist__plain *record(heist_scope *scope, size_t number)
{
    if (number < HEIST__PLAIN_INLINE) return &scope->first[number];
    return &scope->chunks->items[(number - HEIST__PLAIN_INLINE) % CHUNK];
}

void heist_spawn(heist_scope *scope, heist_function *function, void *argument)
{
    heist__worker *w = heist__self();
    bool ours = w && scope->worker == &w->frames.face;
    if (!ours || !make_room(scope)) {
        function(argument);
        return;
    }
    struct heist__plain *child = record(scope, scope->count);
    child->task.run = heist__run_plain;
    child->function = function;
    child->argument = argument;
    scope->count++;
    heist__push(scope->worker, heist__bottom_of(w), &child->task);
}

void heist_join(heist_scope *scope)
{
    heist__worker *w = heist__self();
    if (!w || scope->worker != &w->frames.face) return; /* nothing can have been spawned from here */
    while (scope->count > 0) {
        size_t number = --scope->count;
        struct heist__plain *child = record(scope, number);
        heist_slot *bottom = heist__bottom_of(w);
        if (heist__pop(scope->worker, bottom, &child->task)) {
            child->function(child->argument);
        } else {
            heist__join_slow(scope->worker, bottom, &child->task);
        }
        if (begins_chunk(number)) {
            struct heist__plain_chunk *empty = scope->chunks;
            scope->chunks = empty->older;
            free(empty);
        }
    }
}

/* ---- detached tasks ---- */

/* Where a detached task goes: the pool, and the scope it counts for. */
static heist_pool *destination(heist_scope *scope, heist__scope_core **core)
{
    heist__worker *w = heist__self();
    *core = scope ? scope->core : w ? heist__scope_now(w) : NULL;
    if (scope) return heist__pool_resolve(scope->pool);
    return w ? w->pool : heist__pool_resolve(NULL);
}

heist_task *heist__loose_new(heist_scope *scope, size_t size)
{
    (void)scope;
    heist__loose *l = heist__loose_alloc(heist__self(), size);
    return l ? l->task : NULL;
}

int heist__loose_push(heist_scope *scope, heist_task *task)
{
    if (!task) return heist__fail(-ENOMEM, "no memory for a task");
    heist__loose *l = (heist__loose *)(void *)task - 1;
    heist__scope_core *core;
    heist_pool *pool = destination(scope, &core);
    heist__loose_init(l, core);
    int error = pool ? heist__loose_give(pool, l, HEIST_WAIT) : -errno;
    if (error) heist__loose_free(heist__self(), l);
    return error;
}

static int give_call(heist_pool *pool, heist__scope_core *core, heist_function *function, void *argument,
                     long patience_ms)
{
    if (!pool) return -errno;
    heist__worker *w = heist__self();
    if (HEIST__INBOX_CARRIES_CALLS && (!w || w->pool != pool))
        return heist__submit(pool, &(heist__parcel){function, argument, core}, core, patience_ms);
    heist__loose *l = heist__loose_alloc(w, sizeof(struct heist__plain));
    if (!l) return heist__fail(-ENOMEM, "no memory for a task");
    heist__call_init((heist__call *)(void *)l, l->size, function, argument, core);
    int error = heist__loose_give(pool, l, patience_ms);
    if (error) heist__loose_free(w, l);
    return error;
}

int heist_detach(heist_scope *scope, heist_function *function, void *argument)
{
    return heist_scope_submit(scope, function, argument, HEIST_WAIT);
}

int heist_scope_submit(heist_scope *scope, heist_function *function, void *argument, long patience_ms)
{
    if (!function) return heist__fail(-EINVAL, "no function to run");
    heist__scope_core *core;
    heist_pool *pool = destination(scope, &core);
    return give_call(pool, core, function, argument, patience_ms);
}

int heist_submit(heist_pool *pool, heist_function *function, void *argument, long patience_ms)
{
    if (!function) return heist__fail(-EINVAL, "no function to run");
    return give_call(heist__pool_resolve(pool), NULL, function, argument, patience_ms);
}

/* ---- waiting ---- */

static heist__loose *pop_own(heist__worker *w)
{
    void *popped;
    return heist_deque_pop(w->loose, &popped) == HEIST_STEAL_GOT ? popped : NULL;
}

static void keep(heist__loose **list, heist__loose *l)
{
    l->aside = *list;
    *list = l;
}

/* Puts a list back into the deque, its first as the oldest. */
static void put_back(heist__worker *w, heist__loose *list)
{
    while (list) {
        heist__loose *l = list;
        list = l->aside;
        if (heist_deque_push(w->loose, l) == 0) continue;
        heist__loose_run(w, l); /* no memory: better run than lost */
        heist__tell_waiters(w->pool);
    }
}

/* Takes a task of the scope from the worker's own deque. If others lie above it, all of the scope's are brought to the young
 * end first, so that the next calls find them at once. */
static heist__loose *pick_own(heist__worker *w, heist__scope_core *core)
{
    heist__loose *ours = NULL, *others = NULL, *l = pop_own(w);
    if (!l || l->core == core) return l;
    for (; l; l = pop_own(w)) keep(l->core == core ? &ours : &others, l);
    l = ours;
    if (l) ours = l->aside;
    put_back(w, others);
    put_back(w, ours);
    heist__notice(w); /* they were out of sight for a moment */
    return l;
}

/* A place that outlives the search for a submission that lies in `room`. NULL: no memory. */
static heist__loose *keep_call(heist__worker *w, heist__loose *l, const heist__call *room)
{
    if (l != &room->loose) return l;
    heist__loose *kept = heist__loose_alloc(w, sizeof room->plain);
    if (kept)
        heist__call_init((heist__call *)(void *)kept, kept->size, room->plain.function, room->plain.argument, l->core);
    return kept;
}

/* Takes one from another worker or from an inbox. What does not belong to the scope goes to the worker's own deque, where
 * others find it. */
static heist__loose *pick_elsewhere(heist__worker *w, heist__scope_core *core, heist__call *room)
{
    for (unsigned i = 0; i <= w->pool->count; i++) {
        unsigned victim = (w->index + i) % w->pool->count;
        void *got = NULL;
        if (i == w->pool->count) {
            got = heist__inbox_find(w, room, 1);
        } else if (victim == w->index || heist_deque_steal(w->pool->workers[victim]->loose, &got) != HEIST_STEAL_GOT) {
            continue;
        }
        heist__loose *l = got;
        if (!l || l->core == core) return l;
        heist__loose *kept = keep_call(w, l, room);
        if (!kept) return l; /* no memory to keep it: better run than lost */
        if (heist_deque_push(w->loose, kept) < 0) return kept;
        heist__notice(w);
    }
    return NULL;
}

/* Sleeps until the scope is quiet, or for `nap_ns`. True: it is quiet. */
static bool sleep_until_quiet(heist__worker *w, heist__scope_core *core, int64_t nap_ns)
{
    heist__waiter *waiter;
    heist__waiter_begin(w->pool, &core->detector, &waiter); /* sure to be told or not: it naps */
    bool over = heist__detector_quiet(&core->detector);     /* T1 */
    if (!over) {
        heist__count(&w->counters.parks);
        over = heist__waiter_sleep(waiter, nap_ns);
    }
    heist__waiter_end(w->pool, waiter);
    return over;
}

static void wait_as_worker(heist__worker *w, heist__scope_core *core)
{
    heist__backoff backoff;
    heist__backoff_begin(&backoff, heist__waiting_spin(w));
    int64_t nap_ns = 50000;
    while (!heist__detector_quiet(&core->detector)) { /* T1 */
        heist__loose *l = NULL;
        heist__call room;
        if (heist__level_room(w)) l = pick_own(w, core);
        if (!l && heist__level_room(w)) l = pick_elsewhere(w, core, &room);
        if (l) {
            heist__loose_run(w, l);
            heist__tell_waiters(w->pool);
            heist__backoff_begin(&backoff, heist__waiting_spin(w));
            nap_ns = 50000;
        } else if (heist__backoff_wait(&backoff, &w->random) == HEIST__PARK) {
            if (sleep_until_quiet(w, core, nap_ns)) return;
            if (nap_ns < LONGEST_NAP_NS) nap_ns *= 2;
        }
    }
}

/* Of a scope that is quiet. */
static int outcome(heist__scope_core *core)
{
    if (!heist__load_relaxed(&core->dropped)) return 0; /* relaxed: T1 has ordered it */
    return heist__fail(-ECANCELED, "the pool was shut down before all tasks of the scope had begun");
}

int heist_scope_wait(heist_scope *scope)
{
    if (!scope || !scope->core) return heist__fail(-EINVAL, "heist_scope_wait: no scope, or one that has ended");
    /* relaxed: a hint. Then the pool is ending, or has ended, and must not be touched; nothing can come after quiet. */
    if (heist__load_relaxed(&scope->core->dropped) && heist__detector_quiet(&scope->core->detector))
        return outcome(scope->core);
    if (!heist__pool_resolve(scope->pool)) return -errno;
    heist__worker *w = heist__self();
    if (heist__runs_within(w, scope->core))
        return heist__fail(-EDEADLK, "a task of a scope cannot wait for that scope");
    heist_join(scope);
    if (w && w->pool == scope->pool) {
        wait_as_worker(w, scope->core);
    } else {
        heist__add_acq_rel(&scope->pool->outsiders, 1); /* S3: as in heist__submit */
        heist__wait_outside(scope->pool, &scope->core->detector);
        heist__add_acq_rel(&scope->pool->outsiders, (uint32_t)-1); /* S3: last touch of *pool */
    }
    return outcome(scope->core);
}

int heist_scope_end(heist_scope *scope)
{
    if (!scope || !scope->core) return 0;
    int error = heist_scope_wait(scope);
    if (error && error != -ECANCELED) return error;
    heist__detector_destroy(&scope->core->detector);
    free(scope->core);
    scope->core = NULL;
    return error;
}
