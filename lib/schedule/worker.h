/* What the scheduler's files share: a worker, a pool, and the tasks that are not in anybody's frame. */
#ifndef HEIST_SCHEDULE_WORKER_H
#define HEIST_SCHEDULE_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <heist/heist.h>

#include "deque/deque_internal.h"
#include "deque/frames.h"
#include "idle/idle.h"
#include "memory/object_pool.h"
#include "observe/counters.h"
#include "platform/random.h"
#include "quiescence/detector.h"
#include "schedule/inbox.h"
#include "schedule/options.h"
#include "schedule/victim.h"
#include "topology/machine.h"

typedef struct heist__worker heist__worker;

/* The detached side of a scope; tasks point to it. Lives until heist_scope_end has seen all of them finish. */
typedef struct heist__scope_core {
    heist__detector detector;
    HEIST__ATOMIC(uint32_t)
    dropped; /* Whether a task of it was. Written by: workers. Read by: who has seen it quiet. */
} heist__scope_core;

/* A task on its own: detached, submitted, or the root of a run. A detached one's record follows it, so it is aligned for
 * any type. */
typedef struct heist__loose {
    _Alignas(max_align_t) heist_task *task;
    heist__scope_core *core; /* NULL: counts for the pool only */
    heist__worker *from;     /* the worker of another pool that waits for it, as root of a run; NULL: none does */
    /* Called when it has run, or was dropped. By then `w` (NULL outside) has counted nothing yet. Frees it. */
    void (*end)(struct heist__loose *, heist__worker *w, bool ran);
    size_t size;                /* of the block it lies in; 0: not ours to free */
    struct heist__loose *aside; /* used by the worker that holds it, in scope.c */
} heist__loose;

/* A plain function as such a task. */
typedef struct heist__call {
    heist__loose loose;
    struct heist__plain plain; /* where heist__loose_alloc puts the record */
} heist__call;

/* The most that a worker takes out of an inbox at once. */
#define HEIST__BATCH 32

/* What a worker is doing, one entry for each task that it took from elsewhere and has not finished. Written by: the
 * worker. Read by: thieves; see heist__scope_at. */
typedef struct heist__run_level {
    HEIST__ATOMIC(heist__scope_core *) core; /* the scope that this task's detached tasks belong to */
    HEIST__ATOMIC(heist__worker *) from; /* the worker of another pool that waits for the run it is part of, or NULL */
    HEIST__ATOMIC(uint32_t) base;        /* number of the first slot that descends from it */
} heist__run_level;

/* How deep such tasks may nest on one worker, if the address space allows; beyond, it waits without helping. */
#define HEIST__MAX_LEVELS (1u << 22)

/* How many bytes a detached task's block has; larger ones come from malloc and go back there. */
#define HEIST__LOOSE_BLOCK 128

struct heist__worker {
    heist__frames frames; /* first: a heist_worker is the head of it */

    /* The worker's own. */
    heist_pool *pool; /* NULL: a stand-in without thieves, see run.c */
    unsigned index;
    unsigned pu; /* where it runs, or is thought to: index into the pool's machine */
    unsigned node;
    pthread_t thread;
    char *stack; /* its lowest byte, NULL if not known */
    size_t stack_size;
    bool running; /* the thread exists and must be joined */
    int bind_error;
    heist__random random;
    heist__victims victims;
    heist__strategy_state strategy;
    heist_deque *loose; /* detached tasks; Written by: owner. Stolen from by: anybody. */
    heist__object_pool blocks;
    heist__run_level *levels; /* as many as the pool says, touched as used */

    heist__counters counters;

    /* How many entries of `levels` are in use. Written by: owner. Read by: owner, thieves. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) depth;
    /* Whom this worker waits for: children_done (high part) and the thief's number + 1; 0: not waiting, or not known.
     * Written by: owner. Read by: those who wait for a task that this worker runs. */
    HEIST__ATOMIC(uint64_t) waits_on;

    /* How many of this worker's stolen children have finished, modulo 2^32. Written by: thieves (add). Read by: owner, and
     * those who follow waits_on. Waited on by: owner. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) children_done;
    /* Whether the owner sleeps on it. Written by: owner. Read by: thieves. */
    HEIST__ATOMIC(uint32_t) join_asleep;

    heist__sleeper sleeper;

    /* `loose` and its first ring, so that they lie where the worker does. */
    _Alignas(heist_deque) char loose_room[HEIST__DEQUE_ROOM];
};

/* A place for somebody who waits until a detector is quiet. It stays when that one has gone. */
typedef struct heist__waiter {
    HEIST__ATOMIC(uint32_t) taken; /* Written by: who wants to wait here (CAS), who has waited. */
    HEIST__ATOMIC(uint32_t) quiet; /* Written by: who waits (0), the finisher that saw it (1). Waited on. */
    HEIST__ATOMIC(uint32_t)
    looker; /* whether a finisher looks; see wait.c. Written by: finishers. Read by: who waits. */
    HEIST__ATOMIC(const heist__detector *) detector; /* Written by: who waits; NULL: nobody. Read by: finishers. */
} heist__waiter;

