/* The programs of the soak: each is drawn from a seed, runs on a pool that others use at the same time, and knows
 * what must have happened when it ends. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "soak.h"

_Atomic uint64_t soak_tasks;

static void ran(void)
{
    atomic_fetch_add_explicit(&soak_tasks, 1, memory_order_relaxed); /* relaxed: a count for people */
}

/* A task does a little, or nothing, or sleeps. */
static void dawdle(chance *c)
{
    uint32_t kind = chance_below(c, 200);
    if (kind > 20) return;
    if (kind == 0) {
        struct timespec t = {0, 1000 * (long)chance_below(c, 300)};
        nanosleep(&t, NULL);
    }
    for (volatile uint32_t i = chance_below(c, 3000); i > 0; i--) {
    }
}

/* ---- trees of typed tasks, joined in any order ---- */

enum { MOST_CHILDREN = 6 };

static unsigned children_at(chance *c, int depth)
{
    return depth > 0 ? chance_below(c, MOST_CHILDREN + 1) : 0;
}

static uint64_t tree_serial(uint64_t seed, int depth)
{
    chance c = chance_from(seed, 0);
    unsigned n = children_at(&c, depth);
    uint64_t sum = seed;
    for (unsigned i = 0; i < n; i++) sum += tree_serial(seed * 31 + i + 1, depth - 1);
    return sum;
}

