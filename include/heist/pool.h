/* heist/pool.h: pools of workers.
 *
 * A pool is made with heist_pool_new, used from any thread, and ended with heist_pool_free. Several may live side by
 * side. NULL for a pool means the pool of the running task, and outside tasks the default pool, which is made on first
 * use, kept warm, and gone at exit.
 *
 * heist reads an option from the environment where its field is zero: HEIST_WORKERS, HEIST_BIND, HEIST_STEAL,
 * HEIST_AMOUNT, HEIST_SPIN, HEIST_STACK, HEIST_SEED, HEIST_FENCES, HEIST_TOPOLOGY, HEIST_INBOX, HEIST_SLOTS,
 * HEIST_STRICT, HEIST_WATCH. HEIST_STATS=1 prints counters at exit; HEIST_CHECK=1 makes every pool look for mistakes at
 * each spawn and join (heist/task.h). heist tells an unreadable value on stderr and ignores it. A program that runs
 * with more rights than its user (setuid) does not read the environment.
 *
 * Functions that return int return 0, or a negative errno for which heist_strerror has a sentence. */
#ifndef HEIST_POOL_H
#define HEIST_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/export.h>

HEIST_BEGIN_DECLS

typedef struct heist_pool heist_pool;
typedef void heist_function(void *argument);

/* The most workers a pool can have. */
#define HEIST_MAX_WORKERS 4096

/* Where workers run. */
typedef enum heist_bind {
    HEIST_BIND_DEFAULT = 0, /* none */
    HEIST_BIND_NONE,        /* wherever the system puts them */
    HEIST_BIND_CORE,        /* one a core, near ones together, then the cores' other threads */
    HEIST_BIND_COMPACT,     /* one a hardware thread, those of a core together */
    HEIST_BIND_SPREAD,      /* one a core, as far apart as can be */
    HEIST_BIND_NODE         /* each within its NUMA node ("numa" in the environment) */
} heist_bind;

/* From which victim a worker without work steals. */
typedef enum heist_strategy {
    HEIST_STRATEGY_DEFAULT = 0,  /* near */
    HEIST_STRATEGY_NEAR,         /* same core, cache, node, package; outwards only when the nearer are dry */
    HEIST_STRATEGY_RANDOM,       /* any worker */
    HEIST_STRATEGY_MOST_LOADED,  /* the worker that has most */
    HEIST_STRATEGY_LEAST_LOADED, /* the worker that has least, but something */
    HEIST_STRATEGY_POWER_OF_TWO, /* the richer of two drawn */
    HEIST_STRATEGY_ADAPTIVE      /* by its own rate of success */
} heist_strategy;

/* How much one steal takes from a worker's detached tasks. A fork/join task is always taken alone: a spawner that waits
 * steals back from its thief, and must find only what descends from the task that it waits for. */
typedef enum heist_amount { HEIST_AMOUNT_DEFAULT = 0 /* one */, HEIST_AMOUNT_ONE, HEIST_AMOUNT_HALF } heist_amount;

/* How a worker's pop and a thief's steal are ordered. */
typedef enum heist_fences {
    HEIST_FENCES_DEFAULT = 0, /* thief if the kernel allows, both otherwise */
    HEIST_FENCES_THIEF,       /* the thief pays, with membarrier */
    HEIST_FENCES_BOTH         /* a fence on each side */
} heist_fences;

/* Set it to zero (or HEIST_OPTIONS_INIT), then set the fields you want; zero always means a sensible default. */
typedef struct heist_options {
    size_t size;             /* sizeof(heist_options), or 0 */
    unsigned workers;        /* 0: what the affinity mask and the CPU quota allow */
    heist_bind bind;         /* ... */
    heist_strategy strategy; /* ... */
    heist_amount amount;     /* ... */
    unsigned spin;           /* rounds of searching without success before a worker sleeps; 0: a worker learns from
                              * its last waits how long to spin, at most half a millisecond; and a thread that
                              * waits from outside spins for up to 2 ms if there is a CPU left for it */
    size_t stack_size;       /* bytes for each worker, a guard page below; 0: eight times the limit of the main
                              * stack, at most half of the memory; less, with a note, where memory is limited */
    uint64_t seed;           /* of all random choices; 0: a fixed one */
    const char *name;        /* threads are called name/0, name/1 ...; NULL: heist */
    heist_fences fences;     /* ... */
    const char *topology;    /* order victims as on that machine: hwloc's synthetic description or an XML file */
    size_t inbox;            /* submissions from outside that may wait, for each NUMA node; 0: 1024 */
    size_t slots;            /* unjoined children of one worker before spawns become calls; 0: sixteen million */
    bool strict;             /* fewer workers than asked for, or a refused binding, is an error and not a note */
    uint64_t watch;          /* seconds after which the pool tells, on stderr and as a note, that all its workers are
                              * blocked in tasks while tasks wait; costs a thread that sleeps; 0: no watch */
} heist_options;

