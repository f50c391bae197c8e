/* Tasks on their own: detached, submitted from outside, or the root of a run. Within the pool they wait in their
 * creator's ring deque, from outside in the inbox of a NUMA node. Each is counted in the pool's detector and in its
 * scope's: created before anybody can see it, finished as the last thing. */
#include "schedule/worker.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/clock.h"
#include "platform/futex.h"

heist__loose *heist__loose_alloc(heist__worker *w, size_t size)
{
    size_t block = sizeof(heist__loose) + size;
    heist__loose *l;
    if (block > HEIST__LOOSE_BLOCK) {
        l = malloc(block);
    } else {
        heist__object_pool none; /* outside: a block of the same kind, for the worker that frees it keeps it */
        heist__object_pool_init(&none, HEIST__LOOSE_BLOCK, 0);
        block = HEIST__LOOSE_BLOCK;
        l = heist__object_pool_take(w ? &w->blocks : &none);
    }
    if (!l) return NULL;
    l->size = block;
    l->from = NULL;
    l->task = (heist_task *)(void *)(l + 1);
    return l;
}

void heist__loose_free(heist__worker *w, heist__loose *l)
{
    if (l->size == HEIST__LOOSE_BLOCK && w) {
        heist__object_pool_give(&w->blocks, l);
    } else {
        free(l);
    }
}

static void count_created(heist_pool *pool, heist__worker *w, heist__scope_core *core)
{
    if (w) {
        heist__detector_created(&pool->all, w->index);
        if (core) heist__detector_created(&core->detector, w->index);
    } else {
        heist__detector_created_outside(&pool->all);
        if (core) heist__detector_created_outside(&core->detector);
    }
}

static void count_finished(heist_pool *pool, heist__worker *w, heist__scope_core *core)
{
    /* The scope first: when it is quiet its owner may free it, and the pool outlives it. */
    if (w) {
        if (core) heist__detector_finished(&core->detector, w->index);
        heist__detector_finished(&pool->all, w->index);
    } else {
        if (core) heist__detector_finished_outside(&core->detector);
        heist__detector_finished_outside(&pool->all);
    }
}

void heist__loose_run(heist__worker *w, heist__loose *l)
{
    heist_pool *pool = w->pool;
    heist__scope_core *core = l->core;
    bool run = heist__load_acquire(&pool->state) != HEIST__POOL_CANCELLING;
    if (run) {
        heist__level_enter(w, core, l->from);
        uint64_t waits_on = heist__load_relaxed(&w->waits_on); /* relaxed: own; as in heist__run_stolen */
        heist__store_release(&w->waits_on, 0);
        l->task->run(&w->frames.face, heist__bottom_of(w), l->task);
        heist__level_leave(w);
        heist__store_release(&w->waits_on, waits_on);
        heist__count(&w->counters.detached);
    } else {
        heist__add_relaxed(&pool->cancelled, 1); /* relaxed: read after the detector is quiet, T1 */
    }
    l->end(l, w, run);
    count_finished(pool, w, core);
}

heist__loose *heist__inbox_find(heist__worker *w)
{
    heist_pool *pool = w->pool;
    for (unsigned i = 0; i < pool->inbox_count; i++) {
        heist__loose *l = heist__inbox_take(&pool->inboxes[(w->node + i) % pool->inbox_count]);
        if (!l) continue;
        heist__fence_seq_cst(); /* S1: the room made comes before the look for those who want it */
        if (heist__load_relaxed(&pool->wanting_room)) { /* relaxed: S1 orders it */
            heist__add_seq_cst(&pool->room, 1);
            heist__futex_wake(&pool->room, 1);
        }
        return l;
    }
    return NULL;
}

/* Waits until `l` is in the inbox or the time is over. */
static int put_when_room(heist_pool *pool, heist__inbox *inbox, heist__loose *l, long patience_ms)
{
    int64_t end = patience_ms < 0 ? INT64_MAX : heist__clock_ns() + (int64_t)patience_ms * 1000000;
    bool over = false; /* as the kernel says: the clock may stand still */
    int error = 0;
    heist__add_seq_cst(&pool->wanting_room, 1); /* S1 */
    heist__fence_seq_cst(); /* S1: before the looks at the slots, which only acquire. Pairs with that in heist__inbox_find. */
    for (;;) {
        uint32_t room = heist__load_seq_cst(&pool->room);
        if (heist__inbox_put(inbox, l)) break;
        int64_t left = end == INT64_MAX ? -1 : end - heist__clock_ns();
        if (over || (end != INT64_MAX && left <= 0)) {
            error = -ETIMEDOUT;
            break;
        }
        over = heist__futex_wait(&pool->room, room, left);
    }
    heist__add_seq_cst(&pool->wanting_room, (uint32_t)-1);
    return error;
}

/* A node of its own for each submitting thread, so that they do not all meet at one inbox. */
static heist__inbox *inbox_for_caller(heist_pool *pool)
{
    static HEIST__ATOMIC(unsigned) threads;
    static _Thread_local unsigned mine;
    if (mine == 0) mine = heist__add_relaxed(&threads, 1) + 1; /* relaxed: only to differ */
    return &pool->inboxes[mine % pool->inbox_count];
}

static int give_from_outside(heist_pool *pool, heist__loose *l, long patience_ms)
{
    heist__scope_core *core = l->core; /* read now: *l may be gone once it is in the inbox */
    heist__inbox *inbox = inbox_for_caller(pool);
    heist__add_acq_rel(&pool->outsiders, 1); /* S3: the pool is not freed until the matching subtraction */
    count_created(pool, NULL, core);
    heist__fence_seq_cst(); /* S2: counted before the look. Pairs with the fence in heist_pool_close. */
    int error = heist__load_relaxed(&pool->state) == HEIST__POOL_OPEN ? 0 : -ESHUTDOWN; /* relaxed: S2 orders it */
    if (!error && !heist__inbox_put(inbox, l))
        error = patience_ms == 0 ? -EAGAIN : put_when_room(pool, inbox, l, patience_ms);
    if (error) {
        count_finished(pool, NULL, core);
        heist__tell_waiters(pool);
        if (error == -ESHUTDOWN)
            heist__fail(error, "the pool takes nothing more");
        else
            heist__fail(error, "the inbox (%zu tasks) is full", pool->settings.inbox);
    } else {
        heist__idle_wake_one(&pool->idle);
    }
    heist__add_acq_rel(&pool->outsiders, (uint32_t)-1); /* S3: last touch of *pool */
    return error;
}

int heist__loose_give(heist_pool *pool, heist__loose *l, long patience_ms)
{
    heist__worker *w = heist__self();
    if (!w || w->pool != pool) return give_from_outside(pool, l, patience_ms);
    heist__scope_core *core = l->core;
    count_created(pool, w, core);
    if (heist_deque_push(w->loose, l) < 0) {
        count_finished(pool, w, core);
        heist__tell_waiters(pool);
        return heist__fail(-ENOMEM, "no memory for a larger deque");
    }
    heist__notice(w);
    return 0;
}
