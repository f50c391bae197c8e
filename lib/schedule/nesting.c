/* The nestings of a worker: a stack of the tasks that it took from elsewhere and has not finished. Thieves read it to
 * learn which scope a stolen task belongs to, and which slots descend from the worker's current task.
 *
 * Why a thief may read it while it changes: as long as slot n holds its task, every entry that is added has a base
 * above n, and the entry with the largest base not above n stays. So whatever values the thief reads in the entries
 * above, it goes on to the right one. It reads before it takes the task: the CAS on top that takes the task fails if
 * the slot was given up meanwhile. */
#include "schedule/nesting.h"

#include "schedule/pool.h"
#include "schedule/run.h"
#include "schedule/worker.h"

/* Entries that can be used from the beginning, and stay when deep work has ended. */
#define FIRST_NESTINGS 256

static void count_room(heist__worker *w)
{
    size_t room = w->nesting_memory.usable / sizeof *w->nestings;
    w->nesting_room = room < w->pool->nestings ? (uint32_t)room : w->pool->nestings;
}

int heist__nestings_init(heist__worker *w)
{
    size_t one = sizeof *w->nestings;
    int error = heist__reserve_make(&w->nesting_memory, w->pool->nestings * one, FIRST_NESTINGS * one);
    if (error) return error;
    w->nestings = (heist__nesting *)(void *)w->nesting_memory.start;
    count_room(w);
    return 0;
}

void heist__nestings_trim(heist__worker *w)
{
    heist__reserve_trim(&w->nesting_memory, FIRST_NESTINGS * sizeof *w->nestings);
}

void heist__nestings_destroy(heist__worker *w)
{
    heist__reserve_free(&w->nesting_memory);
    w->nestings = NULL;
}

bool heist__nesting_room(heist__worker *w)
{
    uint32_t depth = heist__load_relaxed(&w->depth); /* relaxed: own */
    if (depth < w->nesting_room) return true;
    if (depth >= w->pool->nestings || !heist__reserve_grow(&w->nesting_memory)) return false;
    count_room(w);
    return true;
}

/* Counts the tasks of the scope that lie on the worker's stack. */
static void count_on_stack(heist__worker *w, heist__scope_core *core, uint32_t change)
{
    HEIST__ATOMIC(uint32_t) *on_stack = &core->detector.tallies[w->index].on_stack;
    heist__store_relaxed(on_stack, heist__load_relaxed(on_stack) + change); /* relaxed: own; see heist__runs_within */
}

uintptr_t heist__code_of(const heist_task *task)
{
    if (task->run != heist__run_plain) return (uintptr_t)task->run;
    return (uintptr_t)((const struct heist__plain *)(const void *)task)->function;
}

/* relaxed: own, or constant as long as the run that it is part of goes on */
static heist__origin origin_of(heist__nesting *level)
{
    return (heist__origin){heist__load_relaxed(&level->from), heist__load_relaxed(&level->from_depth)};
}

void heist__nesting_enter(heist__worker *w, const heist_task *task, heist__scope_core *core, heist__origin from)
{
    uint32_t depth = heist__load_relaxed(&w->depth); /* relaxed: own */
    heist__nesting *level = &w->nestings[depth];
    if (core) count_on_stack(w, core, 1);
    if (!from.worker && depth) from = origin_of(&level[-1]);
    heist__store_relaxed(&level->core, core); /* relaxed: L1 publishes all five */
    heist__store_relaxed(&level->code, heist__code_of(task));
    heist__store_relaxed(&level->from, from.worker);
    heist__store_relaxed(&level->from_depth, from.depth);
    heist__store_relaxed(&level->base, heist__task_deque_number(&w->tasks, heist__bottom_of(w)));
    heist__store_release(&w->depth, depth + 1); /* L1. Pairs with the loads of depth below. */
}

void heist__nesting_returned(heist__worker *w, heist__scope_core *core)
{
    if (core) count_on_stack(w, core, (uint32_t)-1);
}

void heist__nesting_leave(heist__worker *w)
{
    heist__store_release(&w->depth, heist__load_relaxed(&w->depth) - 1); /* L2: after J4, see join.c; relaxed: own */
}

heist__scope_core *heist__scope_now(heist__worker *w)
{
    uint32_t depth = heist__load_relaxed(&w->depth); /* relaxed: own */
    return depth ? heist__load_relaxed(&w->nestings[depth - 1].core) : NULL;
}

heist__scope_core *heist__scope_at(heist__worker *victim, uint32_t number, heist__origin *from)
{
    uint32_t depth = heist__load_acquire(&victim->depth); /* L1 */
    /* relaxed: see the head of this file */
    while (depth > 0 && heist__load_relaxed(&victim->nestings[depth - 1].base) > number) depth--;
    *from = depth ? origin_of(&victim->nestings[depth - 1]) : (heist__origin){NULL, 0};
    return depth ? heist__load_relaxed(&victim->nestings[depth - 1].core) : NULL;
}

heist__origin heist__origin_now(heist__worker *w)
{
    return (heist__origin){w, w ? heist__load_relaxed(&w->depth) : 0}; /* relaxed: own */
}

/* The waiter of the run at this place. It waits until that run's root has ended, so it is there. The entries below it
 * and its counts were published when the root was given, and do not change meanwhile. Each step goes to an older run,
 * so a chain of them ends. */
static heist__origin waits_for_this(heist__origin at)
{
    return at.depth ? origin_of(&at.worker->nestings[at.depth - 1]) : (heist__origin){NULL, 0};
}

bool heist__runs_for(heist__worker *w, const heist_pool *pool)
{
    heist__origin at = heist__origin_now(w);
    while (at.worker && at.worker->pool != pool) at = waits_for_this(at);
    return at.worker;
}

bool heist__runs_within(heist__worker *w, const heist_pool *pool, const heist__scope_core *core)
{
    for (heist__origin at = heist__origin_now(w); at.worker; at = waits_for_this(at)) {
        /* Only workers of its pool run tasks of a scope. The count is of all tasks on the worker's stack: those above
         * `at` belong to the same thread as the caller. relaxed: as in origin_of */
        if (at.worker->pool == pool && heist__load_relaxed(&core->detector.tallies[at.worker->index].on_stack))
            return true;
    }
    return false;
}

uint32_t heist__nesting_floor(heist__worker *w)
{
    uint32_t depth = heist__load_acquire(&w->depth);                      /* L1, L2 */
    return depth ? heist__load_relaxed(&w->nestings[depth - 1].base) : 0; /* relaxed: see join.c */
}
