/* heist/stats.h: counters of the workers' actions. Always counted, each counter with one writer and no lock; a
 * snapshot of running workers is not of one moment. (Files compiled with HEIST_COUNT_JOINS=0 keep their inline joins to
 * themselves, see heist/task.h.) HEIST_STATS=1 in the environment prints them when a pool ends, or at exit;
 * HEIST_STATS=file.json writes them to a file (file.prom: for Prometheus; any other name with a dot or a slash: text).
 *
 * A program that wants the figures of one part of itself takes two snapshots:
 *
 *     heist_stats before = {0}, after = {0}, part;
 *     heist_stats_read(pool, &before);
 *     ... the part ...
 *     heist_stats_read(pool, &after);
 *     heist_stats_difference(&after, &before, &part); */
#ifndef HEIST_STATS_H
#define HEIST_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* The number of buckets of a histogram. */
#define HEIST_BUCKETS 40

/* Times in nanoseconds. Bucket b counts those from 2^b to 2^(b+1) - 1; bucket 0 has 0, too, and the last one all that
 * are longer. Of a difference of two snapshots, `least` and `most` are the bounds of the buckets. */
typedef struct heist_histogram {
    uint64_t count, sum, least, most;
    uint64_t bucket[HEIST_BUCKETS];
} heist_histogram;

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

    /* Time of the workers, in nanoseconds. The three sum up to the time since the workers started. */
    uint64_t working;   /* in tasks; a run from outside is work of the worker whose place it took */
    uint64_t searching; /* for work, and waiting awake for a child that a thief runs */
    uint64_t asleep;

    heist_histogram steal_latency; /* from the beginning of a search through the victims until it got a task */
    heist_histogram wake_latency;  /* from the call that wakes a worker until it runs */
    uint64_t slots_most;           /* the most children that one worker had spawned and not joined */
    uint64_t slots_grown;          /* times that a deque of children got more memory */
    uint64_t jobs_most;            /* the longest deque of detached tasks, as seen every 64 tasks or more */
    uint64_t inbox_full;           /* submissions that found the inbox full; 0 for a single worker */
    uint64_t blocks_new;           /* records of detached tasks that came from malloc */
    uint64_t blocks_reused;        /* ... that a worker had kept */
} heist_stats;

/* All workers of `pool` together, or worker `number` alone. NULL: the default pool, if it exists.
 * Call from: any thread.  Blocks: no.  Returns 0, or -EINVAL (no such worker, or a size that cannot be). */
HEIST_API int heist_stats_read(heist_pool *pool, heist_stats *stats);
HEIST_API int heist_stats_read_worker(heist_pool *pool, unsigned number, heist_stats *stats);

/* How many tasks worker `thief` has stolen from each worker: the thief's row of the matrix. Fills got[0 .. count - 1].
 * Tasks that a worker took back while it waited (leapfrogs) are not among them.
 * Call from: any thread.  Blocks: no.  Returns 0, -EINVAL (no such worker), or -ENOTSUP: pools of more than 1024
 * workers keep no matrix. */
HEIST_API int heist_stats_read_victims(heist_pool *pool, unsigned thief, uint64_t *got, unsigned count);

/* What happened between two snapshots of the same pool, or worker. slots_most and jobs_most are those of `after`.
 * Call from: any thread.  Blocks: no.  Returns 0, or -EINVAL (NULL, or a size that cannot be). */
HEIST_API int heist_stats_difference(const heist_stats *after, const heist_stats *before, heist_stats *difference);

/* The time below which `percent` of a histogram's times lie, in nanoseconds, as exactly as the buckets tell. 0 for an
 * empty one.
 * Call from: any thread.  Blocks: no. */
HEIST_API uint64_t heist_histogram_percentile(const heist_histogram *histogram, double percent);

typedef enum heist_stats_format {
    HEIST_STATS_TEXT = 0,  /* for people; ends with advice */
    HEIST_STATS_JSON,      /* an object */
    HEIST_STATS_PROMETHEUS /* the text format of Prometheus */
} heist_stats_format;

/* Prints the statistics of `pool` to `file`. NULL: the default pool, if it exists.
 * Call from: any thread.  Blocks: as the file does.  Returns 0, -EINVAL (no pool, no file, no such format), -ENOMEM, or
 * -EIO if the file refuses. */
HEIST_API int heist_stats_print(heist_pool *pool, heist_stats_format format, FILE *file);

HEIST_END_DECLS

#endif
