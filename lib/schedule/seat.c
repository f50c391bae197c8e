/* A run from outside: the caller takes a seat and is a worker for as long as the run lasts.
 *
 * A thread may sit in seats of several pools, one above the other, when a task of one pool runs something on another.
 * If the thread comes back to a pool, it uses the seat that it has there: a thread never waits for itself.
 *
 * The task runs on a stack of the seat, as large as a worker's, whatever stack the caller has: every task that a worker
 * can run, the caller can run, too.
 *
 * When all seats are taken the caller waits for one, or gives the task to a worker. The run is counted as a submission
 * meanwhile, so that the pool does not end, or drops the run. */
#include "schedule/seat.h"

#include <errno.h>
#include <pthread.h>

#include "idle/lending.h"
#include "platform/clock.h"
#include "platform/cpu.h"
#include "platform/pause.h"
#include "platform/stack_switch.h"
#include "platform/thread_state.h"
#include "schedule/error.h"
#include "schedule/job.h"
#include "schedule/nesting.h"
#include "schedule/overflow.h"
#include "schedule/pool.h"
#include "schedule/run.h"
#include "schedule/worker_memory.h"

/* The longest round of a caller that spins for a seat, in pauses; each round is twice as long as the one before: some
 * microseconds in all. Short runs give their seats back by then. */
#define SEAT_PAUSES 128

/* ---- which seat ---- */

/* The seat that this thread had last, in any pool: its deques and its stack may still be in this CPU's cache. */
static _Thread_local unsigned last_seat;

/* The node where the caller runs, or -1 if there is only one or it is not known. */
static int node_here(const heist_pool *pool)
{
    if (pool->machine.node_count < 2 || pool->machine.synthetic) return -1;
    int cpu = heist__current_cpu();
    for (unsigned i = 0; cpu >= 0 && i < pool->machine.pu_count; i++) {
        if (pool->machine.pus[i].os_cpu == (unsigned)cpu) return (int)pool->machine.pus[i].node;
    }
    return -1;
}

static bool take(heist__worker *w)
{
    const heist__idle_calls calls = heist__worker_idle_calls(w);
    bool others_sleep;
    if (!heist__lending_take(&w->pool->idle, &w->sleeper, &calls, &others_sleep)) return false;
    /* K2: the first push wakes one of them. relaxed: read by this thread; other threads only shut it, too */
    if (others_sleep) heist__store_relaxed(w->tasks.push_gate, HEIST__PUSH_SHUT);
    last_seat = w->index;
    return true;
}

/* Takes a seat whose home thread sleeps (`state` 0) or offers it (HEIST__OFFERED), on this node or anywhere (-1). */
static heist__worker *take_seat_where(heist_pool *pool, uint32_t state, int node)
{
    const unsigned first = last_seat < pool->count ? last_seat : 0;
    for (unsigned i = 0; i < pool->count; i++) {
        heist__worker *w = pool->workers[first + i < pool->count ? first + i : first + i - pool->count];
        /* K4: after this thread has said that it wants a seat */
        uint32_t word = heist__load_seq_cst(&w->sleeper.asleep);
        if (!heist__can_be_lent(word) || (word & HEIST__OFFERED) != state) continue;
        if ((node < 0 || w->node == (unsigned)node) && take(w)) return w;
    }
    return NULL;
}

/* Sleepers' seats first: a searcher that leaves may have to look for others' work (IDLE.md). NULL: no seat is free
 * now. */
static heist__worker *take_seat(heist_pool *pool)
{
    const int node = node_here(pool);
    heist__worker *w = node < 0 ? NULL : take_seat_where(pool, 0, node);
    if (!w) w = take_seat_where(pool, 0, -1);
    return w ? w : take_seat_where(pool, HEIST__OFFERED, -1);
}

static heist__worker *spin_for_seat(heist_pool *pool)
{
    heist__worker *w = NULL;
    for (unsigned pauses = 1; pauses <= SEAT_PAUSES && !w; pauses *= 2) {
        for (unsigned i = 0; i < pauses; i++) heist__pause();
        w = take_seat(pool);
    }
    return w;
}

