/* schedule/pool.h: a pool. */
#ifndef HEIST_SCHEDULE_POOL_H
#define HEIST_SCHEDULE_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <heist/heist.h>

#include "idle/idle.h"
#include "quiescence/detector.h"
#include "quiescence/waiters.h"
#include "schedule/inbox.h"
#include "schedule/options.h"
#include "schedule/outsiders.h"
#include "schedule/worker.h"
#include "topology/machine.h"

typedef enum { HEIST__POOL_OPEN, HEIST__POOL_CANCELLING, HEIST__POOL_ENDING } heist__pool_state;

#define HEIST__NOTES_SIZE 2048

/* The thread of watch.c. Written by: the thread that starts and ends the workers. */
typedef struct heist__watch {
    pthread_t thread;
    bool running;
    void *looks;                  /* the last look at each worker. Used by: the watch alone. */
    HEIST__ATOMIC(uint32_t) stop; /* Written by: the thread that ends the workers. Waited on by: the watch. */
} heist__watch;

struct heist_pool {
    heist__settings settings;
    heist__machine machine;
    heist__worker **workers;
    unsigned count;        /* number of `workers` */
    unsigned running;      /* number of workers with a thread */
    heist__inbox *inboxes; /* one per NUMA node */
    unsigned inbox_count;
    /* The most parcels that a worker takes out of an inbox at once. Fewer for a small inbox, whose bound would
     * otherwise mean little. */
    size_t batch;
    heist__idle idle;
    heist__detector all; /* every job */
    uint32_t nestings;   /* the most that a worker may have */
    unsigned cpus;       /* that the affinity mask and the quota allow */
    unsigned at_once;    /* workers that can run at the same time, as far as was known when the pool was made */
    uint64_t made_at, made_ticks; /* when the pool was made, by the clock and by the ticks */
    unsigned spare;               /* CPUs that no worker needs: a thread that waits from outside may spin on them */

    /* Whether waiting tasks run. Written by: the thread that ends the pool. Read by: workers, submitters. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) state;
    /* Workers end when this is set. Written by: the thread that ends the pool. Read by: workers. */
    HEIST__ATOMIC(uint32_t) stop;
    /* This process is a child that was forked when the pool had workers; they do not exist here. Written by: the fork
     * handler. Read by: any user of the pool. */
    HEIST__ATOMIC(uint32_t) forked;
    HEIST__ATOMIC(uint32_t) ready;     /* workers that have started. Written by: workers. Waited on by: the maker. */
    HEIST__ATOMIC(uint64_t) cancelled; /* jobs dropped. Written by: workers (add). */

    /* Threads within a submission or a wait; the pool outlives them. Written by: these threads (add), the thread that
     * ends the pool. Waited on by: that thread. On a line that workers do not read. */
    _Alignas(HEIST__LINE) heist__outsiders outsiders;

    /* Submitters that wait for room in an inbox. Written by: submitters (add). Read by: workers. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) wanting_room;
    HEIST__ATOMIC(uint64_t) inbox_full; /* submissions that found no room. Written by: submitters (add). */
    /* Changes when there may be room. Written by: workers (add). Waited on by: submitters. */
    HEIST__ATOMIC(uint32_t) room;

    heist__waiters waiters;

    pthread_mutex_t lock; /* guards the notes */
    char notes[HEIST__NOTES_SIZE];
    /* The notes with one that came when other threads could read them; NULL: there is none. Written by: the watch,
     * once. Read by: any thread. */
    HEIST__ATOMIC(const char *) late_notes;
    char late[HEIST__NOTES_SIZE + 1024];
    heist__watch watch;

    heist_pool *next; /* in the registry */
    bool claimed;     /* a thread ends the pool. Guarded by the registry's lock. */
};

/* The pool that `pool` stands for (NULL: the calling worker's, or the default pool), with its workers running. Returns
 * NULL with errno set and explained. */
heist_pool *heist__pool_resolve(heist_pool *pool);

/* For a pool that another thread may end at any time: with its workers running, and the caller among its outsiders.
 * False: the pool has ended, or is being ended. */
bool heist__pool_enter(heist_pool *pool);

/* Held while hwloc may hold a lock of its own, so that fork() does not find that lock taken. */
void heist__machine_lock(void);
void heist__machine_unlock(void);

/* Adds a line to the text of heist_pool_notes. */
void heist__note(heist_pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same while other threads may read the notes; once in the life of a pool, later ones are lost. */
void heist__note_late(heist_pool *pool, const char *sentence);

/* Call after finishing a task: wakes the threads whose wait is over. Does not block. */
static inline void heist__tell_waiters(heist_pool *pool)
{
    heist__waiters_tell(&pool->waiters, pool->idle.fenced);
}

/* Blocks a thread that is no worker of the pool until the detector is quiet. */
void heist__wait_outside(heist_pool *pool, const heist__detector *detector);

/* The number of CPUs on which the calling thread may spin while it waits for `pool`. A worker of another pool has none:
 * its own CPU may be the one that is needed. */
static inline unsigned heist__spare_here(const heist_pool *pool)
{
    return heist__self() ? 0 : pool->spare;
}

/* The spinning rounds of a worker that waits for a child or a scope. Another worker on the same CPU may be the one that
 * is waited for. */
static inline unsigned heist__waiting_spin(const heist__worker *w)
{
    const heist__settings *s = &w->pool->settings;
    return heist__idle_shares(&w->pool->idle, &w->sleeper) ? s->sharing_spin : s->waiting_spin;
}

#endif