static void shuffle(chance *c, unsigned *order, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned j = chance_below(c, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

HEIST_TASK(uint64_t, tree, uint64_t, seed, int, depth)
{
    HEIST_CHILD(tree) children[MOST_CHILDREN];
    unsigned order[MOST_CHILDREN];
    chance c = chance_from(seed, 0);
    unsigned n = children_at(&c, depth);
    uint64_t sum = seed;
    ran();
    for (unsigned i = 0; i < n; i++) HEIST_SPAWN_AT(&children[i], tree, seed * 31 + i + 1, depth - 1);
    dawdle(&c);
    shuffle(&c, order, n);
    for (unsigned i = 0; i < n; i++) {
        sum += HEIST_SYNC_AT(&children[order[i]], tree);
        if (chance_one_in(&c, 16)) dawdle(&c);
    }
    return sum;
}

static const char *run_tree(heist_pool *pool, chance c)
{
    uint64_t seed = chance_draw(&c);
    int depth = 2 + (int)chance_below(&c, 6);
    return HEIST_RUN(pool, tree, seed, depth) == tree_serial(seed, depth) ? NULL : "the sum over a tree is wrong";
}

/* ---- a lock held across a join: unrelated work under it would deadlock ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

HEIST_TASK(uint64_t, locker, uint64_t, seed, int, depth)
{
    chance c = chance_from(seed, 1);
    ran();
    if (depth == 0) {
        pthread_mutex_lock(&lock);
        HEIST_SPAWN(below, tree, seed, 2);
        dawdle(&c);
        uint64_t sum = HEIST_SYNC(below);
        pthread_mutex_unlock(&lock);
        return sum;
    }
    HEIST_SPAWN(left, locker, seed * 3 + 1, depth - 1);
    uint64_t right = HEIST_CALL(locker, seed * 3 + 2, depth - 1);
    return HEIST_SYNC(left) + right;
}

static uint64_t locker_serial(uint64_t seed, int depth)
{
    if (depth == 0) return tree_serial(seed, 2);
    return locker_serial(seed * 3 + 1, depth - 1) + locker_serial(seed * 3 + 2, depth - 1);
}

static const char *run_locker(heist_pool *pool, chance c)
{
    uint64_t seed = chance_draw(&c);
    int depth = 1 + (int)chance_below(&c, 6);
    return HEIST_RUN(pool, locker, seed, depth) == locker_serial(seed, depth) ? NULL : "a sum under locks is wrong";
}

/* ---- more children than slots, joined from either end ---- */

HEIST_TASK(uint64_t, crowd, uint64_t, seed, uint32_t, n)
{
    HEIST_CHILD(tree) *children = malloc((n + 1) * sizeof *children);
    if (!children) return 0;
    chance c = chance_from(seed, 2);
    bool forward = chance_one_in(&c, 2);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) HEIST_SPAWN_AT(&children[i], tree, seed + i, 0);
    for (uint32_t i = 0; i < n; i++) sum += HEIST_SYNC_AT(&children[forward ? i : n - 1 - i], tree);
    free(children);
    return sum;
}

static const char *run_crowd(heist_pool *pool, chance c)
{
    uint64_t seed = chance_draw(&c), sum = 0;
    uint32_t n = chance_below(&c, chance_one_in(&c, 4) ? 5000 : 200);
    for (uint32_t i = 0; i < n; i++) sum += tree_serial(seed + i, 0);
    return HEIST_RUN(pool, crowd, seed, n) == sum ? NULL : "the sum over a crowd is wrong";
}

/* ---- detached tasks that detach, in a scope of their own ---- */

typedef struct {
    table table;
    heist_scope scope;
    uint64_t seed;
} burst;

typedef struct {
    burst *b;
    cell *c;
} burst_item;

static void burst_task(void *argument);

static bool burst_one(burst *b)
{
    cell *c = table_take(&b->table);
    burst_item *item = c ? malloc(sizeof *item) : NULL;
    if (!item) return false;
    *item = (burst_item){b, c};
    return heist_detach(&b->scope, burst_task, item) == 0;
}

static void burst_task(void *argument)
{
    burst_item item = *(burst_item *)argument;
    free(argument);
    chance c = chance_from(item.b->seed, item.c->number + 10);
    dawdle(&c);
    for (uint32_t n = chance_below(&c, 4); n > 0 && burst_one(item.b); n--) {
    }
    table_mark(&item.b->table, item.c);
}

static const char *run_burst(heist_pool *pool, chance c)
{
    burst b = {.seed = chance_draw(&c)};
    if (!table_new(&b.table, 1 + chance_below(&c, 3000)) || heist_scope_begin(&b.scope, pool)) return "no memory";
    for (uint32_t n = 1 + chance_below(&c, 20); n > 0 && burst_one(&b); n--) {
    }
    const char *wrong = heist_scope_wait(&b.scope) ? "a scope could not be awaited" : table_verdict(&b.table, 0);
    if (heist_scope_end(&b.scope)) wrong = "a scope could not be ended";
    table_free(&b.table);
    return wrong;
}

/* ---- plain children in scopes within scopes ---- */

typedef struct {
    uint64_t seed;
    int depth;
    uint64_t sum;
} plain_node;

static void plain_task(void *argument)
{
    plain_node *node = argument;
    plain_node below[MOST_CHILDREN];
    heist_scope scope;
    chance c = chance_from(node->seed, 0);
    unsigned n = children_at(&c, node->depth);
    ran();
    node->sum = node->seed;
    if (n == 0 || heist_scope_begin(&scope, NULL)) return;
    for (unsigned i = 0; i < n; i++) {
        below[i] = (plain_node){node->seed * 31 + i + 1, node->depth - 1, 0};
        heist_spawn(&scope, plain_task, &below[i]);
    }
    dawdle(&c);
    heist_join(&scope);
    heist_scope_end(&scope);
    for (unsigned i = 0; i < n; i++) node->sum += below[i].sum;
}

static const char *run_plain(heist_pool *pool, chance c)
{
    plain_node root = {chance_draw(&c), 2 + (int)chance_below(&c, 4), 0};
    if (heist_run(pool, plain_task, &root)) return "a plain run was refused";
    return root.sum == tree_serial(root.seed, root.depth) ? NULL : "the sum over plain children is wrong";
}

/* ---- submissions with all kinds of patience ---- */

typedef struct {
    table *table;
    cell *cell;
} submission;

static void submitted(void *argument)
{
    submission *s = argument;
    table_mark(s->table, s->cell);
}

static const char *run_submit(heist_pool *pool, chance c)
{
    static const long patience[] = {HEIST_WAIT, 0, 0, 1, 3};
    uint32_t n = 1 + chance_below(&c, 2000);
    table t;
    heist_scope scope;
    submission *items = calloc(n, sizeof *items);
    if (!items || !table_new(&t, n) || heist_scope_begin(&scope, pool)) return "no memory";
    uint64_t refused = 0;
    const char *wrong = NULL;
    for (uint32_t i = 0; !wrong && i < n; i++) {
        items[i] = (submission){&t, table_take(&t)};
        int error = heist_scope_submit(&scope, submitted, &items[i], patience[chance_below(&c, 5)]);
        refused += error != 0;
        if (error && error != -EAGAIN && error != -ETIMEDOUT) wrong = heist_strerror(error);
    }
    if (heist_scope_end(&scope)) wrong = "a scope could not be ended";
    if (!wrong) wrong = table_verdict(&t, refused);
    table_free(&t);
    free(items);
    return wrong;
}

/* ---- a second pool, used by tasks of the first, ended in one way or the other ---- */

HEIST_TASK(uint64_t, abroad, heist_pool *, other, uint64_t, seed, int, depth)
{
    HEIST_SPAWN(here, tree, seed, depth);
    uint64_t there = HEIST_RUN(other, tree, seed, depth);
    return HEIST_SYNC(here) == there ? there : 0;
}

/* Submits n tasks and ends the pool: every accepted task has run, or is told to be cancelled. */
static const char *fill_and_end(heist_pool *pool, chance *c, uint32_t n)
{
    table t;
    submission *items = calloc(n, sizeof *items);
    if (!items || !table_new(&t, n)) return "no memory";
    uint64_t refused = 0;
    for (uint32_t i = 0; i < n; i++) {
        items[i] = (submission){&t, table_take(&t)};
        refused += heist_submit(pool, submitted, &items[i], HEIST_WAIT) != 0;
    }
    size_t cancelled = 0;
    heist_shutdown how = chance_one_in(c, 2) ? HEIST_DRAIN : HEIST_CANCEL;
    const char *wrong = NULL;
    if (heist_pool_shutdown(pool, how, &cancelled)) wrong = "a pool could not be ended";
    if (how == HEIST_DRAIN && cancelled) wrong = "a draining shutdown has cancelled tasks";
    if (!wrong) wrong = table_verdict(&t, refused + cancelled);
    table_free(&t);
    free(items);
    return wrong;
}

static const char *run_abroad(heist_pool *pool, chance c)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1 + chance_below(&c, 4);
    heist_pool *other = heist_pool_new(&options);
    if (!other) return "a second pool could not be made";
    uint64_t seed = chance_draw(&c) | 1;
    int depth = 1 + (int)chance_below(&c, 4);
    bool right = HEIST_RUN(pool, abroad, other, seed, depth) == tree_serial(seed, depth);
    const char *wrong = fill_and_end(other, &c, 1 + chance_below(&c, 500));
    return right ? wrong : "a run on another pool is wrong";
}

