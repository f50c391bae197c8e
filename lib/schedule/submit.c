/* Giving a job to a pool. From a worker of the pool a job goes to that worker's own deque, from anywhere else to the
 * inbox of a NUMA node. A plain function is carried as it is, and the worker that takes it makes the record
 * (inbox_find.c). Edges S1 to S3, in TERMINATION.md. */
#include "schedule/submit.h"

#include <errno.h>

#include "platform/clock.h"
#include "platform/futex.h"
#include "platform/pause.h"
#include "schedule/error.h"
#include "schedule/job.h"
#include "schedule/nesting.h"
#include "schedule/pool.h"
#include "schedule/scope_core.h"
#include "schedule/spawn.h"
#include "schedule/stress.h"

/* The longest round of a submitter that spins for room, in pauses; each round is twice as long as the one before: some
 * microseconds in all. Workers make room for a batch at a time, so that room seldom takes long to come; sleeping and
 * waking cost more. */
#define ROOM_PAUSES 64

/* A submitter that sleeps is woken when half of the inbox is free: it can then fill that half before it sleeps again.
 * Until then it looks by itself this often, since the tasks may be long, or wait for the task it is about to submit. */
#define ROOM_NAP_NS 1000000

/* A century; a longer patience is for ever. */
#define LONGEST_PATIENCE_MS INT64_C(3155760000000)

/* ---- into an inbox ---- */

/* True: the parcel is in the inbox. */
static bool spin_for_room(heist__inbox *inbox, const heist__parcel *parcel)
{
    for (unsigned pauses = 1; pauses <= ROOM_PAUSES; pauses *= 2) {
        for (unsigned i = 0; i < pauses; i++) heist__pause();
        if (heist__inbox_put(inbox, parcel)) return true;
    }
    return false;
}

/* Counts a submission that found the inbox full. */
static int found_full(heist_pool *pool)
{
    if (HEIST__TIMED) heist__add_relaxed(&pool->inbox_full, 1); /* relaxed: a counter; not in the model */
    return -EAGAIN;
}

/* Waits until `parcel` is in the inbox, the time is over, or the pool is closed. */
static int put_when_room(heist_pool *pool, heist__inbox *inbox, const heist__parcel *parcel, long patience_ms)
{
    found_full(pool);
    if (spin_for_room(inbox, parcel)) return 0;
    int64_t began = heist__clock_ns(), napped = 0; /* the clock may stand still: time slept counts, too */
    int error = 0;
    heist__add_seq_cst(&pool->wanting_room, 1); /* S1 */
    /* S1: before the looks at the slots, which only acquire. Pairs with the fence in tell_of_room. */
    heist__fence_seq_cst();
    for (;;) {
        /* S1: before the look. Pairs with the add in tell_of_room. */
        uint32_t room = heist__load_seq_cst(&pool->room);
        /* relaxed: S2 covers a submitter that sees it too late */
        if (heist__load_relaxed(&pool->state) != HEIST__POOL_OPEN) {
            error = -ESHUTDOWN;
            break;
        }
        if (heist__inbox_put(inbox, parcel)) break;
        int64_t passed = heist__clock_ns() - began, nap = ROOM_NAP_NS;
        if (passed < napped) passed = napped;
        if (patience_ms >= 0 && patience_ms <= LONGEST_PATIENCE_MS && (int64_t)patience_ms * 1000000 - passed < nap)
            nap = (int64_t)patience_ms * 1000000 - passed;
        if (nap <= 0) {
            error = -ETIMEDOUT;
            break;
        }
        if (heist__futex_wait(&pool->room, room, nap)) napped += nap;
    }
    heist__add_seq_cst(&pool->wanting_room, (uint32_t)-1); /* S1: seen late it costs a needless wake */
    return error;
}

/* Different submitting threads use different nodes, so that they do not all meet at one inbox. */
static heist__inbox *inbox_for_caller(heist_pool *pool)
{
    static HEIST__ATOMIC(unsigned) threads;
    static _Thread_local unsigned mine;
    if (mine == 0) mine = heist__add_relaxed(&threads, 1) + 1; /* relaxed: only the numbers must differ */
    return &pool->inboxes[mine % pool->inbox_count];
}