/* Sleeps until there is a seat, at most for `limit_ns` (negative: no limit). NULL: the time is over, or the pool is
 * cancelling. The pool may be cancelling also if a seat is returned. */
static heist__worker *sleep_for_seat(heist_pool *pool, int64_t limit_ns)
{
    heist__idle *idle = &pool->idle;
    heist__worker *w = NULL;
    bool over = false;
    const int64_t began = heist__clock_ns();
    heist__lending_want(idle);
    while (!w && !over) {
        uint32_t seen = heist__lending_await(idle);
        /* S2, K4: waiting callers are told after that */
        if (heist__load_acquire(&pool->state) == HEIST__POOL_CANCELLING) break;
        w = take_seat(pool);
        if (w) break;
        over = heist__lending_sleep(idle, seen, limit_ns); /* or it was woken, and another caller is faster again */
        if (limit_ns >= 0 && heist__clock_ns() - began >= limit_ns) over = true;
        w = spin_for_seat(pool);
    }
    heist__lending_want_no_more(idle);
    return w;
}

/* ---- in the seat ---- */

typedef struct {
    heist__worker *seat, *before; /* where the run is; where the thread was before, NULL: nowhere */
    heist_task *task;
    bool counts; /* the task is counted here; else it counts itself, as a future's does */
} seat_call;

/* Runs the task, as heist__job_run does, for the root of a run that is counted elsewhere. */
static void run_in(void *record)
{
    seat_call *s = record;
    heist__worker *w = s->seat;
    heist__set_self(w);
    heist__nesting_enter(w, s->task, NULL, heist__origin_now(s->before));
    uint64_t waits_on = heist__load_relaxed(&w->waits_on); /* relaxed: own; as in heist__run_stolen */
    heist__store_release(&w->waits_on, 0);                 /* J1: pairs with leapfrog's look */
    heist__run_task(w, s->task);
    if (heist__self() != w) return; /* this is the child of a fork: the seat is the parent's */
    heist__nesting_leave(w);
    heist__store_release(&w->waits_on, waits_on); /* J1 */
    if (s->counts) heist__count(&w->counters.detached);
    heist__set_self(s->before);
}

/* The seat that the calling thread took last and has not given back; those below it follow by `outer`. A worker's own
 * thread begins with that worker. */
static _Thread_local heist__worker *taken;

static heist__worker *taken_last(void)
{
    return taken ? taken : heist__self();
}

heist__worker *heist__seat_in(const heist_pool *pool)
{
    heist__worker *w = taken_last();
    while (w && w->pool != pool) w = w->outer;
    return w;
}

/* A thread as the watch knows it: its clock of CPU time, and its number. */
typedef struct {
    int32_t clock, thread_number;
} seat_mark;

/* The watch looks at the thread that is in the seat. Returns that thread's mark, for the one that comes after it. */
static seat_mark mark_seat(heist__worker *w, seat_mark now)
{
    seat_mark before = {heist__load_relaxed(&w->clock), heist__load_relaxed(&w->thread_number)};
    heist__store_relaxed(&w->clock, now.clock); /* relaxed, all four: hints; the seat is this thread's, K1 */
    heist__store_relaxed(&w->thread_number, now.thread_number);
    return before;
}

static seat_mark own_mark(void)
{
    return (seat_mark){heist__thread_clock(), heist__thread_number()};
}

/* False: this is the child of a fork, and the seat is gone. */
static bool sit_and_run(heist__worker *w, heist_task *task, bool counts)
{
    seat_call s = {w, heist__self(), task, counts};
    const bool watched = w->pool->settings.watch > 0;
    seat_mark home = {0, 0};
    if (watched) home = mark_seat(w, own_mark());
    w->outer = taken_last();
    taken = w;
    heist__lent_begin(&w->counters);
#if HEIST__CAN_SWITCH_STACKS
    heist__overflow_prepare();
    heist__call_on_stack(w->guest_stack, w->guest_size, run_in, &s);
#endif
    if (taken != w) return false;
    heist__lent_end(&w->counters);
    if (watched) mark_seat(w, home);
    taken = w->outer;
    w->outer = NULL; /* the home thread is below no seat */
    return true;
}

