/* schedule/job.h: a job is a task that no frame holds: detached, submitted from outside, or the root of a run. */
#ifndef HEIST_SCHEDULE_JOB_H
#define HEIST_SCHEDULE_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include <heist/heist.h>

#include "quiescence/detector.h"

struct heist__worker;

/* A scope's detached tasks point to this. It lives until heist_scope_end has seen all of them finish. */
typedef struct heist__scope_core {
    heist__detector detector;
    /* Whether a task of the scope was dropped. Written by: workers. Read by: a thread that has seen the scope quiet. */
    HEIST__ATOMIC(uint32_t) dropped;
} heist__scope_core;

/* The waiter of a run: a task of another pool, on top of the first `depth` nestings of `worker`. That worker may have
 * more nestings by now, if the same thread came back to it from the run. NULL: the waiter is a thread that was in no
 * task. */
typedef struct heist__origin {
    struct heist__worker *worker;
    uint32_t depth;
} heist__origin;

/* A detached job's record follows the job, so a job is aligned for any type. */
typedef struct heist__job {
    _Alignas(max_align_t) heist_task *task; /* NULL: a future's, which `end` runs (await.h) */
    heist__scope_core *core;                /* NULL: the job counts for the pool only */
    union {
        heist__origin from; /* the run's waiter, if the job is the root of a run */
        struct {            /* without a task: for the use of `end` */
            void *memory;
            heist_function *function;
        } of_end;
    };
    /* Called when the job has run, or was dropped; frees it. `w` (NULL outside) has not yet counted the job as
     * finished. Without a task, it is called when the job is to run or to be dropped, and counts what
     * it drops in the pool's `cancelled`. */
    void (*end)(struct heist__job *, struct heist__worker *w, bool ran);
    size_t size; /* of the block that the job lies in; 0: not allocated */
} heist__job;

/* A plain function as a job. */
typedef struct heist__call {
    heist__job job;
    struct heist__plain plain; /* where heist__job_alloc puts the record */
} heist__call;

/* The size of a job's block in bytes; larger ones come from malloc and go back there. */
#define HEIST__JOB_BLOCK 128

/* A block for a task of `size` bytes behind a heist__job, or NULL if there is no memory. */
heist__job *heist__job_alloc(struct heist__worker *w, size_t size);
void heist__job_free(struct heist__worker *w, heist__job *job);

/* Makes it a job that no thread joins: its block is freed at its end. */
void heist__job_init(heist__job *job, heist__scope_core *core);

/* The same for a call, in a block of `size` bytes; 0: the block is not to be freed. */
void heist__call_init(heist__call *call, size_t size, heist_function *function, void *argument,
                      heist__scope_core *core);

/* Counts a task for worker `w`, or for an outsider (NULL): as created before another thread can see it, as finished
 * after its end. */
void heist__count_created(heist_pool *pool, struct heist__worker *w, heist__scope_core *core);
void heist__count_finished(heist_pool *pool, struct heist__worker *w, heist__scope_core *core);

/* Takes the count of a created task back that the pool or the deque refused. */
void heist__count_refused(heist_pool *pool, struct heist__worker *w, heist__scope_core *core);

/* Runs the job, or drops it when the pool is cancelling, and counts it. */
void heist__job_run(struct heist__worker *w, heist__job *job);

#endif
