/* Tasks on their own: detached, submitted from outside, or the root of a run. Within the pool they wait in their
 * creator's ring deque, from outside in the inbox of a NUMA node (submit.c). Each is counted in the pool's detector and in its
 * scope's: created before anybody can see it, finished as the last thing. */
#include "schedule/worker.h"

#include <errno.h>
#include <stdlib.h>

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
    l->task = (heist_task *)(void *)(l + 1);
    return l;
}

void heist__loose_free(heist__worker *w, heist__loose *l)
{
    if (l->size == 0) return;
    if (l->size == HEIST__LOOSE_BLOCK && w) {
        heist__object_pool_give(&w->blocks, l);
    } else {
        free(l);
    }
}

static void end_detached(heist__loose *l, heist__worker *w, bool ran)
{
    (void)ran;
    heist__loose_free(w, l);
}

void heist__loose_init(heist__loose *l, heist__scope_core *core)
{
    l->core = core;
    l->from = NULL;
    l->end = end_detached;
}

void heist__call_init(heist__call *call, size_t size, heist_function *function, void *argument, heist__scope_core *core)
{
    heist__loose_init(&call->loose, core);
    call->loose.size = size;
    call->loose.task = &call->plain.task;
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
    bool run = heist__load_acquire(&pool->state) != HEIST__POOL_CANCELLING; /* S2: pairs with end_pool's store */
    if (run) {
        heist__level_enter(w, core, l->from);
        uint64_t waits_on = heist__load_relaxed(&w->waits_on); /* relaxed: own; as in heist__run_stolen */
        heist__store_release(&w->waits_on, 0);                 /* J1: pairs with leapfrog's look */
        l->task->run(&w->frames.face, heist__bottom_of(w), l->task);
        heist__level_leave(w);
        heist__store_release(&w->waits_on, waits_on); /* J1 */
        heist__count(&w->counters.detached);
    } else {
        heist__add_relaxed(&pool->cancelled, 1);           /* relaxed: read after the detector is quiet, T1 */
        if (core) heist__store_relaxed(&core->dropped, 1); /* relaxed: likewise */
    }
    l->end(l, w, run);
    heist__count_finished(pool, w, core);
}

int heist__loose_give(heist_pool *pool, heist__loose *l, long patience_ms)
{
    heist__worker *w = heist__self();
    heist__scope_core *core = l->core;
    if (!w || w->pool != pool) return heist__submit(pool, &(heist__parcel){.content = l}, core, patience_ms);
    heist__count_created(pool, w, core);
    if (heist_deque_push(w->loose, l) < 0) {
        heist__count_finished(pool, w, core);
        heist__tell_waiters(pool);
        return heist__fail(-ENOMEM, "no memory for a larger deque");
    }
    heist__notice(w);
    return 0;
}
