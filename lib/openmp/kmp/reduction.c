/* Task reductions: private copies, one for each thread of the team, and where a task finds its thread's.
 *
 * A registration belongs to a taskgroup, and those of groups around it follow. The copies of an item are made together, or,
 * if the compiler asks for that, each when its thread first wants it: some are initialised from what the thread leaves in
 * thread-private variables just before. When the group has ended its copies are combined into the shared item.
 *
 * With reduction(task, ...) on a region, loop or sections every thread has a group and a registration, with the same copies
 * and each with its own shared items, which the compiler reduces later: the last to end combines them all into its own. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "openmp/kmp/kmp.h"

enum { LAZY = 1 };

typedef void init_function(void *copy, const void *original);
typedef void old_init_function(void *copy);
typedef void combine_function(void *into, const void *from);

/* As the compiler lays them out: those of __kmpc_taskred_init, and, without the original, of __kmpc_task_reduction_init. */
typedef struct new_item {
    void *shared;
    void *original;
    size_t size;
    void (*init)(void);
    void (*destroy)(void *copy);
    combine_function *combine;
    uint32_t flags;
} new_item;

typedef struct old_item {
    void *shared;
    size_t size;
    void (*init)(void);
    void (*destroy)(void *copy);
    combine_function *combine;
    uint32_t flags;
} old_item;

/* The private copies of an item. */
typedef struct copies {
    new_item item;
    bool old; /* its `init` takes no original */
    size_t stride;
    char *all; /* NULL: made one by one */
    /* Each thread's own, or NULL. Written by: that thread. Read by: who looks an address up. */
    HEIST__ATOMIC(void *) each[];
} copies;

struct heist__kmp_batch { /* what several registrations may share */
    unsigned threads;
    unsigned waiting; /* threads that have not ended it. Under the lock. */
    int32_t count;
    copies *items[];
};

struct heist__kmp_reduction {
    heist__omp_group *group;
    heist__kmp_reduction *outer;
    heist__kmp_batch *batch;
    int32_t shared_by_team; /* -1: not; otherwise its number in the region */
    void *shared[];         /* items, as this thread calls them */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *checked(void *memory)
{
    if (!memory) heist__omp_fatal("no memory for task reductions");
    return memory;
}

/* ---- copies ---- */

static void initialise(const copies *c, void *copy)
{
    if (!c->item.init) return; /* zeroes */
    if (c->old) {
        ((old_init_function *)c->item.init)(copy);
    } else {
        ((init_function *)c->item.init)(copy, c->item.original ? c->item.original : c->item.shared);
    }
}

static size_t round_up(size_t bytes)
{
    return (bytes + HEIST__LINE - 1) / HEIST__LINE * HEIST__LINE;
}

static char *zeroes(size_t bytes)
{
    char *memory = checked(aligned_alloc(HEIST__LINE, bytes));
    memset(memory, 0, bytes);
    return memory;
}

static copies *copies_new(const new_item *item, bool old, unsigned threads)
{
    copies *c = checked(calloc(1, sizeof *c + threads * sizeof *c->each));
    c->item = *item;
    c->old = old;
    c->stride = round_up(item->size ? item->size : 1);
    if (item->flags & LAZY) return c;
    c->all = zeroes(c->stride * threads);
    for (unsigned i = 0; i < threads; i++) {
        initialise(c, c->all + i * c->stride);
        heist__store_relaxed(&c->each[i], c->all + i * c->stride); /* relaxed: nobody has seen it yet */
    }
    return c;
}

/* The calling thread's. */
static void *own_copy(heist__omp_slot *self, copies *c)
{
    void *copy = heist__load_relaxed(&c->each[self->index]); /* relaxed: its own */
    if (!copy) {
        copy = zeroes(c->stride);
        initialise(c, copy);
        heist__store_relaxed(&c->each[self->index], copy); /* relaxed: others only compare addresses */
    }
    return copy;
}

/* Whether it is one of the copies: a task may name its parent's. relaxed: whoever has the address saw it before */
static bool is_copy(const copies *c, unsigned threads, const void *address)
{
    if (c->all) return (const char *)address >= c->all && (const char *)address < c->all + threads * c->stride;
    for (unsigned i = 0; i < threads; i++) {
        if (heist__load_relaxed(&c->each[i]) == address) return true;
    }
    return false;
}

static void copies_free(copies *c, unsigned threads)
{
    for (unsigned i = 0; !c->all && i < threads; i++) free(heist__load_relaxed(&c->each[i])); /* relaxed: all is done */
    free(c->all);
    free(c);
}

/* All of them into `shared`; relaxed: the group has ended */
static void combine(copies *c, unsigned threads, void *shared)
{
    for (unsigned i = 0; i < threads; i++) {
        void *copy = heist__load_relaxed(&c->each[i]);
        if (!copy) continue;
        c->item.combine(shared, copy);
        if (c->item.destroy) c->item.destroy(copy);
    }
}

/* ---- registrations ---- */

static new_item item_at(const void *items, bool old, int32_t i)
{
    if (!old) return ((const new_item *)items)[i];
    const old_item *o = &((const old_item *)items)[i];
    return (new_item){o->shared, NULL, o->size, o->init, o->destroy, o->combine, o->flags};
}

static heist__kmp_batch *batch_new(heist__omp_slot *self, int32_t count, const void *items, bool old)
{
    unsigned threads = heist__load_relaxed(&self->team->size); /* relaxed: see heist__omp_slot_begin */
    heist__kmp_batch *b = checked(calloc(1, sizeof *b + (size_t)count * sizeof *b->items));
    b->threads = threads;
    b->count = count;
    for (int32_t i = 0; i < count; i++) {
        new_item item = item_at(items, old, i);
        b->items[i] = copies_new(&item, old, threads);
    }
    return b;
}

static void batch_free(heist__kmp_batch *b)
{
    for (int32_t i = 0; i < b->count; i++) copies_free(b->items[i], b->threads);
    free(b);
}

/* For the group that the current task has just begun. */
static heist__kmp_reduction *register_in_group(heist__omp_slot *self, heist__kmp_batch *b, const void *items, bool old)
{
    heist__omp_group *group = self->current->group;
    heist__kmp_reduction *r = checked(malloc(sizeof *r + (size_t)b->count * sizeof *r->shared));
    r->group = group;
    r->outer = (heist__kmp_reduction *)group->reductions;
    r->batch = b;
    r->shared_by_team = -1;
    for (int32_t i = 0; i < b->count; i++) r->shared[i] = item_at(items, old, i).shared;
    group->reductions = (uintptr_t *)r;
    return r;
}

heist__kmp_reduction *heist__kmp_reduction_of_group(const heist__omp_slot *self)
{
    const heist__omp_task *task = self->current;
    if (task->flags >= HEIST__TASK_GROUP) return NULL; /* a group for which there was no memory */
    heist__kmp_reduction *r = (heist__kmp_reduction *)task->group->reductions;
    return r && r->group == task->group ? r : NULL; /* not one of a group around it */
}

/* Whether this is the last registration of its batch. */
static bool is_last(heist__omp_slot *self, heist__kmp_reduction *r)
{
    if (r->shared_by_team < 0) return true;
    heist__kmp_region *region = heist__kmp_region_of(self);
    pthread_mutex_lock(&lock);
    bool last = --r->batch->waiting == 0;
    if (last) region->reductions[r->shared_by_team] = NULL;
    pthread_mutex_unlock(&lock);
    return last;
}

void heist__kmp_reduction_end(heist__omp_slot *self, heist__kmp_reduction *r)
{
    if (is_last(self, r)) {
        for (int32_t i = 0; i < r->batch->count; i++) combine(r->batch->items[i], r->batch->threads, r->shared[i]);
        batch_free(r->batch);
    }
    free(r);
}

void heist__kmp_reductions_drop(heist__kmp_region *region)
{
    for (int i = 0; i < 2; i++) {
        if (region->reductions[i]) batch_free(region->reductions[i]);
    }
}

static void *begin(int32_t count, void *items, bool old)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self->current->group) heist__omp_fatal("__kmpc_taskred_init: outside a taskgroup");
    if (self->current->flags >= HEIST__TASK_GROUP) heist__omp_fatal("no memory for task reductions");
    return register_in_group(self, batch_new(self, count, items, old), items, old);
}

