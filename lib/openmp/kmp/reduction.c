/* Task reductions: private copies, one for each thread of the team, and where a task finds its thread's copy.
 *
 * A registration belongs to a taskgroup, and those of groups around it follow. The copies of an item are initialised
 * together; or, if the compiler asks for that, each when its thread first wants it: some are initialised from values
 * that the thread leaves in thread-private variables just before. When the group has ended its copies are combined
 * into the shared item.
 *
 * With reduction(task, ...) on a region, loop or sections every thread has a group and a registration, with the same
 * copies and each with its own shared items, which the compiler reduces later: the last thread to end combines all
 * copies into its own items.
 *
 * Without memory for copies the tasks of the group run at once, in the one thread that creates them, on the items
 * themselves. */
#include "openmp/kmp/reduction.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "openmp/core/group.h"
#include "openmp/core/keep.h"
#include "openmp/core/own_lock.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

enum { LAZY = 1 };

typedef void init_function(void *copy, const void *original);
typedef void old_init_function(void *copy);
typedef void combine_function(void *into, const void *from);

/* The compiler's layouts: of __kmpc_taskred_init, and, without the original, of __kmpc_task_reduction_init. */
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
    char *all;
    /* Whether a thread's copy is initialised. Written by: that thread. Read by: the thread that combines them. */
    bool made[];
} copies;

struct heist__kmp_copy_set { /* several registrations may share one */
    unsigned threads;
    unsigned waiting; /* threads that have not ended it. Under the lock. */
    int32_t count;
    copies *items[];
};