/* Enough for most. (The model checker has fewer, so that there are more of these.) */
#ifndef HEIST__PLACES
#define HEIST__PLACES 16
#endif

typedef struct heist__waiters {
    heist__waiter places[HEIST__PLACES];
    HEIST__ATOMIC(struct heist__waiters *) more; /* Written by: who found no place, once. Read by: all. */
} heist__waiters;

typedef enum { HEIST__POOL_OPEN, HEIST__POOL_CANCELLING, HEIST__POOL_ENDING } heist__pool_state;

#define HEIST__NOTES_SIZE 2048

struct heist_pool {
    heist__settings settings;
    heist__machine machine;
    heist__worker **workers;
    unsigned count;        /* of `workers` */
    unsigned running;      /* of them, with a thread */
    heist__inbox *inboxes; /* one per NUMA node */
    unsigned inbox_count;
    size_t batch; /* the most that a worker takes out of an inbox at once, so that a small one stays small */
    heist__idle idle;
    heist__detector all; /* every loose task */
    uint32_t levels;     /* how many a worker has */
    unsigned at_once;    /* workers that can run at the same time, for all that was known when the pool was made */
    unsigned spare;      /* CPUs that no worker needs: who waits from outside may spin on them */

    /* Whether waiting tasks run. Written by: whoever ends the pool. Read by: workers, submitters. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) state;
    /* Workers end when this is set. Written by: whoever ends the pool. Read by: workers. */
    HEIST__ATOMIC(uint32_t) stop;
    /* This process is a child that was forked when the pool had workers; they are not here. Written by: the fork handler.
     * Read by: whoever uses the pool. */
    HEIST__ATOMIC(uint32_t) forked;
    HEIST__ATOMIC(uint32_t) ready;     /* workers that have started. Written by: workers. Waited on by: the maker. */
    HEIST__ATOMIC(uint64_t) cancelled; /* loose tasks dropped. Written by: workers (add). */

    /* Threads within a submission or a wait; the pool outlives them. Written by: they (add). Read by: whoever ends the pool. On a line
     * that workers do not read. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) outsiders;

    /* Submitters that wait for room in an inbox. Written by: submitters (add). Read by: workers. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) wanting_room;
    /* Changes when there may be room. Written by: workers (add). Waited on by: submitters. */
    HEIST__ATOMIC(uint32_t) room;

    /* How many wait in `waiters`. Written by: they (add). Read by: finishers. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) waiting;
    _Alignas(HEIST__LINE) heist__waiters waiters;

    pthread_mutex_t lock; /* guards the notes */
    char notes[HEIST__NOTES_SIZE];

    heist_pool *next; /* in the registry */
    bool claimed;     /* somebody ends it. Under the registry's lock. */
};

/* The calling thread's worker, or NULL. */
heist__worker *heist__self(void);
void heist__set_self(heist__worker *w);

/* The worker that a task sees as `face`. */
static inline heist__worker *heist__worker_of(heist_worker *face)
{
    return (heist__worker *)(void *)face;
}

static inline heist_slot *heist__bottom_of(heist__worker *w)
{
    return heist__load_relaxed(&w->frames.face.bottom); /* relaxed: called by the worker itself, which writes it */
}

/* CPUs on which the calling thread may spin while it waits for `pool`. A worker of another pool has none: its own CPU may be the one
 * that is needed. */
static inline unsigned heist__spare_here(const heist_pool *pool)
{
    return heist__self() ? 0 : pool->spare;
}

/* How long who waits for a child or a scope spins. Where another worker has the same CPU it may be the one that is waited for. */
static inline unsigned heist__waiting_spin(const heist__worker *w)
{
    const heist__settings *s = &w->pool->settings;
    return heist__idle_shares(&w->pool->idle, &w->sleeper) ? s->sharing_spin : s->waiting_spin;
}

/* ---- worker.c: the loop ---- */
void *heist__worker_main(void *worker);

/* ---- level.c: what a worker is doing ---- */
/* Notes that `w` begins a task from elsewhere, and ends it. There must be room (heist__level_room). */
bool heist__level_room(heist__worker *w);
void heist__level_enter(heist__worker *w, heist__scope_core *core, heist__worker *from);
void heist__level_leave(heist__worker *w);
/* The scope of what `w` is doing. */
heist__scope_core *heist__scope_now(heist__worker *w);
/* The scope of the task in slot `number` of `victim`, which is in the deque, and who waits for its run. */
heist__scope_core *heist__scope_at(heist__worker *victim, uint32_t number, heist__worker **from);
/* Whether what the calling thread does is part of a run that `pool` waits for, in whatever number of steps: one of its workers
 * is below this task, or gave it, or gave what gave it. */
bool heist__runs_for(heist__worker *w, const heist_pool *pool);
/* The same for a task of a scope. */
bool heist__runs_within(heist__worker *w, const heist__scope_core *core);
/* The first slot that descends from what `w` is doing, or a later one. */
uint32_t heist__level_floor(heist__worker *w);

