/* Starting a future's task, and running it: by the worker that gets its job, or by a thread that waits for it. */
#include <errno.h>
#include <string.h>

#include "async/future.h"
#include "platform/stack_switch.h"
#include "schedule/run.h"
#include "schedule/spawn.h"

/* How many jobs that were run before their turn may lie in a worker's deque before the worker takes them out. */
#define LEFT_BEHIND 64

/* ---- claiming ---- */

/* Claims the task of `f` for worker `w`. A thread from outside that looks for a seat loses it to a worker, which can
 * begin at once. That thread may be about to touch the pool: until now the job in its queue has kept the pool alive,
 * from now on the count among the outsiders does, which that thread takes back (leave_claim). */
static bool claim(heist_future *f, uintptr_t to)
{
    uintptr_t state = heist__load_relaxed(&f->task.state); /* relaxed: the CAS checks it */
    for (;;) {
        if (state == HEIST__TASK_READY) {
            if (heist__cas_acq_rel(&f->task.state, &state, to)) return true; /* Y1, J1 */
        } else if (state == HEIST__TASK_CLAIMED) {
            heist__outsider_enter(&f->pool->outsiders);                      /* Y4: before the CAS */
            if (heist__cas_acq_rel(&f->task.state, &state, to)) return true; /* Y4: pairs with leave_claim. Y1, J1 */
            heist__outsider_leave(&f->pool->outsiders);
        } else {
            return false;
        }
    }
}

/* The calling thread, which is no worker of the pool, claimed the task and changes its state to `to`. False: a worker
 * was faster. */
static bool leave_claim(heist_future *f, uintptr_t to)
{
    uintptr_t state = HEIST__TASK_CLAIMED;
    if (heist__cas_acq_rel(&f->task.state, &state, to)) return true; /* Y4, J1 */
    heist__outsider_leave(&f->pool->outsiders);                      /* Y4: the worker's count */
    return false;
}

/* ---- running ---- */

/* After the end of the task of `f` on `w`. */
static void run_ended(heist__worker *w, heist_future *f, uint64_t waits_on)
{
    heist__store_release(&f->task.state, HEIST__TASK_DONE); /* J2 */
    heist__claim_ended(w);                                  /* J4, Y6 */
    heist__claim_leave(w, waits_on);
    heist__future_tell(f);
}

static void run_claimed(heist__worker *w, heist_future *f, uint64_t waits_on)
{
    heist__run_task(w, &f->task);
    if (heist__self() == w) {
        run_ended(w, f, waits_on);
    } else { /* this is the child of a fork within the task: the worker, and all that follow, are the parent's */
        heist__store_relaxed(&f->task.state, HEIST__TASK_DONE); /* relaxed: for the thread that waits, which is this */
    }
}

static uintptr_t taken_by(const heist__worker *w)
{
    return HEIST__TASK_TAKEN | (uintptr_t)w->index << 3;
}

bool heist__future_run(heist__worker *w, heist_future *f)
{
    if (!heist__nesting_room(w)) return false;
    const uint64_t waits_on = heist__claim_enter(w, &f->task);
    if (!claim(f, taken_by(w))) {
        heist__claim_leave(w, waits_on);
        return false;
    }
    run_claimed(w, f, waits_on);
    return true;
}

/* The end of a job: its turn has come, or the pool drops it. */
static void turn(heist__job *job, heist__worker *w, bool run)
{
    heist_future *f = (heist_future *)(void *)job;
    if (run) {
        const uint64_t waits_on = heist__claim_enter(w, &f->task);
        if (claim(f, taken_by(w))) {
            run_claimed(w, f, waits_on);
        } else {
            heist__claim_leave(w, waits_on);
        }
    } else if (claim(f, HEIST__TASK_WAITS)) {
        heist__add_relaxed(&f->pool->cancelled, 1); /* relaxed: as in heist__job_run */
        heist__future_complete(f, -ECANCELED);
    }
    heist__future_unref(f);
}

int heist__future_give(heist_future *f)
{
    f->job.end = turn;
    /* Y1: the record is whole, and all that came before. Pairs with the CAS of a thread that claims the task. */
    heist__store_release(&f->task.state, HEIST__TASK_READY);
    return heist__job_give(f->pool, &f->job, HEIST_WAIT);
}

int heist__future_begin(heist_future *f)
{
    heist_pool *pool = f->pool;
    const heist__worker *w = heist__self();
    const bool outside = !w || w->pool != pool;
    if (outside && !heist__pool_enter(pool)) return -ESHUTDOWN;
    int error = heist__future_give(f);
    if (error && !claim(f, HEIST__TASK_WAITS)) error = HEIST__REFUSED_LATE;
    if (outside) heist__outsider_leave(&pool->outsiders); /* S3: last touch of *pool */
    return error;
}

