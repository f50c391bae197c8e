/* What a worker is doing: a stack of the tasks that it took from elsewhere and has not finished. Thieves read it to learn
 * which scope a stolen task belongs to, and which slots descend from what the worker does now.
 *
 * Why a thief may read it while it changes: as long as slot n holds its task, every entry that is added has a base above
 * n, and the entry with the largest base not above n stays. So whatever the thief reads of those above, it goes on to the
 * right one. It reads before it takes the task: the CAS on top that takes it fails if the slot was given up meanwhile. */
#include "schedule/worker.h"

bool heist__level_room(heist__worker *w)
{
    return heist__load_relaxed(&w->depth) < w->pool->levels; /* relaxed: own */
}

void heist__level_enter(heist__worker *w, heist__scope_core *core)
{
    uint32_t depth = heist__load_relaxed(&w->depth); /* relaxed: own */
    heist__run_level *level = &w->levels[depth];
    heist__store_relaxed(&level->core, core); /* relaxed: L1 publishes both */
    heist__store_relaxed(&level->base, heist__frames_number(&w->frames, heist__bottom_of(w)));
    heist__store_release(&w->depth, depth + 1); /* L1. Pairs with the loads of depth below. */
}

void heist__level_leave(heist__worker *w)
{
    heist__store_release(&w->depth, heist__load_relaxed(&w->depth) - 1); /* L2: after J4, see join.c; relaxed: own */
}

heist__scope_core *heist__scope_now(heist__worker *w)
{
    uint32_t depth = heist__load_relaxed(&w->depth); /* relaxed: own */
    return depth ? heist__load_relaxed(&w->levels[depth - 1].core) : NULL;
}

heist__scope_core *heist__scope_at(heist__worker *victim, uint32_t number)
{
    uint32_t depth = heist__load_acquire(&victim->depth);                                       /* L1 */
    while (depth > 0 && heist__load_relaxed(&victim->levels[depth - 1].base) > number) depth--; /* relaxed: see above */
    return depth ? heist__load_relaxed(&victim->levels[depth - 1].core) : NULL;
}

uint32_t heist__level_floor(heist__worker *w)
{
    uint32_t depth = heist__load_acquire(&w->depth);                    /* L1, L2 */
    return depth ? heist__load_relaxed(&w->levels[depth - 1].base) : 0; /* relaxed: see join.c */
}