/* ---- join.c ---- */
/* A fork/join task that was stolen. */
typedef struct heist__stolen {
    heist_task *task;
    heist__worker *home;     /* who spawned it, and waits for it */
    heist__scope_core *core; /* the scope that its detached tasks belong to */
    heist__worker *from;     /* as in heist__run_level */
} heist__stolen;

/* Takes the oldest task of `victim` if its top is still `seen` and its slot's number at least `floor`. */
heist_steal heist__steal_child(heist__worker *victim, uint64_t seen, uint32_t floor, heist__stolen *stolen);
void heist__run_stolen(heist__worker *w, const heist__stolen *stolen);

/* ---- run.c ---- */
/* The body of a task that is a plain function. */
void heist__run_plain(heist_worker *w, heist_slot *bottom, heist_task *task);

/* ---- spawn.c ---- */
/* After a worker has made something visible: wakes a sleeper and answers thieves if any wants it. */
void heist__notice(heist__worker *w);

/* ---- loose.c ---- */
/* A block for a task of `size` bytes behind a heist__loose, or NULL. */
heist__loose *heist__loose_alloc(heist__worker *w, size_t size);
void heist__loose_free(heist__worker *w, heist__loose *l);
/* Makes it a task that nobody joins: its block is freed at its end. */
void heist__loose_init(heist__loose *l, heist__scope_core *core);
/* The same for a call, in a block of `size`; 0: not ours to free. */
void heist__call_init(heist__call *call, size_t size, heist_function *function, void *argument,
                      heist__scope_core *core);
/* Worker w, or an outsider (NULL): before anybody can see the task, and after its end. */
void heist__count_created(heist_pool *pool, heist__worker *w, heist__scope_core *core);
void heist__count_finished(heist_pool *pool, heist__worker *w, heist__scope_core *core);
/* Gives `l` to the pool: to the calling worker's deque, or to an inbox. As heist_submit. */
int heist__loose_give(heist_pool *pool, heist__loose *l, long patience_ms);
/* Runs it, or drops it when the pool is cancelling; counts. */
void heist__loose_run(heist__worker *w, heist__loose *l);

/* ---- submit.c ---- */
/* Puts `parcel`, which counts for `core`, into an inbox. As heist_submit, from a thread that is no worker of the pool. */
int heist__submit(heist_pool *pool, const heist__parcel *parcel, heist__scope_core *core, long patience_ms);
/* Takes one from an inbox, the worker's own node first. With `most` above 1 it may take more, into the worker's own deque; then
 * the caller must be searching, so that leaving the search wakes who might want them (I4). A call's record lies in `room`: it is
 * to be run while that lives. NULL: all are empty. */
heist__loose *heist__inbox_find(heist__worker *w, heist__call *room, size_t most);

/* ---- wait.c ---- */
/* After finishing: tells those who wait if it is over. Does not block. */
void heist__tell_waiters(heist_pool *pool);
/* Takes a place to wait in; NULL: no memory. False: it may be that nobody tells, or the kernel refused the barrier that makes sure
 * of it; look from time to time. */
bool heist__waiter_begin(heist_pool *pool, const heist__detector *detector, heist__waiter **place);
/* Sleeps until a finisher says that it is over, or for `nap_ns`. True: one said so. */
bool heist__waiter_sleep(heist__waiter *waiter, int64_t nap_ns);
/* Gives the place back. From then on nobody looks at the detector. Blocks: for as long as a finisher looks at this place. */
void heist__waiter_end(heist_pool *pool, heist__waiter *waiter);
/* All places are free. Nobody else may be there. */
void heist__waiters_forget(heist_pool *pool);
/* Blocks a thread that is no worker of the pool until the detector is quiet. */
void heist__wait_outside(heist_pool *pool, const heist__detector *detector);

/* ---- pool.c ---- */
/* The pool that `pool` stands for, its workers running. NULL with errno set and explained. */
heist_pool *heist__pool_resolve(heist_pool *pool);
int heist__pool_start(heist_pool *pool);
/* The default pool if there is one already. */
heist_pool *heist__default_if_made(void);
/* The locks of this file, around fork(). */
void heist__pool_before_fork(void);
void heist__pool_after_fork(void);
void heist__note(heist_pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- explain.c ---- */
/* Keeps the sentence for heist_explain; returns `error`. */
int heist__fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- registry.c ---- */
/* Before the first lock is taken that fork() must find free. */
void heist__registry_hook_fork(void);
void heist__registry_add(heist_pool *pool);
/* Whether this is a pool, and nobody but the caller ends it. `pool` may be any address. */
bool heist__registry_claim(heist_pool *pool);
void heist__registry_remove(heist_pool *pool);
/* Calls `visit` for each pool that this process has started and nobody ends, with the registry locked. */
void heist__registry_visit(void (*visit)(heist_pool *));

/* ---- observe/stats.c ---- */
bool heist__stats_wanted(void);
void heist__stats_print(heist_pool *pool);

#endif