void *__kmpc_taskred_init(int32_t gtid, int32_t count, void *items)
{
    return heist__omp_self ? begin(count, items, false) : HEIST__REAL(__kmpc_taskred_init)(gtid, count, items);
}

void *__kmpc_task_reduction_init(int32_t gtid, int32_t count, void *items)
{
    return heist__omp_self ? begin(count, items, true) : HEIST__REAL(__kmpc_task_reduction_init)(gtid, count, items);
}

/* ---- looking up ---- */

static void *find_in(heist__omp_slot *self, const heist__kmp_reduction *r, const void *item)
{
    for (int32_t i = 0; i < r->batch->count; i++) {
        copies *c = r->batch->items[i];
        if (r->shared[i] == item || is_copy(c, r->batch->threads, item)) return own_copy(self, c);
    }
    return NULL;
}

/* `group` is what the init returned, or NULL where the compiler does not see it. */
void *__kmpc_task_reduction_get_th_data(int32_t gtid, void *group, void *item)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return HEIST__REAL(__kmpc_task_reduction_get_th_data)(gtid, group, item);
    const heist__kmp_reduction *r = group;
    if (!r && self->current->group) r = (heist__kmp_reduction *)self->current->group->reductions;
    for (; r; r = r->outer) {
        void *copy = find_in(self, r, item);
        if (copy) return copy;
    }
    heist__omp_fatal("in_reduction of something that no task reduction names");
}

/* ---- reduction(task, ...) ---- */

static void *begin_for_team(int32_t which, int32_t count, void *items, bool old)
{
    heist__omp_slot *self = heist__omp_self;
    heist__kmp_region *region = heist__kmp_region_of(self);
    heist__omp_group *group = heist__omp_group_begin(self);
    checked(group);
    group->workshare = true;
    pthread_mutex_lock(&lock);
    heist__kmp_batch *b = region->reductions[which];
    if (!b) { /* the first thread */
        b = region->reductions[which] = batch_new(self, count, items, old);
        b->waiting = b->threads;
    }
    pthread_mutex_unlock(&lock);
    heist__kmp_reduction *r = register_in_group(self, b, items, old);
    r->shared_by_team = which;
    return r;
}

void *__kmpc_taskred_modifier_init(void *loc, int32_t gtid, int32_t workshare, int32_t count, void *items)
{
    return heist__omp_self ? begin_for_team(workshare != 0, count, items, false)
                           : HEIST__REAL(__kmpc_taskred_modifier_init)(loc, gtid, workshare, count, items);
}

void *__kmpc_task_reduction_modifier_init(void *loc, int32_t gtid, int32_t workshare, int32_t count, void *items)
{
    return heist__omp_self ? begin_for_team(workshare != 0, count, items, true)
                           : HEIST__REAL(__kmpc_task_reduction_modifier_init)(loc, gtid, workshare, count, items);
}

void __kmpc_task_reduction_modifier_fini(void *loc, int32_t gtid, int32_t workshare)
{
    if (heist__omp_self) {
        __kmpc_end_taskgroup(loc, gtid);
    } else {
        HEIST__REAL(__kmpc_task_reduction_modifier_fini)(loc, gtid, workshare);
    }
}