/* ---- waiting for it on a worker ---- */

static bool has_begun(heist_future *f)
{
    uintptr_t state = heist__load_relaxed(&f->task.state); /* relaxed: a task that has begun does not begin again */
    return state == HEIST__TASK_DONE || (state & HEIST__TASK_TAKEN);
}

/* Takes jobs of futures that have run already out of the own deque, as far as such jobs are the youngest. */
static void sweep(heist__worker *w)
{
    void *youngest;
    while (w->left_behind && heist_deque_pop(w->jobs, &youngest) == HEIST_STEAL_GOT) {
        heist__job *job = youngest;
        heist_future *f = (heist_future *)youngest;
        if (job->task || !has_begun(f)) {
            if (heist_deque_push(w->jobs, job) < 0) heist__job_run(w, job); /* no memory: better run than lost */
            heist__notice(w);                                               /* it was out of sight for a moment */
            break;
        }
        w->left_behind--;
        heist__count_finished(w->pool, w, NULL);
        turn(job, w, false);
    }
    w->left_behind = 0;
}

/* Whether no other thread can hear of the end of `f`: there are two references, both of the calling thread, and no
 * follower. (An `any` that is done has given up its reference to `f`, but its follower may still be in the list.) */
static bool is_alone(const heist_future *f)
{
    return heist__load_acquire(&f->refs) == 2 && heist__load_relaxed(&f->list) == 0; /* Y5; relaxed: ordered by it */
}

/* Runs the task of `f`, which no other thread has a reference to, and gives up the job's. */
static void run_alone(heist__worker *w, heist_future *f)
{
    const uint64_t waits_on = heist__claim_enter(w, &f->task);
    heist__store_relaxed(&f->task.state, taken_by(w)); /* relaxed: no other thread reads it */
    heist__run_task(w, &f->task);
    if (!is_alone(f)) { /* the task itself has given it to others */
        run_ended(w, f, waits_on);
        heist__future_unref(f);
        return;
    }
    heist__store_relaxed(&f->task.state, HEIST__TASK_DONE); /* relaxed: no other thread reads it */
    heist__claim_leave(w, waits_on);
    heist__count(&w->counters.detached);
    if (heist__sources_of(f)) heist__sources_close(f);
    heist__store_relaxed(&f->refs, 1); /* relaxed: likewise */
}

bool heist__future_run_awaited(heist__worker *w, heist_future *f, bool last)
{
    if (!heist__nesting_room(w)) return false;
    bool ran;
    if (heist__withdraw(w, &f->job)) {
        heist__count_finished(w->pool, w, NULL); /* the caller's task is counted, so the pool is not quiet */
        if (last && is_alone(f)) {               /* the handle, and the job that this thread has now */
            run_alone(w, f);
            ran = true;
        } else {
            ran = heist__future_run(w, f);
            heist__future_unref(f);
        }
        if (w->left_behind) sweep(w);
    } else {
        ran = heist__future_run(w, f);
        if (ran && ++w->left_behind >= LEFT_BEHIND) sweep(w);
    }
    return ran;
}

/* ---- waiting for it outside ---- */

typedef struct {
    heist_task task;
    heist_future *future;
} seated;

static void run_seated(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    (void)bottom;
    heist__worker *w = heist__worker_of(face);
    heist_future *f = ((seated *)(void *)task)->future;
    if (!heist__nesting_room(w)) {
        leave_claim(f, HEIST__TASK_READY);
        return;
    }
    const uint64_t waits_on = heist__claim_enter(w, &f->task);
    if (leave_claim(f, taken_by(w))) {
        run_claimed(w, f, waits_on);
    } else {
        heist__claim_leave(w, waits_on);
    }
}

bool heist__future_run_outside(heist_future *f)
{
    uintptr_t state = HEIST__TASK_READY;
    if (!HEIST__CAN_SWITCH_STACKS || !heist__cas_acq_rel(&f->task.state, &state, HEIST__TASK_CLAIMED)) return false;
    heist_pool *pool = f->pool;
    /* Y4: the job, or the count of the worker that has taken it, keeps *pool */
    heist__outsider_enter(&pool->outsiders);
    seated s = {.task = {.run = run_seated}, .future = f};
    const bool ran = heist__seat_try(pool, &s.task) == 0;
    if (f->mark != heist__process_mark()) return ran; /* the child of a fork: the outsiders are the parent's */
    if (!ran) leave_claim(f, HEIST__TASK_READY);
    heist__outsider_leave(&pool->outsiders); /* S3: last touch of *pool */
    return ran;
}
