/* Waiting for the detached tasks of a scope. A worker that waits for a scope runs tasks of that scope only.
 *
 * While every task of the scope has begun, the worker has nothing to search for. It sleeps until the scope is quiet, or
 * until another thread creates a task of the scope (T10). While a task of the scope has not begun, the worker searches
 * its own deque, then the deques of the other workers, then the inboxes. A deque gives its elements only in order, so
 * the worker has to move the tasks of other scopes that lie in the way. It moves them to the young end of its own
 * deque, where every thief finds them. It moves one batch at a time, as a thief that steals half does, so no task is
 * out of sight for longer than a steal. The worker searches its own deque in the same way: the deque goes round once.
 *
 * The time of a search is linear in the number of tasks that lie in the way. One wait looks at none of these tasks
 * twice, unless another thread moves the task. */
#include "schedule/scope_wait.h"

#include "idle/backoff.h"
#include "schedule/job.h"
#include "schedule/nesting.h"
#include "schedule/pool.h"
#include "schedule/spawn.h"
#include "schedule/submit.h"

/* The most tasks that the worker moves at once: as many as a thief takes (search.c). */
#define MOVED_AT_ONCE 32

/* Naps of a worker that searches for a task that is on its way. */
#define SHORTEST_NAP_NS 50000
#define LONGEST_NAP_NS 10000000

/* One wait. The last three members describe the last complete search of the worker's own deque: no task of the scope
 * was there when these counts were taken. */
typedef struct {
    heist__scope_core *core;
    bool may_run; /* there is room on the worker's stack; else the worker only waits */
    bool searched_own;
    uint64_t created;  /* tasks of the scope that this worker created */
    uint64_t gathered; /* w->gathered then, plus the tasks of other scopes that this wait moved since */
} scope_search;

/* ---- the worker's own deque ---- */

static uint64_t created_here(const heist__worker *w, const scope_search *s)
{
    return heist__load_relaxed(&s->core->detector.tallies[w->index].created); /* relaxed: own */
}

/* Whether a task of the scope may have come into the own deque since the worker searched it. A task that this worker
 * has run since then may have created one, or may have waited for another scope and moved one. No other thread puts
 * tasks into this deque. */
static bool own_may_have(const heist__worker *w, const scope_search *s)
{
    return !s->searched_own || s->created != created_here(w, s) || s->gathered != w->gathered;
}

static void put(heist__worker *w, heist__job *l)
{
    if (heist_deque_push(w->jobs, l) == 0) return;
    heist__job_run(w, l); /* no memory: better run than lost */
    heist__tell_waiters(w->pool);
}

/* Puts the tasks in `taken` into the worker's own deque, except one task of the scope, which it returns. The other
 * tasks of the scope come last, at the young end, where the next search finds them. */
static heist__job *keep_one(heist__worker *w, scope_search *s, void **taken, size_t count)
{
    const heist__scope_core *cores[MOVED_AT_ONCE]; /* of other scopes; *l may be gone once it is in the deque */
    size_t ours = 0, foreign = 0;
    for (size_t i = 0; i < count; i++) {
        heist__job *l = taken[i];
        if (l->core == s->core) {
            taken[ours++] = l;
        } else {
            cores[foreign++] = l->core;
            put(w, l);
        }
    }
    s->gathered += foreign;
    w->gathered += foreign + (ours > 1 ? ours - 1 : 0);
    for (size_t i = ours; i > 1; i--) put(w, taken[i - 1]);
    heist__notice(w); /* they were out of sight for a moment. T10: in fence mode it has a fence */
    const heist__scope_core *last = NULL;
    while (foreign > 0) {
        const heist__scope_core *core = cores[--foreign];
        if (core && core != last) heist__waiters_offer(&w->pool->waiters, &core->detector);
        last = core;
    }
    return ours ? taken[0] : NULL;
}

/* Takes the youngest task of the own deque, if that task is of the scope. */
static heist__job *take_youngest(heist__worker *w, scope_search *s)
{
    void *youngest;
    if (heist_deque_pop(w->jobs, &youngest) != HEIST_STEAL_GOT) return NULL;
    return keep_one(w, s, &youngest, 1);
}

static heist__job *search_own(heist__worker *w, scope_search *s)
{
    if (!own_may_have(w, s)) return NULL;
    heist__job *l = take_youngest(w, s);
    void *taken[MOVED_AT_ONCE];
    for (size_t left = heist_deque_size(w->jobs), n; !l && left > 0; left -= n) {
        n = heist_deque_steal_half(w->jobs, taken, left < MOVED_AT_ONCE ? left : MOVED_AT_ONCE);
        if (n == 0 && heist_deque_size(w->jobs)) return NULL; /* thieves are stealing here: search again later */
        if (n == 0) break;
        l = keep_one(w, s, taken, n);
    }
    if (l) return l;
    s->searched_own = true;
    s->created = created_here(w, s);
    s->gathered = w->gathered;
    return NULL;
}