struct heist__kmp_reduction {
    heist__omp_group *group;
    heist__kmp_reduction *outer;
    heist__kmp_copy_set *copies;
    int32_t shared_by_team; /* -1: not shared; otherwise its number in the region */
    void *shared[];         /* this thread's items */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Stands for a registration for which there is no memory. */
static heist__kmp_reduction on_the_items;

/* ---- copies ---- */

static void *copy_of(const copies *c, unsigned thread)
{
    return c->all + thread * c->stride;
}

static void initialise(copies *c, unsigned thread)
{
    void *copy = copy_of(c, thread);
    c->made[thread] = true;
    memset(copy, 0, c->stride);
    if (!c->item.init) return;
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

static void copies_free(copies *c)
{
    if (c) free(c->all);
    free(c);
}

/* Memory for copies, none initialised. NULL: no memory. */
static copies *copies_new(const new_item *item, bool old, unsigned threads)
{
    copies *c = calloc(1, sizeof *c + threads * sizeof *c->made);
    if (!c) return NULL;
    c->item = *item;
    c->old = old;
    c->stride = round_up(item->size ? item->size : 1);
    c->all = aligned_alloc(HEIST__LINE, c->stride * threads);
    if (c->all) return c;
    copies_free(c);
    return NULL;
}

/* The calling thread's copy. */
static void *own_copy(heist__omp_slot *self, copies *c)
{
    if (!c->made[self->index]) initialise(c, self->index);
    return copy_of(c, self->index);
}

/* Whether the address is in one of the copies: a task may name its parent's copy. */
static bool is_copy(const copies *c, unsigned threads, const void *address)
{
    return (const char *)address >= c->all && (const char *)address < c->all + threads * c->stride;
}

/* Combines all copies into `shared`: the group has ended. */
static void combine(copies *c, unsigned threads, void *shared)
{
    for (unsigned i = 0; i < threads; i++) {
        if (!c->made[i]) continue;
        c->item.combine(shared, copy_of(c, i));
        if (c->item.destroy) c->item.destroy(copy_of(c, i));
    }
}

/* ---- registrations ---- */

static new_item item_at(const void *items, bool old, int32_t i)
{
    if (!old) return ((const new_item *)items)[i];
    const old_item *o = &((const old_item *)items)[i];
    return (new_item){o->shared, NULL, o->size, o->init, o->destroy, o->combine, o->flags};
}

static void copy_set_free(heist__kmp_copy_set *b)
{
    for (int32_t i = 0; i < b->count; i++) copies_free(b->items[i]);
    free(b);
}

static void copy_set_initialise(heist__kmp_copy_set *b)
{
    for (int32_t i = 0; i < b->count; i++) {
        copies *c = b->items[i];
        for (unsigned thread = 0; !(c->item.flags & LAZY) && thread < b->threads; thread++) initialise(c, thread);
    }
}

/* NULL: no memory. */
static heist__kmp_copy_set *copy_set_new(heist__omp_slot *self, int32_t count, const void *items, bool old)
{
    heist__kmp_copy_set *b = calloc(1, sizeof *b + (size_t)count * sizeof *b->items);
    if (!b) return NULL;
    b->threads = b->waiting = heist__load_relaxed(&self->team->size); /* relaxed: see heist__omp_slot_enter */
    b->count = count;
    for (int32_t i = 0; i < count; i++) {
        new_item item = item_at(items, old, i);
        b->items[i] = copies_new(&item, old, b->threads);
        if (!b->items[i]) {
            copy_set_free(b);
            return NULL;
        }
    }
    copy_set_initialise(b);
    return b;
}

/* Combines all copies into the items that `items` names. */
static void copy_set_end(heist__kmp_copy_set *b, const void *items, bool old)
{
    for (int32_t i = 0; i < b->count; i++) combine(b->items[i], b->threads, item_at(items, old, i).shared);
    copy_set_free(b);
}

/* Memory for a registration. NULL: no memory. */
static heist__kmp_reduction *reduction_new(int32_t count)
{
    return malloc(sizeof(heist__kmp_reduction) + (size_t)count * sizeof(void *));
}

/* Registers it for the group that the current task has just begun. */
static heist__kmp_reduction *register_in_group(heist__omp_slot *self, heist__kmp_reduction *r, heist__kmp_copy_set *b,
                                               const void *items, bool old)
{
    heist__omp_group *group = self->current->group;
    r->group = group;
    r->outer = (heist__kmp_reduction *)group->reductions;
    r->copies = b;
    r->shared_by_team = -1;
    for (int32_t i = 0; i < b->count; i++) r->shared[i] = item_at(items, old, i).shared;
    group->reductions = (uintptr_t *)r;
    return r;
}

heist__kmp_reduction *heist__kmp_reduction_of_group(const heist__omp_slot *self)
{
    const heist__omp_task *task = self->current;
    if (task->flags >= HEIST__OMP_TASK_GROUP) return NULL; /* a group for which there was no memory */
    heist__kmp_reduction *r = (heist__kmp_reduction *)task->group->reductions;
    return r && r->group == task->group ? r : NULL; /* not that of a group around it */
}

/* Whether this is the last registration of its copies. */
static bool is_last(heist__omp_slot *self, heist__kmp_reduction *r)
{
    if (r->shared_by_team < 0) return true;
    heist__kmp_region *region = heist__kmp_region_of(self);
    heist__own_lock(&lock);
    bool last = --r->copies->waiting == 0;
    if (last) region->reductions[r->shared_by_team] = NULL;
    heist__own_unlock(&lock);
    return last;
}

void heist__kmp_reduction_end(heist__omp_slot *self, heist__kmp_reduction *r)
{
    if (is_last(self, r)) {
        for (int32_t i = 0; i < r->copies->count; i++) combine(r->copies->items[i], r->copies->threads, r->shared[i]);
        copy_set_free(r->copies);
    }
    free(r);
}

void heist__kmp_reductions_drop(heist__kmp_region *region)
{
    for (int i = 0; i < 2; i++) {
        if (region->reductions[i]) copy_set_free(region->reductions[i]);
        HEIST__OMP_KEEP(region->reductions[i], NULL);
        HEIST__OMP_KEEP(region->without[i], 0);
    }
}

static void *begin(heist__omp_slot *self, int32_t count, void *items, bool old)
{
    if (self->current->flags >= HEIST__OMP_TASK_GROUP) return &on_the_items;
    if (!self->current->group) heist__omp_fatal("__kmpc_taskred_init: outside a taskgroup");
    heist__kmp_reduction *r = reduction_new(count);
    heist__kmp_copy_set *b = r ? copy_set_new(self, count, items, old) : NULL;
    if (b) return register_in_group(self, r, b, items, old);
    free(r);
    heist__omp_group_do_without(self);
    return &on_the_items;
}

void *__kmpc_taskred_init(int32_t gtid, int32_t count, void *items)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_taskred_init, (gtid, count, items));
    return begin(self, count, items, false);
}