/* ---- loops ---- */

typedef struct {
    atomic_uchar *seen;
    int64_t begin;
    uint64_t seed;
} loop_state;

static int loop_part(heist_range part, void *context)
{
    loop_state *s = context;
    HEIST_EACH(i, part)
    atomic_fetch_add_explicit(&s->seen[i - s->begin], 1, memory_order_relaxed); /* relaxed: a mark */
    chance c = chance_from(s->seed, (uint64_t)part.begin);
    dawdle(&c);
    ran();
    return 0;
}

static const char *run_loop(heist_pool *pool, chance c)
{
    static const heist_schedule schedules[] = {HEIST_SCHEDULE_DEFAULT, HEIST_SCHEDULE_STATIC, HEIST_SCHEDULE_SHARED,
                                               HEIST_SCHEDULE_STEAL,   HEIST_SCHEDULE_HYBRID, HEIST_SCHEDULE_AUTO};
    uint32_t n = chance_below(&c, 20000);
    loop_state s = {calloc(n + 1, 1), (int64_t)chance_below(&c, 1000) - 500, chance_draw(&c)};
    if (!s.seen) return "no memory";
    heist_loop_options options;
    memset(&options, 0, sizeof options);
    options.schedule = schedules[chance_below(&c, 6)];
    options.batch = chance_one_in(&c, 2) ? 0 : 1 + chance_below(&c, 300);
    options.take = chance_one_in(&c, 2) ? 0 : 1 + chance_below(&c, 4);
    const char *wrong = NULL;
    if (heist_for(pool, heist_between(s.begin, s.begin + n), loop_part, &s, &options)) wrong = "a loop was refused";
    for (uint32_t i = 0; !wrong && i < n; i++) {
        if (atomic_load(&s.seen[i]) != 1) wrong = "a loop has left out or repeated an iteration";
    }
    if (atomic_load(&s.seen[n]) != 0) wrong = "a loop went beyond its end";
    free(s.seen);
    return wrong;
}

const soak_scenario soak_scenarios[] = {
    {"tree", run_tree},   {"locker", run_locker}, {"crowd", run_crowd},   {"burst", run_burst},
    {"plain", run_plain}, {"submit", run_submit}, {"abroad", run_abroad}, {"loop", run_loop},
};
const unsigned soak_scenario_count = sizeof soak_scenarios / sizeof *soak_scenarios;
