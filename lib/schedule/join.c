/* The rare part of a join: the child was stolen, or is not the youngest, or a thief is about.
 *
 * A worker that waits for a stolen child runs nothing but descendants of that child: it steals back from the thief, and
 * if the thief itself waits, from the thief's thief, and so on (leapfrogging). What lies on one worker's stack is
 * therefore always one path of the spawn tree, from older to younger. Edges:
 *
 *   J1  thief says that it has the task, after its own level and waits_on say so  -> the waiter that reads the state
 *   J2  the task's result is written                                             -> the waiter that reads "done"
 *   J3  done before children_done is counted up                                  -> the waiter that sleeps, or follows
 *   J4  done, and counted, before the thief's top gets a new tag                 -> a leapfrogger's CAS on that top
 *
 * A leapfrogger reads the thief's top, then checks that the task it waits for is unfinished, then takes with a CAS on that
 * top. If the thief finished in between, J4 has changed the tag. So what it gets descends from the task. Following
 * waits_on, "unfinished" is told by children_done of the one that waits, which J3 counts up before J4.
 *
 * A thief that leapfrogs itself says meanwhile that it waits for nobody, since what it said before is older than what it
 * runs. So the chain breaks there for as long as that task runs, and who stands before it waits; others can steal. */
#include "schedule/join.h"

#include "idle/pace.h"
#include "platform/futex.h"
#include "schedule/worker.h"

/* The longest sleep before a waiter looks again for something to steal back. */
#define LONGEST_NAP_NS 10000000

heist_steal heist__steal_child(heist__worker *victim, uint64_t seen, uint32_t floor, heist__stolen *stolen)
{
    heist_steal outcome = heist__frames_offer(&victim->frames, seen, floor);
    if (outcome != HEIST_STEAL_GOT) return outcome;
    stolen->home = victim;
    stolen->core = heist__scope_at(victim, (uint32_t)seen, &stolen->from); /* right if the task is still there */
    return heist__frames_take(&victim->frames, seen, &stolen->task);
}

void heist__run_stolen(heist__worker *w, const heist__stolen *stolen)
{
    heist_task *task = stolen->task;
    heist__worker *home = stolen->home;
    heist__level_enter(w, stolen->core, stolen->from);
    uint64_t waits_on = heist__load_relaxed(&w->waits_on);                            /* relaxed: own */
    heist__store_relaxed(&w->waits_on, 0);                                            /* relaxed: J1 publishes it */
    heist__store_release(&task->state, HEIST__TASK_TAKEN | (uintptr_t)w->index << 3); /* J1 */
    task->run(&w->frames.face, heist__bottom_of(w), task);
    heist__count(&w->counters.stolen_run);
    heist__store_release(&task->state, HEIST__TASK_DONE); /* J2: last touch of *task */
    heist__add_seq_cst(&home->children_done, 1);          /* J3 */
    heist__frames_renew(&w->frames);                      /* J4 */
    heist__level_leave(w);
    heist__store_release(&w->waits_on, waits_on); /* J3: after the count, so that who follows it finds it over */
    if (heist__load_seq_cst(&home->join_asleep)) heist__futex_wake(&home->children_done, 1); /* J3 */
}

/* A step of the chain from a waiter to whom it may rob: `by` waits for `seen`. */
typedef struct {
    heist__worker *by; /* NULL: the caller itself, for `task` */
    heist_task *task;
    uint64_t seen;
} link;

/* Whether that wait still goes on. */
static bool link_holds(const link *l)
{
    if (!l->by) return heist__load_acquire(&l->task->state) == l->seen; /* J2 */
    return heist__load_acquire(&l->by->waits_on) == l->seen &&
           heist__load_acquire(&l->by->children_done) == (uint32_t)(l->seen >> 16); /* J3 */
}

static heist__worker *link_thief(const heist__worker *w, const link *l)
{
    return w->pool->workers[l->by ? (l->seen & 0xffff) - 1 : l->seen >> 3];
}

/* Steals a descendant of `task`, which is in state `taken`, and runs it. False: there was none to be had. */
static bool leapfrog(heist__worker *w, heist_task *task, uintptr_t taken)
{
    if (!heist__level_room(w)) return false;
    link l = {NULL, task, taken};
    for (unsigned hops = 0; hops < w->pool->count; hops++) {
        heist__worker *thief = link_thief(w, &l);
        if (thief == w) return false;
        uint64_t top = heist__frames_look(&thief->frames);
        uint32_t floor = heist__level_floor(thief);
        if (!link_holds(&l)) return false;
        heist__stolen found;
        heist_steal outcome = heist__steal_child(thief, top, floor, &found);
        if (outcome == HEIST_STEAL_LOST) return false;
        if (outcome == HEIST_STEAL_GOT) {
            heist__count(&w->counters.leapfrogs);
            heist__run_stolen(w, &found);
            return true;
        }
        uint64_t next = heist__load_acquire(&thief->waits_on); /* J1: as it was set within the task, or 0 */
        if (next == 0 || !link_holds(&l)) return false;
        l = (link){thief, NULL, next};
    }
    return false;
}

