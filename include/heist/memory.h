/* heist/memory.h: memory for tasks: arenas and pools of objects.
 *
 *     heist_arena arena;
 *     heist_arena_begin(&arena, 0);
 *     struct node *n = heist_arena_alloc(&arena, sizeof *n);      // some instructions, no lock
 *     double *row = heist_arena_array(&arena, 1000, sizeof *row); // the product is checked
 *     heist_arena_reset(&arena);                                  // everything at once; the memory is kept
 *     heist_arena_end(&arena);
 *
 *     heist_object_options options = {.object_size = sizeof(struct request), .preallocate = 100};
 *     heist_object_pool *requests = heist_object_pool_new(&options);
 *     struct request *r = heist_object_acquire(requests);         // on any thread
 *     heist_object_release(requests, r);                          // on any other
 *     heist_object_pool_free(requests);
 *
 * An arena gives memory that is freed all at once, or back to a mark. It has one user at a time: a function and its
 * scope, or a worker. heist_arenas has an arena for every worker, found with heist_arenas_here. Tasks of one worker
 * nest, so a task may take a mark at its beginning and rewind to it at its end, whatever it joined in between.
 *
 * An object pool gives objects of one size; with `preallocate` and a larger size and alignment it is a pool of
 * buffers. Every worker has a list of its own, and so has every other thread that uses the pool, for as long as that
 * thread lives. An object comes from the list of the thread that acquires it, and goes back to that list, whichever
 * thread releases it. So memory stays on the NUMA node of the worker that asked for it.
 *
 *     released by       costs, also in the worst case
 *     its own worker    some plain loads and stores
 *     another thread    one atomic exchange and one store: no loop, no lock, no wait
 *
 * The owner finds returned objects when its own list is empty: it takes all of them with one exchange, and looks at 32
 * at a time. A pool never gives memory back before it is freed. It has as much as all lists together have had in use
 * at their own busiest times, rounded up to slabs.
 *
 * In a task that acquires many objects, heist_object_cache_here finds the worker's list once; heist_object_take and
 * heist_object_give on it are inline.
 *
 * Debug builds (HEIST_DEBUG, heist/task.h), HEIST_CHECK=1 in the environment and the option `check` fill released
 * objects and rewound memory with the byte 0xDF, and tell on stderr when a released object has been written to.
 * AddressSanitizer, in the program or in the library, and valgrind, if the library was built with its headers, know
 * which memory of arenas and pools is in use. In all of these builds the inline paths are calls.
 *
 * Functions that return a pointer return NULL on failure, with errno set and a sentence in heist_explain(). In the
 * child of a fork arenas and pools go on; an object that another thread was just acquiring or releasing may be lost. */
#ifndef HEIST_MEMORY_H
#define HEIST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/detail/atomic.h>
#include <heist/export.h>
#include <heist/pool.h>
#include <heist/task.h>

HEIST_BEGIN_DECLS

/* ---- arenas ---- */

/* The alignment of memory that was asked for without one. */
#define HEIST_ALIGNMENT 16

/* Not for use by hand; lives where its user puts it. One user at a time; a user that hands it on orders that. */
typedef struct heist_arena {
    char *next;                   /* first free byte, a multiple of HEIST_ALIGNMENT */
    char *end;                    /* of the memory that the inline path may use; checked arenas have none */
    char *limit;                  /* of the chunk in use */
    struct heist__chunk *chunk;   /* the chunk in use; the ones before it follow */
    struct heist__chunk *spare;   /* chunks without contents */
    size_t chunk_bytes;           /* of a new chunk */
    const struct heist__site *at; /* the place of new chunks; NULL: malloc */
    uint64_t before;              /* bytes used in the chunks before this one */
    uint64_t most;                /* the largest use before the last rewind */
    uint64_t reserved;
    unsigned chunks;
    bool checked;
} heist_arena;

/* A place in an arena. */
typedef struct heist_arena_mark {
    struct heist__chunk *chunk;
    char *next;
    uint64_t before;
} heist_arena_mark;

typedef struct heist_arena_stats {
    uint64_t used;     /* bytes given out, with the gaps for alignment */
    uint64_t most;     /* the largest `used` so far */
    uint64_t reserved; /* bytes that the arena has from the system */
    unsigned chunks;
} heist_arena_stats;

/* Begins an arena that takes `chunk_bytes` at a time from malloc; 0: 64 KiB. Allocates nothing.
 * Call from: any thread.  Returns 0, or -EINVAL (no arena, or chunks of more than half the address space). */
HEIST_API int heist_arena_begin(heist_arena *arena, size_t chunk_bytes);

/* The same with `bytes` of the caller's memory as the first chunk, an array on the stack for instance. They must live
 * as long as the arena, and are not freed. Returns 0, or -EINVAL (no arena, no buffer, or fewer than 256 bytes). */
HEIST_API int heist_arena_begin_in(heist_arena *arena, void *buffer, size_t bytes, size_t chunk_bytes);

