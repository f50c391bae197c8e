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

void heist__level_enter(heist__worker *w, heist__scope_core *core, heist__worker *from)
{
    uint32_t depth = heist__load_relaxed(&w->depth); /* relaxed: own */
    heist__run_level *level = &w->levels[depth];
    heist__store_relaxed(&level->core, core); /* relaxed: L1 publishes all three */
    heist__store_relaxed(&level->from, from);
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

heist__scope_core *heist__scope_at(heist__worker *victim, uint32_t number, heist__worker **from)
{
    uint32_t depth = heist__load_acquire(&victim->depth);                                       /* L1 */
    while (depth > 0 && heist__load_relaxed(&victim->levels[depth - 1].base) > number) depth--; /* relaxed: see above */
    *from = depth ? heist__load_relaxed(&victim->levels[depth - 1].from) : NULL;
    return depth ? heist__load_relaxed(&victim->levels[depth - 1].core) : NULL;
}

/* Who waits for the youngest run on the worker's stack. It waits until that run's root has ended, so it is there, and its own
 * levels, which giving the root has published, do not change meanwhile. */
static heist__worker *waits_for_this(heist__worker *w)
{
    heist__worker *from = NULL;
    uint32_t depth = heist__load_relaxed(&w->depth);                                 /* relaxed: own, or see above */
    while (depth > 0 && !from) from = heist__load_relaxed(&w->levels[--depth].from); /* relaxed: as depth */
    return from;
}

bool heist__runs_for(heist__worker *w, const heist_pool *pool)
{
    while (w && w->pool != pool) w = waits_for_this(w);
    return w;
}

bool heist__runs_within(heist__worker *w, const heist__scope_core *core)
{
    for (; w; w = waits_for_this(w)) {
        uint32_t depth = heist__load_relaxed(&w->depth); /* relaxed: as in waits_for_this */
        while (depth > 0) {
            if (heist__load_relaxed(&w->levels[--depth].core) == core) return true; /* relaxed: as depth */
        }
    }
    return false;
}

uint32_t heist__level_floor(heist__worker *w)
{
    uint32_t depth = heist__load_acquire(&w->depth);                    /* L1, L2 */
    return depth ? heist__load_relaxed(&w->levels[depth - 1].base) : 0; /* relaxed: see join.c */
}
