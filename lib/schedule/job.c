/* Jobs: tasks that no frame holds. Each is counted in the pool's detector and in its scope's: as created before another
 * thread can see it, as finished in its last step. */
#include "schedule/job.h"

#include <stdlib.h>

#include "schedule/nesting.h"
#include "schedule/pool.h"
#include "schedule/run.h"
#include "schedule/stress.h"
#include "schedule/worker.h"

heist__job *heist__job_alloc(heist__worker *w, size_t size)
{
    size_t block = sizeof(heist__job) + size;
    heist__job *job;
    if (block > HEIST__JOB_BLOCK) {
        job = malloc(block);
    } else {
        /* outside a worker: a block of the same kind, since the worker that frees it keeps it */
        heist__object_pool none;
        heist__object_pool_init(&none, HEIST__JOB_BLOCK, 0);
        block = HEIST__JOB_BLOCK;
        if (w) heist__count(w->blocks.kept_count ? &w->counters.blocks_reused : &w->counters.blocks_new);
        job = heist__object_pool_take(w ? &w->blocks : &none);
    }
    if (!job) return NULL;
    job->size = block;
    job->task = (heist_task *)(void *)(job + 1);
    return job;
}

void heist__job_free(heist__worker *w, heist__job *job)
{
    if (job->size == 0) return;
    if (job->size == HEIST__JOB_BLOCK && w) {
        heist__object_pool_give(&w->blocks, job);
    } else {
        free(job);
    }
}

static void end_detached(heist__job *job, heist__worker *w, bool ran)
{
    (void)ran;
    heist__job_free(w, job);
}

void heist__job_init(heist__job *job, heist__scope_core *core)
{
    job->core = core;
    job->from = (heist__origin){NULL, 0};
    job->end = end_detached;
}

void heist__call_init(heist__call *call, size_t size, heist_function *function, void *argument, heist__scope_core *core)
{
    heist__job_init(&call->job, core);
    call->job.size = size;
    call->job.task = &call->plain.task;
    call->plain.task.run = heist__run_plain;
    call->plain.function = function;
    call->plain.argument = argument;
}

void heist__count_created(heist_pool *pool, heist__worker *w, heist__scope_core *core)
{
    if (w) {
        heist__detector_created(&pool->all, w->index);
        if (core) heist__detector_created(&core->detector, w->index);
    } else {
        heist__detector_created_outside(&pool->all);
        if (core) heist__detector_created_outside(&core->detector);
    }
}

void heist__count_finished(heist_pool *pool, heist__worker *w, heist__scope_core *core)
{
    /* The scope first: when it is quiet its owner may free it, but the pool outlives the scope. */
    if (w) {
        if (core) heist__detector_finished(&core->detector, w->index);
        heist__detector_finished(&pool->all, w->index);
    } else {
        if (core) heist__detector_finished_outside(&core->detector);
        heist__detector_finished_outside(&pool->all);
    }
}

void heist__count_refused(heist_pool *pool, heist__worker *w, heist__scope_core *core)
{
    if (core && w) heist__detector_begun(&core->detector, w->index);
    if (core && !w) heist__detector_begun_outside(&core->detector);
    heist__count_finished(pool, w, core);
}

void heist__job_run(heist__worker *w, heist__job *job)
{
    heist_pool *pool = w->pool;
    heist__scope_core *core = job->core;
    if (core) heist__detector_begun(&core->detector, w->index);
    bool run = heist__load_acquire(&pool->state) != HEIST__POOL_CANCELLING; /* S2: pairs with end_pool's store */
    if (run && job->task) {
        heist__nesting_enter(w, job->task, core, job->from);
        uint64_t waits_on = heist__load_relaxed(&w->waits_on); /* relaxed: own; as in heist__run_stolen */
        heist__store_release(&w->waits_on, 0);                 /* J1: pairs with leapfrog's look */
        if (heist__stressed(w)) heist__stress_delay(w);
        heist__run_task(w, job->task);
        if (heist__stressed(w)) heist__stress_rest(w);
        heist__nesting_returned(w, core);
        heist__nesting_leave(w);
        heist__store_release(&w->waits_on, waits_on); /* J1 */
        heist__count(&w->counters.detached);
    } else if (!run && job->task) {              /* a future's task may have run already: `end` looks, and counts */
        heist__add_relaxed(&pool->cancelled, 1); /* relaxed: read after the detector is quiet, T1 */
        if (core) heist__store_relaxed(&core->dropped, 1); /* relaxed: likewise */
    }
    job->end(job, w, run);
    heist__count_finished(pool, w, core);
}
