/* A worker's memory: the record, slots, nestings and the stack; on the worker's NUMA node, and within the limits of the
 * process. */
#include "schedule/worker_memory.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/reserve.h"
#include "platform/stack_switch.h"
#include "schedule/nesting.h"
#include "schedule/pool.h"
#include "schedule/stress.h"
#include "schedule/thread_ids.h"
#include "schedule/worker.h"
#include "topology/place.h"

/* Blocks of detached tasks that a worker keeps. */
#define KEPT_BLOCKS 256

/* The fewest tasks from elsewhere that may nest on one worker, and the fewest slots. */
#define LEAST_NESTINGS 1024
#define LEAST_SLOTS 1024

/* Stack that a worker keeps when it gives memory back. */
#define KEPT_STACK (64 << 10)

/* The most that the stacks of a pool take where untouched memory counts, unless the pool's maker says how large they
 * are. */
#define MOST_COUNTED ((size_t)512 << 20)

static void free_guest_stack(heist__worker *w)
{
#if HEIST__CAN_SWITCH_STACKS
    heist__stack_free(w->guest_stack, w->guest_size);
#endif
    w->guest_stack = NULL;
}

void heist__worker_free(heist__worker *w)
{
    if (!w) return;
    heist__task_deque_destroy(&w->tasks);
    heist__nestings_destroy(w);
    free_guest_stack(w);
    heist_deque_free(w->jobs);
    heist__object_pool_destroy(&w->blocks);
    heist__victims_free(&w->victims, NULL);
    heist__id_give(w->id);
    heist__reserve memory = w->own_memory;
    heist__reserve_free(&memory);
}

/* Puts a worker, its slots and its nestings onto its node. */
void heist__worker_place_memory(heist__worker *w)
{
    const heist__machine *m = &w->pool->machine;
    const heist__reserve *parts[] = {&w->own_memory, &w->tasks.memory, &w->nesting_memory};
    int placed = 0;
    for (unsigned i = 0; i < 3 && placed == 0; i++)
        placed = heist__prefer_node(parts[i]->start, parts[i]->bytes, m, w->pu);
    if (placed < 0 && placed != -ENOTSUP)
        heist__note(w->pool, "worker %u: its memory may be on another node", w->index);
}

/* A worker with its memory on its node. Its thread is started later. */
heist__worker *heist__worker_new(heist_pool *pool, unsigned index, const unsigned *pu_of)
{
    heist__reserve memory;
    const size_t row = pool->count <= HEIST__MATRIX_MOST ? pool->count * sizeof(heist__counter) : 0;
    const size_t bytes = sizeof(heist__worker) + row;
    if (heist__reserve_make(&memory, bytes, bytes) < 0) return NULL;
    heist__worker *w = (heist__worker *)(void *)memory.start; /* zeroed */
    w->own_memory = memory;
    if (row) w->stolen_from = (heist__counter *)(void *)(w + 1);
    w->pool = pool;
    w->index = index;
    w->id = heist__id_take();
    w->pu = pu_of[index];
    w->node = pool->machine.pus[w->pu].node;
    heist__random_seed(&w->random, pool->settings.seed, index);
    heist__stress_init(w);
    heist__strategy_init(&w->strategy, pool->settings.strategy);
    heist__object_pool_init(&w->blocks, HEIST__JOB_BLOCK, KEPT_BLOCKS);
    w->jobs = heist__deque_new_in(w->job_room);
    if (heist__nestings_init(w) < 0 || heist__task_deque_init(&w->tasks, pool->settings.slots, pool->idle.fenced) < 0 ||
        heist__victims_init(&w->victims, &pool->machine, pu_of, pool->count, index, NULL) < 0) {
        heist__worker_free(w);
        return NULL;
    }
    heist__counter_set(&w->counters.slots_ready, (uint64_t)(w->tasks.end - w->tasks.slots));
    heist__worker_place_memory(w);
    return w;
}

/* ---- within the limits ---- */

/* `a * b`, or a number larger than any system's memory. */
static size_t times(size_t a, size_t b)
{
    return a > SIZE_MAX / 2 / b ? SIZE_MAX / 2 : a * b;
}

/* Half of `value`, but not below `least`. */
static size_t halved(size_t value, size_t least)
{
    return value / 2 > least ? value / 2 : value < least ? value : least;
}

static void set_stack(heist__settings *s, size_t size)
{
    s->stack_size = size > HEIST__SMALLEST_STACK ? size & ~(size_t)4095 : HEIST__SMALLEST_STACK;
}

/* Checks the stack size from the environment: a mistake is reported, and ignored. */
static void check_asked_stack(heist_pool *pool)
{
    heist__settings *s = &pool->settings;
    if (!s->stack_by_variable) return;
    if (heist__could_map_whole(s->stack_size) && heist__could_commit(times(s->stack_size, pool->count))) return;
    char size[32];
    snprintf(size, sizeof size, "%zuK", s->stack_size >> 10);
    heist__passed_over("HEIST_STACK", size, "a size that the system has for each worker");
    heist__note(pool, "HEIST_STACK is ignored: the system has no stacks of %s", size);
    heist__stack_by_default(s);
}