/* ---- the other deques, and the inboxes ---- */

static heist__job *search_victim(heist__worker *w, scope_search *s, heist__worker *victim)
{
    void *taken[MOVED_AT_ONCE];
    for (size_t left = heist_deque_size(victim->jobs), n; left > 0; left -= n) {
        n = heist_deque_steal_half(victim->jobs, taken, left < MOVED_AT_ONCE ? left : MOVED_AT_ONCE);
        if (n == 0) break;
        heist__job *l = keep_one(w, s, taken, n);
        if (l) return l;
        if (!heist__detector_unbegun(&s->core->detector)) break; /* other workers have begun the scope's tasks */
    }
    return NULL;
}

/* Copies a submission that lies in `room` to memory that outlives the search. NULL: no memory. */
static heist__job *keep_call(heist__worker *w, heist__job *l, const heist__call *room)
{
    if (l != &room->job) return l;
    heist__job *kept = heist__job_alloc(w, sizeof room->plain);
    if (kept)
        heist__call_init((heist__call *)(void *)kept, kept->size, room->plain.function, room->plain.argument, l->core);
    return kept;
}

static heist__job *search_inboxes(heist__worker *w, scope_search *s, heist__call *room)
{
    size_t left = 0;
    for (unsigned i = 0; i < w->pool->inbox_count; i++) left += heist__inbox_size(&w->pool->inboxes[i]);
    for (; left > 0; left--) {
        heist__job *l = heist__inbox_find(w, room, 1);
        if (!l || l->core == s->core) return l;
        void *kept = keep_call(w, l, room);
        if (!kept) return l; /* no memory to keep it: better run than lost */
        keep_one(w, s, &kept, 1);
        if (!heist__detector_unbegun(&s->core->detector)) break;
    }
    return NULL;
}

/* Takes a task of the scope, wherever it is. NULL: no deque and no inbox had one when the worker searched it. */
static heist__job *search_everywhere(heist__worker *w, scope_search *s, heist__call *room)
{
    heist__job *l = search_own(w, s);
    for (unsigned i = 1; !l && i < w->pool->count; i++)
        l = search_victim(w, s, w->pool->workers[(w->index + i) % w->pool->count]);
    return l ? l : search_inboxes(w, s, room);
}

/* ---- waiting ---- */

/* Searches a last time, then sleeps until the scope is quiet, or until another thread makes a task of the scope
 * visible. A task that has not begun and was not found is on its way. A thread that puts such a task into a deque
 * without an offer (inbox_find.c and search.c do) prolongs this wait by naps. Returns a task of the scope, or NULL. */
static heist__job *search_or_sleep(heist__worker *w, scope_search *s, heist__call *room, int64_t *nap_ns)
{
    heist__waiters *all = &w->pool->waiters;
    const heist__detector *detector = &s->core->detector;
    heist__job *l = NULL;
    heist__waiter *waiter;
    heist__add_relaxed(&all->hungry, 1); /* relaxed: T10, the barrier in heist__waiter_begin orders it */
    bool sure = heist__waiter_begin(all, w->pool->idle.fenced, detector, &waiter);
    if (!heist__detector_quiet(detector)) {                                  /* T1 */
        const bool wanted = s->may_run && heist__detector_unbegun(detector); /* T10 */
        if (wanted) l = search_everywhere(w, s, room);
        if (!l) {
            heist__count(&w->counters.parks);
            heist__waiter_sleep(waiter, wanted ? *nap_ns : sure ? -1 : LONGEST_NAP_NS);
            *nap_ns = !wanted ? SHORTEST_NAP_NS : *nap_ns < LONGEST_NAP_NS ? *nap_ns * 2 : *nap_ns;
        }
    }
    heist__add_relaxed(&all->hungry, (uint32_t)-1); /* relaxed: seen late it costs a look in vain */
    heist__waiter_end(all, waiter);
    return l;
}

void heist__scope_wait_as_worker(heist__worker *w, heist__scope_core *core)
{
    scope_search s = {.core = core, .may_run = heist__nesting_room(w)};
    heist__backoff backoff;
    heist__backoff_begin(&backoff, heist__waiting_spin(w));
    int64_t nap_ns = SHORTEST_NAP_NS;
    while (!heist__detector_quiet(&core->detector)) { /* T1 */
        heist__call room;
        heist__job *l = NULL;
        if (s.may_run && heist__detector_unbegun(&core->detector)) l = search_everywhere(w, &s, &room);
        if (!l && heist__backoff_wait(&backoff, &w->random) == HEIST__PARK) l = search_or_sleep(w, &s, &room, &nap_ns);
        if (!l) continue;
        heist__job_run(w, l);
        heist__tell_waiters(w->pool);
        heist__backoff_begin(&backoff, heist__waiting_spin(w));
        nap_ns = SHORTEST_NAP_NS;
    }
}