void *__kmpc_task_reduction_init(int32_t gtid, int32_t count, void *items)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_task_reduction_init, (gtid, count, items));
    return begin(self, count, items, true);
}

/* ---- looking up ---- */

static void *find_in(heist__omp_slot *self, const heist__kmp_reduction *r, const void *item)
{
    for (int32_t i = 0; i < r->copies->count; i++) {
        copies *c = r->copies->items[i];
        if (r->shared[i] == item || is_copy(c, r->copies->threads, item)) return own_copy(self, c);
    }
    return NULL;
}

/* `group` is the result of the init entry, or NULL where the compiler does not see it. */
void *__kmpc_task_reduction_get_th_data(int32_t gtid, void *group, void *item)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_task_reduction_get_th_data, (gtid, group, item));
    if (group == &on_the_items) return item;
    const heist__kmp_reduction *r = group;
    if (!r && self->current->group) r = (heist__kmp_reduction *)self->current->group->reductions;
    for (; r; r = r->outer) {
        void *copy = find_in(self, r, item);
        if (copy) return copy;
    }
    /* In a group without memory. */
    if (self->current->flags & (HEIST__OMP_TASK_CALLS & ~(uint32_t)HEIST__OMP_TASK_FINAL)) return item;
    heist__omp_fatal("in_reduction of something that no task reduction names");
}

/* ---- reduction(task, ...) ---- */

/* The copies for all threads, which the first thread makes. NULL: no memory. Under the lock. */
static heist__kmp_copy_set *copies_of_team(heist__omp_slot *self, int32_t which, int32_t count, const void *items,
                                           bool old)
{
    heist__kmp_region *region = heist__kmp_region_of(self);
    if (region->reductions[which]) return region->reductions[which];
    heist__kmp_copy_set *b = copy_set_new(self, count, items, old);
    if (b) b->waiting -= region->without[which];
    if (b) region->without[which] = 0;
    return region->reductions[which] = b;
}

/* A thread takes no part in the reduction: the others do not wait for it. Returns the copies, if the others have all
 * ended and left them for this thread to combine; or NULL. Under the lock. */
static heist__kmp_copy_set *do_without(heist__omp_slot *self, int32_t which)
{
    heist__kmp_region *region = heist__kmp_region_of(self);
    heist__kmp_copy_set *b = region->reductions[which];
    if (!b) {
        unsigned threads = heist__load_relaxed(&self->team->size);           /* relaxed: see heist__omp_slot_enter */
        if (++region->without[which] == threads) region->without[which] = 0; /* all threads: the reduction is over */
        return NULL;
    }
    if (--b->waiting > 0) return NULL;
    region->reductions[which] = NULL;
    return b;
}

static void *begin_for_team(heist__omp_slot *self, int32_t which, int32_t count, void *items, bool old)
{
    heist__omp_group *group = heist__omp_group_begin(self);
    heist__kmp_reduction *r = group ? reduction_new(count) : NULL;
    if (group) group->workshare = true;
    heist__own_lock(&lock);
    heist__kmp_copy_set *b = r ? copies_of_team(self, which, count, items, old) : NULL;
    heist__kmp_copy_set *left = b ? NULL : do_without(self, which);
    heist__own_unlock(&lock);
    if (left) copy_set_end(left, items, old);
    if (b) {
        register_in_group(self, r, b, items, old);
        r->shared_by_team = which;
        return r;
    }
    free(r);
    if (group) heist__omp_group_do_without(self);
    return &on_the_items;
}

void *__kmpc_taskred_modifier_init(void *loc, int32_t gtid, int32_t workshare, int32_t count, void *items)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_taskred_modifier_init, (loc, gtid, workshare, count, items));
    return begin_for_team(self, workshare != 0, count, items, false);
}

void *__kmpc_task_reduction_modifier_init(void *loc, int32_t gtid, int32_t workshare, int32_t count, void *items)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_task_reduction_modifier_init, (loc, gtid, workshare, count, items));
    return begin_for_team(self, workshare != 0, count, items, true);
}

void __kmpc_task_reduction_modifier_fini(void *loc, int32_t gtid, int32_t workshare)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, __kmpc_task_reduction_modifier_fini, (loc, gtid, workshare));
    __kmpc_end_taskgroup(loc, gtid);
}