int heist__submit(heist_pool *pool, const heist__parcel *parcel, heist__scope_core *core, long patience_ms)
{
    heist__inbox *inbox = inbox_for_caller(pool);
    heist__outsider_enter(&pool->outsiders); /* S3: the pool is not freed until this thread leaves */
    heist__count_created(pool, NULL, core);
    heist__fence_seq_cst(); /* S2: counted before the look. Pairs with the fence in heist_pool_close. */
    int error = heist__load_relaxed(&pool->state) == HEIST__POOL_OPEN ? 0 : -ESHUTDOWN; /* relaxed: S2 orders it */
    if (!error && !heist__inbox_put(inbox, parcel))
        error = patience_ms == 0 ? found_full(pool) : put_when_room(pool, inbox, parcel, patience_ms);
    if (error) {
        heist__count_refused(pool, NULL, core);
        heist__tell_waiters(pool);
        if (error == -ESHUTDOWN)
            heist__fail(error, "the pool takes nothing more");
        else
            heist__fail(error, "the inbox (%zu tasks) is full", pool->settings.inbox);
    } else {
        heist__idle_wake_one(&pool->idle); /* T10: begins with a fence */
        if (core) heist__waiters_offer(&pool->waiters, &core->detector);
    }
    heist__outsider_leave(&pool->outsiders); /* S3: last touch of *pool */
    return error;
}

/* ---- to the own deque, or to an inbox ---- */

int heist__job_give(heist_pool *pool, heist__job *job, long patience_ms)
{
    heist__worker *w = heist__self();
    heist__scope_core *core = job->core;
    if (!w || w->pool != pool) return heist__submit(pool, &(heist__parcel){.content = job}, core, patience_ms);
    heist__count_created(pool, w, core);
    if (heist_deque_push(w->jobs, job) < 0) {
        heist__count_refused(pool, w, core);
        heist__tell_waiters(pool);
        return heist__fail(-ENOMEM, "no memory for a larger deque");
    }
    heist__notice(w); /* T10: in fence mode it has a fence */
    if (core) heist__waiters_offer(&pool->waiters, &core->detector);
    if (heist__stressed(w)) heist__stress_given(w);
    return 0;
}

/* Where a detached task goes: the pool, and the scope it counts for. NULL with errno set and explained. */
static heist_pool *destination(heist_scope *scope, heist__scope_core **core)
{
    heist__worker *w = heist__self();
    if (!scope) {
        *core = w ? heist__scope_now(w) : NULL;
        return w ? w->pool : heist__pool_resolve(NULL);
    }
    *core = NULL;
    heist_pool *pool = scope->pool ? heist__pool_resolve(scope->pool) : NULL;
    if (pool) *core = heist__scope_core_make(scope); /* U1 */
    if (*core) return pool;
    if (!scope->pool) errno = -heist__fail(-EINVAL, "a detach into a scope that has ended, or has not begun");
    if (pool) errno = -heist__fail(-ENOMEM, "no memory for the detached tasks of a scope");
    return NULL;
}

heist_task *heist__job_new(size_t size)
{
    heist__job *job = heist__job_alloc(heist__self(), size);
    return job ? job->task : NULL;
}

int heist__job_push(heist_scope *scope, heist_task *task)
{
    if (!task) return heist__fail(-ENOMEM, "no memory for a task");
    heist__job *job = (heist__job *)(void *)task - 1;
    heist__scope_core *core;
    heist_pool *pool = destination(scope, &core);
    heist__job_init(job, core);
    int error = pool ? heist__job_give(pool, job, HEIST_WAIT) : -errno;
    if (error) heist__job_free(heist__self(), job);
    return error;
}

static int give_call(heist_pool *pool, heist__scope_core *core, heist_function *function, void *argument,
                     long patience_ms)
{
    if (!pool) return -errno;
    heist__worker *w = heist__self();
    if (HEIST__INBOX_CARRIES_CALLS && (!w || w->pool != pool))
        return heist__submit(pool, &(heist__parcel){function, argument, core}, core, patience_ms);
    heist__job *job = heist__job_alloc(w, sizeof(struct heist__plain));
    if (!job) return heist__fail(-ENOMEM, "no memory for a task");
    heist__call_init((heist__call *)(void *)job, job->size, function, argument, core);
    int error = heist__job_give(pool, job, patience_ms);
    if (error) heist__job_free(w, job);
    return error;
}

int heist_detach(heist_scope *scope, heist_function *function, void *argument)
{
    return heist_scope_submit(scope, function, argument, HEIST_WAIT);
}

int heist_scope_submit(heist_scope *scope, heist_function *function, void *argument, long patience_ms)
{
    if (!function) return heist__fail(-EINVAL, "no function to run");
    heist__scope_core *core;
    heist_pool *pool = destination(scope, &core);
    return give_call(pool, core, function, argument, patience_ms);
}

int heist_submit(heist_pool *pool, heist_function *function, void *argument, long patience_ms)
{
    if (!function) return heist__fail(-EINVAL, "no function to run");
    return give_call(heist__pool_resolve(pool), NULL, function, argument, patience_ms);
}
