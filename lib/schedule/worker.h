/* schedule/worker.h: a worker. */
#ifndef HEIST_SCHEDULE_WORKER_H
#define HEIST_SCHEDULE_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <heist/heist.h>

#include "deque/ring_deque.h"
#include "deque/task_deque.h"
#include "idle/idle.h"
#include "idle/spin_budget.h"
#include "memory/object_pool.h"
#include "observe/counters.h"
#include "platform/random.h"
#include "schedule/nesting.h"
#include "schedule/victim.h"

/* The most workers of a pool with a matrix of steals: eight megabytes, if all of it is used. */
#define HEIST__MATRIX_MOST 1024u

typedef struct heist__worker heist__worker;

/* A worker's part of HEIST_STRESS (stress.c). */
typedef struct heist__stress {
    heist__random random;
    int64_t began, waited; /* the time of its first delay, and the nanoseconds that it has delayed since */
    bool together;         /* the task that is being spawned helps its parent, and is to run beside it */
} heist__stress;

struct heist__worker {
    heist__task_deque tasks; /* first: a heist_worker is the head of it */

    /* Used by: the worker alone. */
    heist__reserve own_memory; /* the memory that this struct lies in */
    heist_pool *pool;          /* NULL: a stand-in without thieves, see run.c */
    unsigned index;
    uint32_t id; /* among all workers and threads, see thread_ids.h */
    unsigned pu; /* where the worker runs, or is assumed to: index into the pool's machine */
    unsigned node;
    pthread_t thread;
    char *stack; /* its lowest byte, NULL if not known */
    size_t stack_size;
    char *guest_stack; /* for a thread from outside that has this seat; NULL: none yet */
    size_t guest_size;
    /* The seat of another pool that the thread in this seat took before; NULL for the worker's own thread. */
    struct heist__worker *outer;
    bool running;       /* the thread exists and must be joined */
    void *signal_stack; /* of the thread, for overflow.c; NULL: none */
    int bind_error;
    heist__random random;
    heist__spin_budget spin;
    heist__victims victims;
    heist__strategy_state strategy;
    heist_deque *jobs;        /* detached tasks. Written by: owner. Stolen from by: any thread. */
    uint32_t ran;             /* jobs and stolen children that the worker has run */
    uint32_t looks_at;        /* the value of `ran` at which it next looks for the oldest job */
    unsigned turn;            /* how often it has looked for the oldest job */
    heist__stress stress;
    heist_slot *expected;     /* the bottom that the last push or join left, for HEIST_CHECK */
    uint32_t children_joined; /* stolen children joined, modulo 2^32 */
    uint32_t left_behind;     /* jobs of futures in `jobs` that this worker has run without taking them out */
    uint64_t gathered;        /* how many jobs of others the waits in scope_wait.c have put into `jobs` */
    heist__object_pool blocks;
    heist__nesting *nestings; /* in `nesting_memory`; at most as many as the pool says */
    uint32_t nesting_room;    /* nestings that can be used now */
    heist__reserve nesting_memory;

    /* The clock of CPU time and the number of the thread that is in the seat, for the watch. Written by: the home
     * thread, and in a watched pool by a caller that has the seat. Read by: the watch. */
    HEIST__ATOMIC(int32_t) clock;
    HEIST__ATOMIC(int32_t) thread_number;

    heist__counters counters;
    /* How many tasks were stolen from each worker, behind this struct; NULL: the pool is too large for a matrix.
     * Written by: the thread that has the seat. Read by: any thread. */
    heist__counter *stolen_from;

    /* How many entries of `nestings` are in use. Written by: owner. Read by: owner, thieves. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) depth;
    /* The thief that this worker waits for: children_done (high part) and the thief's number + 1; 0: not waiting, or
     * not known. Written by: owner. Read by: workers that wait for a task that this worker runs. */
    HEIST__ATOMIC(uint64_t) waits_on;
    /* The worker on whose stack the future lies that this worker waits for, if both are of one pool: see
     * schedule/await.h. 0: none. Written by: owner. Read by: workers that look for a cycle of waits. */
    HEIST__ATOMIC(uint64_t) awaits;
    /* Futures whose tasks have ended on this worker, modulo 2^32. Written by: owner. Read by: as `awaits`. */
    HEIST__ATOMIC(uint32_t) futures_done;

    /* How many of this worker's stolen children have finished, modulo 2^32. Written by: thieves (add). Read by: owner,
     * and workers that follow waits_on. Waited on by: owner. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) children_done;
    /* Whether the owner sleeps on children_done. Written by: owner. Read by: thieves. */
    HEIST__ATOMIC(uint32_t) join_asleep;

    heist__sleeper sleeper;

    /* Memory of `jobs` and its first ring, so that they lie on the worker's node. */
    _Alignas(heist_deque) char job_room[HEIST__DEQUE_ROOM];
};

/* The calling thread's worker: its own, or the one whose seat it has. NULL: none. */
heist__worker *heist__self(void);
void heist__set_self(heist__worker *w);

/* The worker that a task sees as `face`. */
static inline heist__worker *heist__worker_of(heist_worker *face)
{
    return (heist__worker *)(void *)face;
}

static inline heist_slot *heist__bottom_of(heist__worker *w)
{
    return heist__load_relaxed(&w->tasks.face.bottom); /* relaxed: called by the worker itself, which writes it */
}

/* The questions of the idle protocol, answered by the scheduler on behalf of `w`. */
heist__idle_calls heist__worker_idle_calls(heist__worker *w);

/* The loop of a worker's thread. */
void *heist__worker_main(void *worker);

#endif
