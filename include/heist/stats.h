/* heist/stats.h: counters of the workers' actions. Always counted, each counter with one writer and no lock; a
 * snapshot of running workers is not of one moment. (Files compiled with HEIST_COUNT_JOINS=0 keep their inline joins to
 * themselves, see heist/task.h.) HEIST_STATS=1 in the environment prints them when a pool ends, or at exit. */
#ifndef HEIST_STATS_H
#define HEIST_STATS_H

#include <stddef.h>
#include <stdint.h>

#include <heist/pool.h>

HEIST_BEGIN_DECLS

/* How far a thief went. */
typedef enum heist_level {
    HEIST_LEVEL_CORE,    /* another thread of the same core */
    HEIST_LEVEL_CACHE,   /* a core with a shared cache */
    HEIST_LEVEL_NODE,    /* the same NUMA node */
    HEIST_LEVEL_PACKAGE, /* the same package */
    HEIST_LEVEL_FAR,     /* any other */
    HEIST_LEVELS
} heist_level;

typedef struct heist_stats {
    size_t size; /* set by the caller: sizeof(heist_stats), or 0; later versions append fields */
    unsigned workers;
    uint64_t tasks;         /* tasks run, of every kind */
    uint64_t spawns;        /* fork/join children spawned and joined, or made calls for want of slots */
    uint64_t joins_inline;  /* ... that met no thief */
    uint64_t joins_stolen;  /* ... that another worker had run */
    uint64_t spawns_called; /* ... that were calls for want of slots */
    uint64_t detached;      /* detached and submitted tasks run */
    uint64_t leapfrogs;     /* tasks taken back from a thief while waiting for it */
    uint64_t steal_got[HEIST_LEVELS];
    uint64_t steal_empty[HEIST_LEVELS];
    uint64_t steal_lost[HEIST_LEVELS];
    uint64_t parks; /* times a worker went to sleep */
    uint64_t wakes; /* times a worker woke another */
} heist_stats;

/* All workers of `pool` together, or worker `number` alone. NULL: the default pool, if it exists.
 * Call from: any thread.  Blocks: no.  Returns 0, or -EINVAL (no such worker, or a size that cannot be). */
HEIST_API int heist_stats_read(heist_pool *pool, heist_stats *stats);
HEIST_API int heist_stats_read_worker(heist_pool *pool, unsigned number, heist_stats *stats);

HEIST_END_DECLS

#endif