/* Stacks are writable, and count whole where untouched memory counts. Where their size was not asked for, they take a
 * quarter of the available memory, and no more than MOST_COUNTED. */
static void fit_stacks(heist_pool *pool)
{
    heist__settings *s = &pool->settings;
    if (!s->stack_by_default) return;
    if (heist__commitment_counts() && s->stack_size > MOST_COUNTED / pool->count)
        set_stack(s, MOST_COUNTED / pool->count);
    while (s->stack_size > HEIST__SMALLEST_STACK && !heist__could_commit(times(s->stack_size, 4 * (size_t)pool->count)))
        set_stack(s, s->stack_size / 2);
}

/* Slots, nestings and stacks shrink together until all of them take no more than half of the memory that is left. */
static void fit_reservations(heist_pool *pool)
{
    heist__settings *s = &pool->settings;
    for (;;) {
        size_t each = s->slots * sizeof(heist_slot) + pool->nestings * sizeof(heist__nesting) + s->stack_size;
        if (heist__could_reserve(times(each, 2 * (size_t)pool->count))) break;
        size_t slots = halved(s->slots, LEAST_SLOTS), stack = s->stack_size;
        uint32_t nestings = (uint32_t)halved(pool->nestings, LEAST_NESTINGS);
        if (s->stack_by_default) set_stack(s, stack / 2);
        if (slots == s->slots && nestings == pool->nestings && stack == s->stack_size) break;
        s->slots = slots;
        pool->nestings = nestings;
    }
}

void heist__fit_memory(heist_pool *pool)
{
    heist__settings *s = &pool->settings;
    check_asked_stack(pool);
    const size_t slots = s->slots, stack = s->stack_size;
    fit_stacks(pool);
    size_t nestings = s->stack_size / HEIST__NESTING_STACK;
    if (nestings < LEAST_NESTINGS) nestings = LEAST_NESTINGS;
    pool->nestings = nestings < HEIST__MAX_NESTING ? (uint32_t)nestings : HEIST__MAX_NESTING;
    fit_reservations(pool);
    if (s->slots == slots && s->stack_size == stack) return;
    heist__note(pool,
                "memory is limited, or counts before it is touched: %zu slots and %zu KiB of stack for each worker",
                s->slots, s->stack_size >> 10);
}

/* ---- giving back ---- */

void heist__worker_note_slots(heist__worker *w)
{
    heist__count_most(&w->counters.slots_most, heist__worker_slots_used(w));
}

uint64_t heist__worker_slots_used(heist__worker *w)
{
    return heist__task_deque_used(&w->tasks, heist__counted(&w->counters.slots_ready));
}

/* Gives back memory that earlier work has touched: slots, nestings, and the stack below this frame. */
void heist__worker_give_memory_back(heist__worker *w)
{
    heist__worker_note_slots(w);
    heist__task_deque_trim(&w->tasks);
    heist__nestings_trim(w);
    char *here = __builtin_frame_address(0), *end = w->stack + ((size_t)(here - w->stack) & ~(size_t)(KEPT_STACK - 1));
    if (w->stack && end - w->stack > KEPT_STACK)
        madvise(w->stack, (size_t)(end - w->stack) - KEPT_STACK, MADV_DONTNEED);
#if HEIST__CAN_SWITCH_STACKS
    heist__stack_trim(w->guest_stack, w->guest_size, KEPT_STACK);
#endif
}

#if HEIST__CAN_SWITCH_STACKS
static size_t whole_pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}
#endif

bool heist__worker_guest_stack(heist__worker *w)
{
    if (w->guest_stack) return true;
#if HEIST__CAN_SWITCH_STACKS
    const heist__settings *s = &w->pool->settings;
    size_t size = whole_pages(s->stack_size);
    w->guest_stack = heist__stack_new(size);
    while (!w->guest_stack && s->stack_by_default && (size = whole_pages(size / 2)) >= HEIST__SMALLEST_STACK)
        w->guest_stack = heist__stack_new(size);
    w->guest_size = size;
#endif
    return w->guest_stack;
}

/* A large stack is reserved, little of it used: huge pages would make each worker resident with megabytes. */
void heist__worker_keep_stack_small(heist__worker *w)
{
    pthread_attr_t attributes;
    void *stack;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    if (pthread_attr_getstack(&attributes, &stack, &size) == 0) {
        madvise(stack, size, MADV_NOHUGEPAGE);
        w->stack = stack;
        w->stack_size = size;
    }
    pthread_attr_destroy(&attributes);
}

/* The maker has touched the thread's first pages, maybe on another node. A worker that is not bound has no node of its
 * own, and pages that cannot be moved stay where they are: no error, the pool's maker has noted if nothing can be
 * placed here. */
void heist__worker_keep_stack_near(heist__worker *w)
{
    if (w->pool->settings.bind == HEIST__BIND_NONE || w->bind_error || !w->stack) return;
    (void)heist__prefer_node(w->stack, w->stack_size, &w->pool->machine, w->pu);
}
