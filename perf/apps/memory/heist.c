/* memory through heist's arenas and pools of objects, and through malloc in the same loops on the same workers. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apps/memory/memory.h"
#include "harness/pool.h"

#define HELD 16   /* blocks that a worker has at a time */
#define SLOTS 256 /* places where blocks change hands */
#define INLINED static inline __attribute__((always_inline))

static struct perf_pool pool;
static heist_object_pool *objects;
static heist_arenas *arenas;
static size_t bytes;
static long blocks;
static char way[16];
static _Atomic(uint64_t *) slots[SLOTS];
static atomic_long good, spent_ns, failed;

static long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* ---- the ways; `from` is the worker's list, or its arena ---- */

INLINED void *pool_get(void *from)
{
    return heist_object_take(from);
}

INLINED void pool_put(void *from, void *block)
{
    heist_object_give(from, block);
}

INLINED void *malloc_get(void *from)
{
    (void)from;
    void *block = malloc(bytes);
    __asm__ volatile("" : "+r"(block)); /* the compiler must not leave the pair out */
    return block;
}

INLINED void malloc_put(void *from, void *block)
{
    (void)from;
    free(block);
}

INLINED void *arena_get(void *from)
{
    return heist_arena_alloc(from, bytes);
}

INLINED void arena_put(void *from, void *block)
{
    (void)from;
    (void)block;
}

/* ---- the loops ---- */

/* Acquires, stamps, looks and releases `count` blocks, HELD at a time. Returns how many had their stamp. */
INLINED long keep(void *from, long count, void *(*get)(void *), void (*put)(void *, void *), bool rewinds)
{
    long right = 0;
    for (long done = 0; done < count;) {
        uint64_t *held[HELD];
        const long some = count - done < HELD ? count - done : HELD;
        heist_arena_mark mark;
        if (rewinds) mark = heist_arena_mark_now(from);
        for (long i = 0; i < some; i++) {
            held[i] = get(from);
            if (!held[i]) return right;
            *held[i] = (uint64_t)(done + i);
        }
        for (long i = 0; i < some; i++) {
            right += *held[i] == (uint64_t)(done + i);
            put(from, held[i]);
        }
        if (rewinds) heist_arena_rewind(from, mark);
        done += some;
    }
    return right;
}

/* The same, but each block goes through a slot, and the block found there, another worker's as a rule, is released. */
INLINED long pass_on(void *from, long count, uint64_t state, void *(*get)(void *), void (*put)(void *, void *))
{
    long right = 0;
    for (long i = 0; i < count; i++) {
        uint64_t *block = get(from);
        if (!block) return right;
        block[0] = state;
        block[1] = ~state;
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t *other = atomic_exchange_explicit(&slots[state >> 56], block, memory_order_acq_rel);
        if (!other) {
            right++; /* looked at when it is found in the slot */
            continue;
        }
        right += other[0] == ~other[1];
        put(from, other);
    }
    return right;
}

static long work(long count, uint64_t seed)
{
    if (strcmp(way, "malloc") == 0) return keep(NULL, count, malloc_get, malloc_put, false);
    if (strcmp(way, "return-malloc") == 0) return pass_on(NULL, count, seed, malloc_get, malloc_put);
    if (strcmp(way, "arena") == 0) {
        heist_arena *arena = heist_arenas_here(arenas);
        return arena ? keep(arena, count, arena_get, arena_put, true) : 0;
    }
    heist_object_cache *cache = heist_object_cache_here(objects);
    if (!cache) return 0;
    return strcmp(way, "pool") == 0 ? keep(cache, count, pool_get, pool_put, false)
                                    : pass_on(cache, count, seed, pool_get, pool_put);
}

/* One worker's share, in pieces, so that workers that start late find something to do. */
#define PIECE 20000

static int share(heist_range part, void *unused)
{
    (void)unused;
    for (int64_t i = part.begin; i < part.end; i++) {
        const long first = (long)i * PIECE, count = blocks - first < PIECE ? blocks - first : PIECE;
        const long began = now_ns();
        atomic_fetch_add(&good, work(count, (uint64_t)i + 1));
        atomic_fetch_add(&spent_ns, now_ns() - began);
    }
    return 0;
}

/* ---- a run ---- */

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    long size;
    int bad = perf_number(input->size, "bytes:", 16, 1 << 20, &size, error, room);
    if (!bad) bad = perf_number(perf_setting(input, "blocks"), "blocks:", 1, 1000000000, &blocks, error, room);
    if (bad) return bad;
    bytes = (size_t)size;
    snprintf(way, sizeof way, "%s", perf_setting(input, "by"));
    bad = perf_pool_open(&pool, input->workers, error, room);
    if (bad) return bad;
    heist_object_options options = {.object_size = bytes, .pool = pool.pool};
    objects = heist_object_pool_new(&options);
    arenas = heist_arenas_new(0);
    if (objects && arenas) return 0;
    snprintf(error, room, "%s", heist_explain());
    return -ENOMEM;
}

static void reset(void *state)
{
    (void)state;
    atomic_store(&good, 0);
    atomic_store(&spent_ns, 0);
    atomic_store(&failed, 0);
}

static void run(void *state)
{
    (void)state;
    heist_loop_options options = {.schedule = HEIST_SCHEDULE_SHARED, .batch = 1};
    if (heist_for(pool.pool, heist_upto((blocks + PIECE - 1) / PIECE), share, NULL, &options) != 0) failed = 1;
}

/* Blocks that are left in the slots have stamps, too. */
static void empty_slots(void)
{
    for (int i = 0; i < SLOTS; i++) {
        uint64_t *block = atomic_exchange(&slots[i], NULL);
        if (!block) continue;
        if (block[0] != ~block[1]) failed = 1;
        if (strcmp(way, "return-malloc") == 0) {
            free(block);
        } else {
            heist_object_release(objects, block);
        }
    }
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    empty_slots();
    heist_object_stats stats = {.size = sizeof stats};
    heist_object_stats_read(objects, &stats);
    perf_expect(outcome, "blocks with their stamps", good, blocks);
    if (failed) snprintf(outcome->check, sizeof outcome->check, "a block has lost its stamp, or the loop failed");
    if (stats.acquired != stats.released)
        perf_expect(outcome, "objects released", (long)stats.released, (long)stats.acquired);
    outcome->tasks = (uint64_t)blocks;
    snprintf(outcome->more, sizeof outcome->more, "\"by\":\"%s\",\"ns_per_block\":%.2f,\"returned\":%llu,\"made\":%llu",
             way, (double)spent_ns / (double)blocks, (unsigned long long)stats.returned,
             (unsigned long long)stats.made);
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    (void)state;
    heist_arenas_free(arenas);
    heist_object_pool_free(objects);
    perf_pool_close(&pool);
}

const struct perf_implementation perf_memory_heist = {.workload = "memory",
                                                      .runtime = "heist",
                                                      .prepare = prepare,
                                                      .reset = reset,
                                                      .run = run,
                                                      .check = check,
                                                      .discard = discard};
