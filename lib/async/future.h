/* async/future.h: a future, inside. heist/future.h says what it is for, FUTURE.md how it works. */
#ifndef HEIST_ASYNC_FUTURE_H
#define HEIST_ASYNC_FUTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/future.h>

#include "schedule/await.h"

typedef enum {
    HEIST__TYPED,   /* a task of HEIST_TASK; or its result alone, from a promise */
    HEIST__POINTER, /* a result that is a pointer, taken once */
    HEIST__ALL,
    HEIST__ANY
} heist__future_kind;

/* The followers of a future make a list; each lies in the block of the future that waits. A follower counts as a
 * reference to its owner. Written by: the owner's maker, then the thread that has the list. */
typedef struct heist__follower {
    struct heist__follower *next;
    heist_future *owner;
    heist_future *source; /* the future that the owner waits for; counted, until the owner is done */
} heist__follower;

/* The futures that a future waits for. In the same block. */
typedef struct heist__sources {
    size_t count;
    /* Sources that are not done (all), and the number of the first that was done plus 1 (any). Written by: threads that
     * complete sources. */
    HEIST__ATOMIC(size_t) left;
    HEIST__ATOMIC(size_t) first;
    /* Threads that look at the sources, times 2, and whether the owner needs them no more. The last one to leave drops
     * them. Written by: these threads, and the thread that completes the owner. */
    HEIST__ATOMIC(uint32_t) readers;
    heist__follower followers[];
} heist__sources;

struct heist_future {
    heist__job job; /* no task; of_end: the sources (NULL: none), and the function that frees a result */
    /* Handles, the job in its queue, its followers, futures that have it as a source. Written by: any thread (add). */
    HEIST__ATOMIC(uint32_t) refs;
    /* Written by: the thread that completes it (1), if a thread sleeps. Waited on by: threads that wait. */
    HEIST__ATOMIC(uint32_t) wake;
    /* The newest follower, or HEIST__CLOSED; and whether a thread sleeps. Written by: threads that wait or add
     * followers (CAS), the thread that completes it. */
    HEIST__ATOMIC(uintptr_t) list;
    heist_pool *pool; /* where its task runs; it may have ended if the task is done, or waits */
    /* 0, or a negative errno. Written by: the thread that completes it, before "done". */
    HEIST__ATOMIC(int32_t) error;
    uint16_t mark; /* the process that made it; 0: freed */
    uint8_t kind;
    HEIST__ATOMIC(uint8_t) added; /* followers, modulo 256. Written by: threads that add one. */
    heist_task task;              /* the record begins here; its state is the future's */
};

#define HEIST__SLEEPERS ((uintptr_t)1) /* in `list` */
#define HEIST__CLOSED ((uintptr_t)2)   /* in `list`: the future is done */

/* The record of a plain future. `value` is the argument, then the result until it is taken. */
typedef struct heist__producing {
    heist_task task;
    heist_future_function *function; /* NULL: a promise */
    HEIST__ATOMIC(void *) value;
} heist__producing;

static inline heist__sources *heist__sources_of(const heist_future *f)
{
    return f->job.of_end.memory;
}

static inline heist_future *heist__future_of(heist_task *task)
{
    return (heist_future *)(void *)((char *)task - offsetof(heist_future, task));
}

static inline bool heist__is_done(const heist_future *f)
{
    return heist__load_acquire(&f->task.state) == HEIST__TASK_DONE; /* J2: its result */
}

/* Of a future that is done. */
static inline int heist__error_of(const heist_future *f)
{
    return heist__load_relaxed(&f->error); /* relaxed: J2 orders it */
}

/* ---- block.c ---- */

/* A future with a record of `record` bytes and room for `sources`, counted twice: for its handle, and for its job or
 * its promise. NULL with errno set and explained: no memory. */
heist_future *heist__future_make(heist_pool *pool, heist__future_kind kind, size_t record, size_t sources);
void heist__future_free(heist_future *f);
/* Gives up one reference. */
static inline void heist__future_unref(heist_future *f)
{
    if (heist__add_acq_rel(&f->refs, (uint32_t)-1) == 1) heist__future_free(f); /* Y5: all uses before the free */
}

/* The number that this process puts into futures: another one after fork(). */
uint16_t heist__process_mark(void);

/* 0, or -EINVAL, explained, for NULL and, as far as can be seen, for a handle that was dropped. */
int heist__future_check(const heist_future *f, const char *function);

/* ---- start.c ---- */

/* Fills in the record of a plain future. */
void heist__producing_init(heist_future *f, heist_future_function *function, void *argument, heist_function *release);

/* Gives the task of `f` to its pool. Returns 0, or a negative errno, explained; then the task will not run. */
int heist__future_give(heist_future *f);

/* The same for a future that others may wait for already, and whose pool may have ended. HEIST__REFUSED_LATE: the pool
 * has refused the job, but a thread that waits has claimed the task, and runs it. */
int heist__future_begin(heist_future *f);
#define HEIST__REFUSED_LATE 1

/* On worker `w`: claims the task of `f` and runs it. False: another thread has it. */
bool heist__future_run(heist__worker *w, heist_future *f);

/* The same for a worker that waits for `f` and has a handle. `last`: the caller drops the handle afterwards; then `f`
 * may only be read, and dropped. */
bool heist__future_run_awaited(heist__worker *w, heist_future *f, bool last);

/* A thread that is no worker of the pool, and has a handle: claims the task and runs it in a seat of the pool, if one
 * is free now. False: it did not run. */
bool heist__future_run_outside(heist_future *f);

/* ---- complete.c ---- */

/* Ends `f`, whose task the caller has claimed, with an error, and tells all that wait. The caller has a reference. */
void heist__future_complete(heist_future *f, int error);
/* The same without the first step: the state is "done" already. */
void heist__future_tell(heist_future *f);

/* Tells the owners of these followers that their sources are done. */
void heist__followers_tell(heist__follower *list);

/* Adds a follower to the list of its source. False: the source is done. */
bool heist__follower_add(heist__follower *follower);

/* The source of `follower` is done. Gives the list of the owner, if the owner is done by that, else NULL. */
heist__follower *heist__follower_told(heist__follower *follower);

/* Sleeps until `f` is done, or for `limit_ns` (negative: no limit). */
void heist__future_sleep(heist_future *f, int64_t limit_ns);

/* ---- sources.c ---- */

/* A future that `f` waits for and that is not done, counted for the caller: one that can begin now, if there is one,
 * else the first from number `from` on, modulo their count. NULL: `f` has no sources, or is done, or all are
 * promises. */
heist_future *heist__unfinished_source(heist_future *f, size_t from);

/* The owner is done, and needs its sources no more. */
void heist__sources_close(heist_future *f);

#endif