/* Memory of `size` bytes, aligned to HEIST_ALIGNMENT, with undefined contents. 0 bytes are no error; the pointer may
 * then equal the next one.
 * Call from: the arena's user.  Blocks: no.  Fails with ENOMEM, or EINVAL (no arena, or one that has not begun). */
HEIST_API void *heist_arena_alloc(heist_arena *arena, size_t size);

/* The same with another alignment, a power of two (else EINVAL). */
HEIST_API void *heist_arena_alloc_aligned(heist_arena *arena, size_t size, size_t alignment);

/* An array of `count` elements of `size` bytes. A product that no size_t holds is EOVERFLOW. */
HEIST_API void *heist_arena_array(heist_arena *arena, size_t count, size_t size);

/* The present end of what was allocated. heist_arena_rewind frees what was allocated after a mark, and keeps the
 * memory for later. Marks taken after `mark`, and all marks after a reset, must not be used any more.
 * Call from: the arena's user.  rewind returns 0, or -EINVAL: the mark is not of this arena, or lies behind its end. */
HEIST_API heist_arena_mark heist_arena_mark_now(const heist_arena *arena);
HEIST_API int heist_arena_rewind(heist_arena *arena, heist_arena_mark mark);

/* Frees everything that was allocated, and keeps the memory for later. heist_arena_trim gives memory that is kept back
 * to the system. heist_arena_end does both; the arena may be begun again, and NULL or an arena of zeros is allowed. */
HEIST_API void heist_arena_reset(heist_arena *arena);
HEIST_API void heist_arena_trim(heist_arena *arena);
HEIST_API void heist_arena_end(heist_arena *arena);

/* Call from: the arena's user. */
HEIST_API heist_arena_stats heist_arena_stats_read(const heist_arena *arena);

/* ---- an arena for every worker ---- */

typedef struct heist_arenas heist_arenas;

/* Makes a set of arenas, one for each worker of any pool and each other thread that uses the set, all empty. Their
 * chunks lie on the worker's NUMA node. */
HEIST_API heist_arenas *heist_arenas_new(size_t chunk_bytes);

/* The arena of the calling worker; in a run from outside, of the worker whose place the thread has. A task keeps it
 * until it returns. Memory from it may be read and written by any task, until the arena is reset. */
HEIST_API heist_arena *heist_arenas_here(heist_arenas *arenas);

/* Resets all arenas of the set. No task may use them meanwhile. NULL is allowed in the first two. */
HEIST_API void heist_arenas_reset(heist_arenas *arenas);
HEIST_API void heist_arenas_free(heist_arenas *arenas);

/* The sums over all arenas of the set (`most`: of the largest uses of each). No task may use them meanwhile. */
HEIST_API heist_arena_stats heist_arenas_stats_read(heist_arenas *arenas);

/* "", or a sentence if memory of an arena may lie on another node than its worker. Valid while the set lives. */
HEIST_API const char *heist_arenas_notes(const heist_arenas *arenas);

/* ---- object pools ---- */

typedef struct heist_object_pool heist_object_pool;

/* Set it to zero, then set the fields you want. */
typedef struct heist_object_options {
    size_t size;        /* sizeof(heist_object_options), or 0 */
    size_t object_size; /* bytes; must be given */
    size_t alignment;   /* a power of two, at most 2 MiB; 0: HEIST_ALIGNMENT */
    size_t preallocate; /* objects for each worker of `pool`, on its NUMA node: made and touched now. As long as a
                         * worker has no more than that acquired at a time, it never asks the system for memory */
    heist_pool *pool;   /* the pool to preallocate for; NULL: that of the running task, else the default pool */
    bool check;         /* watch for mistakes, as debug builds do */
    const char *name;   /* for messages, at most 31 bytes; NULL: "objects" */
} heist_object_options;

typedef struct heist_object_stats {
    size_t size;       /* set by the caller: sizeof(heist_object_stats), or 0; later versions append fields */
    uint64_t acquired; /* objects acquired so far */
    uint64_t released; /* ... and released */
    uint64_t returned; /* ... of these, by another thread than the one that had acquired it */
    uint64_t made;     /* objects that exist */
    uint64_t bytes;    /* of slabs */
    uint64_t damaged;  /* objects found written to after their release; 0 if the pool does not check */
    unsigned lists;    /* workers and threads that have used the pool */
} heist_object_stats;

/* Makes a pool of objects.
 * Call from: any thread.  Fails with EINVAL, ENOMEM, EOVERFLOW (sizes that no size_t holds). */
HEIST_API heist_object_pool *heist_object_pool_new(const heist_object_options *options);

/* Frees the pool and all of its memory. No thread may use the pool meanwhile. NULL is allowed.
 * Returns 0, or -EBUSY if objects are still in use: then the pool lives on. */
HEIST_API int heist_object_pool_free(heist_object_pool *pool);

/* An object with undefined contents.
 * Call from: any thread.  Blocks: no.  Fails with EINVAL, ENOMEM, EAGAIN (more than 65536 threads). */
HEIST_API void *heist_object_acquire(heist_object_pool *pool);