/* Tells leapfroggers whom this worker waits for. */
static void say_waits_on(heist__worker *w, heist_task *task, uintptr_t taken)
{
    uint64_t done = heist__load_acquire(&w->children_done); /* J3: read before the state */
    if (heist__load_acquire(&task->state) != taken) return; /* J2 */
    /* J1: pairs with leapfrog's look at waits_on; the count in it is J3's. */
    heist__store_release(&w->waits_on, done << 16 | ((taken >> 3) + 1));
}

/* Sleeps until a child finishes, or for `nap_ns`. */
static void sleep_until_done(heist__worker *w, heist_task *task, int64_t nap_ns)
{
    heist__store_seq_cst(&w->join_asleep, 1);                    /* J3: before the looks below */
    uint32_t done = heist__load_seq_cst(&w->children_done);      /* J3: the futex compares it */
    if (heist__load_acquire(&task->state) != HEIST__TASK_DONE) { /* J2 */
        heist__count(&w->counters.parks);
        heist__futex_wait(&w->children_done, done, nap_ns);
    }
    heist__store_seq_cst(&w->join_asleep, 0); /* J3: seen late it costs a wake in vain */
}

static void wait_for_stolen(heist__worker *w, heist_task *task)
{
    heist__backoff backoff;
    heist__backoff_begin(&backoff, heist__waiting_spin(w));
    int64_t nap_ns = 50000;
    for (;;) {
        uintptr_t state = heist__load_acquire(&task->state); /* J1, J2 */
        if (state == HEIST__TASK_DONE) break;
        bool taken = state & HEIST__TASK_TAKEN; /* else its thief is just about to say so */
        if (taken && leapfrog(w, task, state)) {
            heist__backoff_begin(&backoff, heist__waiting_spin(w));
            nap_ns = 50000;
            continue;
        }
        if (taken) say_waits_on(w, task, state);
        if (heist__backoff_wait_for(&backoff, &w->random, &task->state, HEIST__TASK_DONE) == HEIST__PARK) {
            sleep_until_done(w, task, nap_ns);
            if (nap_ns < LONGEST_NAP_NS) nap_ns *= 2;
        }
    }
    heist__store_release(&w->waits_on, 0); /* J1: as in heist__run_stolen */
}

/* Whether `task` lies in the deque, as far as the owner knows; *slot is where. */
static bool in_deque(heist__worker *w, heist_slot *bottom, heist_task *task, heist_slot **slot)
{
    uintptr_t state = heist__load_acquire(&task->state); /* J1, J2: a thief may have written it */
    if (state < 4096) return false;                      /* no address: taken, done */
    *slot = (heist_slot *)state;
    /* A thief that is slow to say that it has the task leaves an old address; the slot may hold another by now. */
    return *slot >= w->frames.slots && *slot < bottom && heist__load_relaxed(*slot) == task; /* relaxed: own */
}

/* Takes `task` out of the deque if no thief did; `*bottom` is then one lower. */
static bool take_back(heist__worker *w, heist_slot **bottom, heist_task *task)
{
    heist_slot *slot;
    if (!in_deque(w, *bottom, task, &slot)) return false;
    if (slot != *bottom - 1) {
        bool mine = heist__frames_take_out(&w->frames, slot, *bottom);
        heist__notice(w); /* younger ones were out of sight for a moment */
        *bottom -= mine;
        return mine;
    }
    heist__store_release(&w->frames.face.bottom, slot); /* D2 */
    heist__compiler_barrier();                          /* D2 */
    if (heist__load_relaxed(&w->frames.face.pop_gate) <= slot ||
        heist__frames_claim(&w->frames, slot)) { /* relaxed: D2 */
        *bottom = slot;
        return true;
    }
    heist__store_release(&w->frames.face.bottom, *bottom); /* D1: as it was, now empty */
    return false;
}

/* Not inline: what it needs of the stack would otherwise be part of every level of a recursion through the join below. */
__attribute__((noinline)) static heist_slot *join_stolen(heist__worker *w, heist_slot *bottom, heist_task *task)
{
    heist__store_release(&w->frames.face.bottom, bottom); /* D1: heist__pop may have lowered it */
    heist__count(&w->counters.joins_stolen);
    wait_for_stolen(w, task);
    bottom = heist__frames_absorb(&w->frames, bottom);
    heist__notice(w);
    return bottom;
}

heist_slot *heist__join_slow(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    heist__worker *w = heist__worker_of(face);
    if (heist__load_relaxed(&task->state) == HEIST__TASK_RAN) return bottom; /* relaxed: own */
    if (!take_back(w, &bottom, task)) return join_stolen(w, bottom, task);
    heist__count(&w->counters.joins_slow);
    task->run(face, bottom, task);
    return bottom;
}
