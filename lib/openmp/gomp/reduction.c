/* Task reductions: private copies, one for each thread of the team, and where a task finds its thread's copy.
 *
 * The compiler lays a registration out as an array of words: [0] number of items, [1] bytes for one thread, [2]
 * alignment and, once registered, address of the copies, [3] allocator, [4] the registration around this one, [5] the
 * runtime's, here a mark, [6] end of the copies, and from [7] on for each item its address, its offset in a thread's
 * part, and a word for the runtime. Items are few: they are searched one after another, without the hash table that
 * libgomp hangs into [5]. */
#include "openmp/gomp/reduction.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/core/barrier.h"
#include "openmp/core/group.h"
#include "openmp/core/team.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

enum { COUNT, SIZE, COPIES, ALLOCATOR, OUTER, MARK, END, ITEMS };
enum { ITEM_ADDRESS, ITEM_OFFSET, ITEM_OWNER, ITEM_WORDS };

static const char our_mark; /* its address in [5] tells heist's registrations from libgomp's */

static void allocate_copies(uintptr_t *data, unsigned threads)
{
    size_t align = data[COPIES] < sizeof(void *) ? sizeof(void *) : data[COPIES];
    size_t bytes = data[SIZE] * threads;
    bytes = (bytes + align - 1) / align * align;
    void *copies = aligned_alloc(align, bytes);
    if (!copies) heist__omp_fatal("no memory for task reductions");
    memset(copies, 0, bytes);
    data[COPIES] = (uintptr_t)copies;
    data[END] = data[COPIES] + data[SIZE] * threads;
}

/* Registrations of this thread outside of regions, the newest first. libgomp would make a team for them, which stays,
 * and with which later regions may hang. */
static _Thread_local uintptr_t *outside;

/* Whether registrations are this thread's. In regions that are libgomp's they are libgomp's. */
static bool is_outside(const heist__omp_slot *self)
{
    return !self && HEIST__RUNTIME(omp_get_level)() == 0;
}

/* Puts registrations before those of `outer`. Returns all of them. */
static uintptr_t *add(uintptr_t *data, uintptr_t *outer, unsigned threads)
{
    uintptr_t *last = data;
    for (uintptr_t *d = data; d; d = (uintptr_t *)d[OUTER]) {
        allocate_copies(d, threads);
        d[MARK] = 0;
        last = d;
    }
    last[OUTER] = (uintptr_t)outer;
    data[MARK] = (uintptr_t)&our_mark;
    return data;
}

void GOMP_taskgroup_reduction_register(uintptr_t *data)
{
    heist__omp_slot *self = heist__omp_self;
    if (is_outside(self)) {
        outside = add(data, outside, 1);
        return;
    }
    if (!self) {
        HEIST__RUNTIME(GOMP_taskgroup_reduction_register)(data);
        return;
    }
    heist__omp_group *group = self->current->group;
    if (self->current->flags >= HEIST__OMP_TASK_GROUP) heist__omp_fatal("no memory for task reductions");
    /* The size of the region, not the team's capacity: the program combines as many. relaxed: see slot.c */
    group->reductions = add(data, group->reductions, heist__load_relaxed(&self->team->size));
}

void GOMP_taskgroup_reduction_unregister(uintptr_t *data)
{
    if (data[MARK] != (uintptr_t)&our_mark) {
        HEIST__RUNTIME(GOMP_taskgroup_reduction_unregister)(data);
        return;
    }
    bool was_outside = data == outside;
    do {
        free((void *)data[COPIES]);
        data = (uintptr_t *)data[OUTER];
    } while (data && !data[MARK]);
    if (was_outside) outside = data;
}

/* ---- looking up ---- */

static const uintptr_t *item_at(const uintptr_t *data, size_t i)
{
    return data + ITEMS + i * ITEM_WORDS;
}

/* The item with this address, or offset in a thread's part. */
static const uintptr_t *find_item(const uintptr_t *data, int word, uintptr_t value)
{
    for (size_t i = 0; i < data[COUNT]; i++) {
        if (item_at(data, i)[word] == value) return item_at(data, i);
    }
    return NULL;
}

/* Whether the registration knows `pointer`, as an original or as a copy of any thread. Sets the offset in a thread's
 * part, and the item; NULL if the pointer is within an item, as of an array. */
static bool look_up(const uintptr_t *data, uintptr_t pointer, uintptr_t *offset, const uintptr_t **item)
{
    *item = find_item(data, ITEM_ADDRESS, pointer);
    if (*item) {
        *offset = (*item)[ITEM_OFFSET];
        return true;
    }
    if (pointer < data[COPIES] || pointer >= data[END]) return false;
    *offset = (pointer - data[COPIES]) % data[SIZE];
    *item = find_item(data, ITEM_OFFSET, *offset);
    return true;
}

static const uintptr_t *find_among(const uintptr_t *data, uintptr_t pointer, uintptr_t *offset, const uintptr_t **item)
{
    while (data && !look_up(data, pointer, offset, item)) data = (const uintptr_t *)data[OUTER];
    return data;
}

/* `self` is NULL outside of regions. */
static const uintptr_t *find_registration(const heist__omp_slot *self, uintptr_t pointer, uintptr_t *offset,
                                          const uintptr_t **item)
{
    if (!self) return find_among(outside, pointer, offset, item);
    const uintptr_t *data = NULL;
    for (const heist__omp_group *group = self->current->group; group && !data; group = group->prev)
        data = find_among(group->reductions, pointer, offset, item);
    return data;
}

void GOMP_task_reduction_remap(size_t count, size_t originals, void **pointers)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self && !(outside && is_outside(self))) {
        HEIST__RUNTIME(GOMP_task_reduction_remap)(count, originals, pointers);
        return;
    }
    unsigned thread = self ? self->index : 0;
    for (size_t i = 0; i < count; i++) {
        uintptr_t offset;
        const uintptr_t *item;
        const uintptr_t *data = find_registration(self, (uintptr_t)pointers[i], &offset, &item);
        if (!data || (i < originals && !item))
            heist__omp_fatal("in_reduction of something that no task reduction names");
        pointers[i] = (void *)(data[COPIES] + thread * data[SIZE] + offset);
        if (i < originals) pointers[count + i] = (void *)item[ITEM_ADDRESS];
    }
}

/* ---- loops, sections and scopes with reduction(task, ...) ---- */

/* libgomp has registered them for the whole team. Here the tasks of this thread get a group that knows them. */
void heist__gomp_workshare_reductions(heist__omp_slot *self, uintptr_t *reductions)
{
    if (!self || !reductions) return;
    heist__omp_group *group = heist__omp_group_begin(self);
    if (!group) heist__omp_fatal("no memory for task reductions");
    group->workshare = true;
    group->reductions = reductions;
}

void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_workshare_task_reduction_unregister, (cancelled));
    heist__omp_group_end(self);
    /* All threads come here before libgomp's first thread frees the copies. */
    if (!cancelled) heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
    HEIST__RUNTIME(GOMP_workshare_task_reduction_unregister)(true); /* true: without a barrier */
}