#define HEIST_OPTIONS_INIT                                                                                             \
    {                                                                                                                  \
        sizeof(heist_options), 0, HEIST_BIND_DEFAULT, HEIST_STRATEGY_DEFAULT, HEIST_AMOUNT_DEFAULT, 0, 0, 0, 0,        \
            HEIST_FENCES_DEFAULT, 0, 0, 0, false, 0                                                                    \
    }

/* Makes a pool and starts its workers. `options` may be NULL.
 * Call from: any thread.  Blocks: until the workers run.
 * Returns NULL on failure, with errno set and heist_explain() saying what was wrong. */
HEIST_API heist_pool *heist_pool_new(const heist_options *options);

/* From now on the pool takes nothing from outside (-ESHUTDOWN), nor from a thread that waits for room in an inbox; the
 * tasks that it has, it runs. So threads that still submit are told, and end, before the pool is freed. Shutting down
 * closes, too.
 * Call from: any thread.  Blocks: no.  Returns 0, or -EINVAL for NULL. */
HEIST_API int heist_pool_close(heist_pool *pool);

/* The fate of tasks that wait when a pool ends. */
typedef enum heist_shutdown {
    HEIST_DRAIN = 0, /* they run, and all they spawn */
    HEIST_CANCEL     /* those not begun are dropped; a heist_run among them, and a wait for them, gets -ECANCELED */
} heist_shutdown;

/* Ends a pool: waits until its tasks have run (or were dropped), ends its workers, frees it.
 * Call from: any thread but the pool's own workers, and workers of other pools within a run that a task of this pool
 * waits for (-EDEADLK, and the pool lives on).  Blocks: yes.  -EINVAL: there is no such pool (any more), or another
 * thread ends it. It waits for calls of heist_run, heist_submit and the waits that other threads have begun.
 * Undefined: calls that they begin later (heist_pool_close is for that).
 * *cancelled, unless NULL, is how many tasks were dropped. */
HEIST_API int heist_pool_shutdown(heist_pool *pool, heist_shutdown how, size_t *cancelled);

/* heist_pool_shutdown(pool, HEIST_DRAIN, NULL). NULL is allowed and does nothing. */
HEIST_API int heist_pool_free(heist_pool *pool);

/* The pool that NULL stands for. NULL, with errno set, if it cannot be made. It ends at exit; it may be freed before,
 * and is made again when it is needed.
 * Call from: any thread.  Blocks: on first use. */
HEIST_API heist_pool *heist_default_pool(void);

/* Runs function(argument) on `pool`. From one of the pool's own workers it is a plain call. Any other thread takes the
 * place of a worker that sleeps, and is that worker for as long as the run lasts: the function runs on the calling
 * thread, heist_worker_number() tells that worker's number, and other workers steal from it. The stack is as large as
 * a worker's. CPU affinity, name, priority and signal mask stay the thread's own. If all workers are busy, or their
 * places are taken, the thread waits for a place; where that takes long, a worker runs the function. The thread is not
 * cancelled before the run is over.
 * Call from: any thread, tasks included.  Blocks: yes.
 * Returns 0, -EINVAL (no function, or a pool that has been freed), -ECANCELED if the pool was shut down first, or
 * another negative errno; after an error the function has not run. */
HEIST_API int heist_run(heist_pool *pool, heist_function *function, void *argument);

/* How long a submission waits when the inbox is full, in milliseconds; any other positive number will do, too. */
#define HEIST_WAIT (-1L)
#define HEIST_DO_NOT_WAIT 0L

/* Runs function(argument) some time; heist_pool_wait waits for it.
 * Call from: any thread; from a task it does not wait.  Blocks: while the inbox is full, up to `patience_ms`.
 * Returns 0, -EAGAIN (full, and not to wait), -ETIMEDOUT, -ENOMEM, -ESHUTDOWN; then it will not run. */
HEIST_API int heist_submit(heist_pool *pool, heist_function *function, void *argument, long patience_ms);

/* Waits until everything given to the pool, however nested, has finished and is visible. There must be a moment at
 * which nothing is left: tasks that other threads give without a pause are waited for, too. A scope waits for a part
 * of the tasks.
 * Call from: any thread but the pool's workers, and runs that they wait for (-EDEADLK).  Blocks: yes.
 * Returns 0, or -ECANCELED if the pool was shut down meanwhile and tasks of it were dropped. */
HEIST_API int heist_pool_wait(heist_pool *pool);

/* How many workers there are. 0 for NULL. */
HEIST_API unsigned heist_pool_workers(const heist_pool *pool);

/* The things that the pool had to do without, one sentence a line; "" if none. Valid while the pool lives. */
HEIST_API const char *heist_pool_notes(const heist_pool *pool);

/* The calling thread's number among its pool's workers, and that pool; -1 and NULL outside. A thread within heist_run,
 * a loop or a typed run from outside has the number of the worker whose place it has. */
HEIST_API int heist_worker_number(void);
HEIST_API heist_pool *heist_current_pool(void);

/* A sentence for an error that a heist function returned. Never NULL. */
HEIST_API const char *heist_strerror(int error);

/* The cause of this thread's last failure, more precisely than heist_strerror. "" at first. */
HEIST_API const char *heist_explain(void);

HEIST_END_DECLS

#endif