/* ---- from outside ---- */

enum { IN_CHILD = 1 };

static int drop(heist_pool *pool)
{
    heist__add_relaxed(&pool->cancelled, 1); /* relaxed: read after the detector is quiet, T1 */
    return -ECANCELED;
}

/* `counts`: the run is counted here. Else the task is a future's, whose job is still there to be counted or dropped. */
static int run_seated(heist_pool *pool, heist__worker *w, heist_task *task, bool counts)
{
    if (heist__load_acquire(&pool->state) == HEIST__POOL_CANCELLING) /* S2: as in heist__job_run */
        return counts ? drop(pool) : -ECANCELED;
    if (!heist__worker_guest_stack(w)) return -ENOTSUP;
    return sit_and_run(w, task, counts) ? 0 : IN_CHILD;
}

/* Seats that are lent usually come back soon. Where workers have work in all of them, or it takes long, the task waits
 * its turn in an inbox, as submissions do. NULL: the task has run, or was dropped, as `*error` says. */
static heist__worker *wait_for_seat(heist_pool *pool, heist_task *task, int *error)
{
    heist__worker *w = spin_for_seat(pool);
    if (!w && heist__lending_soon(&pool->idle)) w = sleep_for_seat(pool, HEIST__SEAT_PATIENCE_NS);
    if (w) return w;
    *error = heist__hand_over(pool, task);
    if (*error != -ESHUTDOWN) return NULL;
    w = sleep_for_seat(pool, -1); /* the pool was closed meanwhile, but it had accepted this run */
    *error = w ? 0 : drop(pool);
    return w;
}

/* Counts the run as finished, in seat `counted` or outside (NULL), and gives the seat back if there is one. */
static void end_run(heist_pool *pool, heist__worker *w, heist__worker *counted)
{
    heist__count_finished(pool, counted, NULL);
    heist__tell_waiters(pool);
    if (!w) return;
    const heist__idle_calls calls = heist__worker_idle_calls(w);
    heist__lending_give_back(&pool->idle, &w->sleeper, &calls);
}

static int run_from_outside(heist_pool *pool, heist_task *task, bool waits)
{
    heist__outsider_enter(&pool->outsiders); /* S3 */
    heist__worker *w = take_seat(pool), *counted = w;
    heist__count_created(pool, counted, NULL);
    heist__fence_seq_cst();                                                             /* S2: as in heist__submit */
    int error = heist__load_relaxed(&pool->state) == HEIST__POOL_OPEN ? 0 : -ESHUTDOWN; /* relaxed: S2 orders it */
    if (!error) {
        if (!w && waits) w = wait_for_seat(pool, task, &error);
        if (!w && !waits) error = -EAGAIN;
        if (w) error = run_seated(pool, w, task, waits);
        if (error == IN_CHILD) return 0; /* the pool begins anew in the child */
    }
    end_run(pool, w, counted);
    heist__outsider_leave(&pool->outsiders); /* S3: last touch of *pool */
    return error;
}

static int run(heist_pool *pool, heist_task *task, bool waits)
{
    if (!HEIST__CAN_SWITCH_STACKS) return -ENOTSUP;
    int cancellable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable); /* the task may come to a cancellation point */
    seat_call again = {heist__seat_in(pool), heist__self(), task, waits};
    int error = 0;
    if (again.seat && heist__nesting_room(again.seat)) {
        run_in(&again);
    } else {
        error = run_from_outside(pool, task, waits);
    }
    pthread_setcancelstate(cancellable, NULL);
    if (error == -ESHUTDOWN) heist__fail(error, "the pool takes nothing more");
    if (error == -ECANCELED) heist__fail(error, "the pool was shut down before the task began");
    return error;
}

int heist__seat_run(heist_pool *pool, heist_task *task)
{
    return run(pool, task, true);
}

int heist__seat_try(heist_pool *pool, heist_task *task)
{
    return run(pool, task, false);
}

void heist__seat_forget(void)
{
    /* The stacks are left to the frames that lie on them. */
    for (heist__worker *w = taken_last(); w; w = w->outer) w->guest_stack = NULL;
    taken = NULL;
    heist__set_self(NULL);
}