/* Gives an object back; NULL is allowed.
 * Call from: any thread, not only the one that has acquired it.  Blocks: no.
 * Returns 0, or -EINVAL: the object is not in use, or is of another pool with objects of the same size. What marks an
 * object lies behind it: so an object of another size, or a pointer that no pool has given out, is undefined, except in
 * checking pools. */
HEIST_API int heist_object_release(heist_object_pool *pool, void *object);

/* The counters of all threads together, not of one moment.
 * Call from: any thread.  Returns 0, or -EINVAL (no pool, or a size that cannot be). */
HEIST_API int heist_object_stats_read(heist_object_pool *pool, heist_object_stats *stats);

/* "", or a sentence if objects may lie on another node than their worker. Valid while the pool lives. */
HEIST_API const char *heist_object_pool_notes(const heist_object_pool *pool);

/* The list of one worker or thread. */
typedef struct heist_object_cache {
    void *kept;                       /* the object released last, linked to the one before it */
    size_t word;                      /* offset of the word behind each object: its list (in use), or the link (free) */
    uintptr_t own;                    /* the word of an object of this list that is in use; 2: checked, not inline */
    HEIST__ATOMIC(uint64_t) acquired; /* Written by: the worker. Read by: any thread. Likewise the next. */
    HEIST__ATOMIC(uint64_t) released;
} heist_object_cache;

/* The list of the calling worker, for the two functions below. A task may use it until it returns.
 * Call from: any thread.  Fails as heist_object_acquire. */
HEIST_API heist_object_cache *heist_object_cache_here(heist_object_pool *pool);

HEIST_API void *heist__object_take_slow(heist_object_cache *cache);
HEIST_API int heist__object_give_slow(heist_object_cache *cache, void *object);
HEIST_API void *heist__arena_more(heist_arena *arena, size_t size, size_t alignment);
HEIST_API heist_arenas *heist__arenas_make(size_t chunk_bytes, bool debug);
HEIST_API heist_object_pool *heist__object_pool_make(const heist_object_options *options, bool debug);
HEIST_API int heist__arena_start_in(heist_arena *arena, void *buffer, size_t bytes, size_t chunk_bytes, bool debug);
HEIST_API int heist__arena_start(heist_arena *arena, size_t chunk_bytes, bool debug);

/* ---- the inline paths ---- */

/* A chain of free blocks. The link is the word at offset `word` of each block. */
HEIST__INLINE void *heist__chain_pop(void **head, size_t word)
{
    char *block = (char *)*head;
    *head = *(void **)(void *)(block + word);
    return block;
}

HEIST__INLINE void heist__chain_push(void **head, void *block, size_t word)
{
    *(void **)(void *)((char *)block + word) = *head;
    *head = block;
}

HEIST__INLINE void heist__count_one(HEIST__ATOMIC(uint64_t) * counter)
{
    heist__store_relaxed(counter, heist__load_relaxed(counter) + 1); /* relaxed: one writer; readers want a number */
}

/* heist_object_acquire and heist_object_release for the list of the calling worker. */
HEIST__INLINE void *heist_object_take(heist_object_cache *cache)
{
    if (HEIST__UNLIKELY(!cache->kept)) return heist__object_take_slow(cache);
    char *object = (char *)heist__chain_pop(&cache->kept, cache->word);
    *(uintptr_t *)(void *)(object + cache->word) = cache->own;
    heist__count_one(&cache->acquired);
    return object;
}

HEIST__INLINE int heist_object_give(heist_object_cache *cache, void *object)
{
    if (HEIST__UNLIKELY(!object || *(uintptr_t *)(void *)((char *)object + cache->word) != cache->own))
        return heist__object_give_slow(cache, object);
    heist__chain_push(&cache->kept, object, cache->word);
    heist__count_one(&cache->released);
    return 0;
}

HEIST__INLINE void *heist__arena_get(heist_arena *arena, size_t size)
{
    /* size - 1: no bytes are the library's case, too */
    if (HEIST__UNLIKELY(!arena || size - 1 >= (size_t)(arena->end - arena->next)))
        return heist__arena_more(arena, size, HEIST_ALIGNMENT);
    char *memory = arena->next; /* next and end are multiples of the alignment: a size that fits, fits rounded up */
    arena->next = memory + ((size + HEIST_ALIGNMENT - 1) & ~(size_t)(HEIST_ALIGNMENT - 1));
    return memory;
}

HEIST_END_DECLS

#define heist_arena_alloc(...) heist__arena_get(__VA_ARGS__)
#define heist_object_pool_new(...) heist__object_pool_make(__VA_ARGS__, HEIST_DEBUG)
#define heist_arenas_new(...) heist__arenas_make(__VA_ARGS__, HEIST_DEBUG)
#define heist_arena_begin(arena, chunk_bytes) heist__arena_start(arena, chunk_bytes, HEIST_DEBUG)
#define heist_arena_begin_in(arena, buffer, bytes, chunk_bytes)                                                        \
    heist__arena_start_in(arena, buffer, bytes, chunk_bytes, HEIST_DEBUG)

#endif
