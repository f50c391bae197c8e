/* The rare part of a join: the child was stolen, or is not the youngest, or a thief tries to steal.
 *
 * A worker that waits for a stolen child runs nothing but descendants of that child: it steals back from the thief, and
 * if the thief itself waits, from the thief's thief, and so on (leapfrogging). So the tasks on one worker's stack are
 * always one path of the spawn tree, from older to younger. Edges:
 *
 *   J1  the thief's own nesting and waits_on, then "taken" in the task's state    -> the waiter that reads the state
 *   J2  the task's result is written                                             -> the waiter that reads "done"
 *   J3  done before children_done is counted up                                  -> the waiter that sleeps, or follows
 *   J4  done, and counted, before the thief's top gets a new tag                 -> a leapfrogger's CAS on that top
 *
 * A leapfrogger reads the thief's top, then checks that the task it waits for is unfinished, then takes with a CAS on
 * that top. If the thief finished in between, J4 has changed the tag. So the task it gets descends from the task it
 * waits for. Following waits_on, "unfinished" is told by children_done of the worker that waits, which J3 counts up
 * before J4.
 *
 * A thief that leapfrogs itself says meanwhile that it waits for no worker, since the wait it named before is older
 * than the task it runs. So the chain breaks there for as long as that task runs. The workers before the break wait;
 * other workers can steal. */
#include "schedule/join.h"

#include "idle/backoff.h"
#include "platform/futex.h"
#include "schedule/await.h"
#include "schedule/join_policy.h"
#include "schedule/misuse.h"
#include "schedule/nesting.h"
#include "schedule/pool.h"
#include "schedule/spawn.h"
#include "schedule/steal.h"
#include "schedule/stress.h"
#include "schedule/worker.h"

/* A step of the chain from a waiter to the worker it may steal from: `by` waits for `seen`. */
typedef struct {
    heist__worker *by; /* NULL: the caller itself, for `task` */
    heist_task *task;
    uint64_t seen;
} link;

/* Whether the wait that the link describes still goes on. */
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

/* Steals a descendant of `task`, which is in state `taken`, and runs it; the wait is interrupted meanwhile. False: no
 * descendant could be stolen. */
static bool leapfrog(heist__worker *w, heist_task *task, uintptr_t taken, uint64_t *waiting_since)
{
    if (!heist__nesting_room(w)) return false;
    link l = {NULL, task, taken};
    for (unsigned hops = 0; hops < w->pool->count; hops++) {
        heist__worker *thief = link_thief(w, &l);
        if (thief == w) return false;
        uint64_t top = heist__task_deque_look(&thief->tasks);
        uint32_t floor = heist__nesting_floor(thief);
        if (!link_holds(&l)) return false;
        heist__stolen found;
        heist__leap leap = heist__leap_after(heist__steal_child(thief, top, floor, &found));
        if (leap == HEIST__LEAP_STOP) return false;
        if (leap == HEIST__LEAP_RUN) {
            heist__count(&w->counters.leapfrogs);
            heist__join_wait_end(&w->counters, waiting_since);
            heist__run_stolen(w, &found);
            return true;
        }
        uint64_t next = heist__load_acquire(&thief->waits_on); /* J1: as it was set within the task, or 0 */
        if (next == 0 || !link_holds(&l)) return false;
        l = (link){thief, NULL, next};
    }
    return false;
}

bool heist__leapfrog(heist__worker *w, heist_task *task, uintptr_t taken)
{
    uint64_t not_timed = 0;
    return leapfrog(w, task, taken, &not_timed);
}

/* Tells leapfroggers which thief this worker waits for. */
static void say_waits_on(heist__worker *w, heist_task *task, uintptr_t taken)
{
    uint64_t done = heist__load_acquire(&w->children_done); /* J3: read before the state */
    if (heist__load_acquire(&task->state) != taken) return; /* J2 */
    /* J1: pairs with leapfrog's look at waits_on; the count in it is J3's. */
    heist__store_release(&w->waits_on, done << 16 | ((taken >> 3) + 1));
}

/* Sleeps until a child finishes, or for `nap_ns`. */
static void sleep_until_done(heist__worker *w, heist_task *task, int64_t nap_ns, uint64_t *waiting_since)
{
    heist__store_seq_cst(&w->join_asleep, 1);                    /* J3: before the looks below */
    uint32_t done = heist__load_seq_cst(&w->children_done);      /* J3: the futex compares it */
    if (heist__load_acquire(&task->state) != HEIST__TASK_DONE) { /* J2 */
        uint64_t began = heist__stats_now();
        heist__count(&w->counters.parks);
        heist__join_wait_end(&w->counters, waiting_since);
        heist__futex_wait(&w->children_done, done, nap_ns);
        heist__interval_of(&w->counters.join_sleeping, began, heist__stats_now());
    }
    heist__store_seq_cst(&w->join_asleep, 0); /* J3: seen late it costs a needless wake */
}

/* Whether no thief has `task`, though the task is not in the deque: then it was joined before, or never spawned. The
 * deque's top counts every stolen child of this worker until the child is joined. children_done counts the child when
 * it has finished. Where both counts agree, all stolen children have finished, and the state of each says so. The owner
 * has seen top rise over a child before the owner waits for that child. */
static bool nobody_has(heist__worker *w, heist_task *task)
{
    uint32_t done = heist__load_acquire(&w->children_done); /* J3: before the look at top, and at the state */
    if (done - w->children_joined != (uint32_t)heist__task_deque_look(&w->tasks)) return false;
    uintptr_t state = heist__load_acquire(&task->state); /* J2 */
    return state != HEIST__TASK_DONE && !(state & HEIST__TASK_TAKEN);
}

/* Waits until the thief of `task` has finished it. False: no thief has it. */
static bool wait_for_stolen(heist__worker *w, heist_task *task)
{
    heist__backoff backoff;
    heist__backoff_begin(&backoff, heist__waiting_spin(w));
    int64_t nap_ns = HEIST__FIRST_NAP_NS;
    uint64_t waiting_since = 0;
    for (;;) {
        uintptr_t state = heist__load_acquire(&task->state); /* J1, J2 */
        if (state == HEIST__TASK_DONE) break;
        heist__join_wait_begin(&waiting_since);
        bool taken = state & HEIST__TASK_TAKEN; /* else the thief is just about to write that */
        if (!taken && nobody_has(w, task)) return false;
        if (taken && leapfrog(w, task, state, &waiting_since)) {
            heist__backoff_begin(&backoff, heist__waiting_spin(w));
            nap_ns = HEIST__FIRST_NAP_NS;
            continue;
        }
        if (taken) say_waits_on(w, task, state);
        if (heist__backoff_wait_for(&backoff, &w->random, &task->state, HEIST__TASK_DONE) == HEIST__PARK) {
            sleep_until_done(w, task, nap_ns, &waiting_since);
            nap_ns = heist__next_nap(nap_ns);
        }
    }
    heist__store_release(&w->waits_on, 0); /* J1: as in heist__run_stolen */
    heist__join_wait_end(&w->counters, &waiting_since);
    return true;
}

/* Whether `task` lies in the deque, as far as the owner knows; *slot is then its slot. */
static bool in_deque(heist__worker *w, heist_slot *bottom, heist_task *task, heist_slot **slot)
{
    uintptr_t state = heist__load_acquire(&task->state); /* J1, J2: a thief may have written it */
    if (!heist__is_slot(&w->tasks, state)) return false; /* taken, or done */
    *slot = (heist_slot *)state;
    /* A thief that has not yet written that it has the task leaves an old address; the slot may hold another task by
     * now. */
    return *slot < bottom && heist__load_relaxed(*slot) == task; /* relaxed: own */
}

/* Takes `task` out of the deque if no thief has taken it; `*bottom` is then one lower. */
static bool take_back(heist__worker *w, heist_slot **bottom, heist_task *task)
{
    heist_slot *slot;
    if (!in_deque(w, *bottom, task, &slot)) return false;
    if (slot != *bottom - 1) {
        bool mine = heist__task_deque_take_out(&w->tasks, slot, *bottom);
        heist__notice(w); /* younger tasks were out of sight for a moment */
        *bottom -= mine;
        return mine;
    }
    if (heist__task_deque_pop(&w->tasks, slot)) {
        *bottom = slot;
        return true;
    }
    heist__store_release(&w->tasks.face.bottom, *bottom); /* D1: as it was, now empty */
    return false;
}

/* Not inline: its stack frame would otherwise be part of every level of a recursion through the join below. */
__attribute__((noinline)) static heist_slot *join_stolen(heist__worker *w, heist_slot *bottom, heist_task *task)
{
    heist__store_release(&w->tasks.face.bottom, bottom); /* D1: heist__pop may have lowered it */
    heist__expect(w, bottom);
    if (!w->pool || !wait_for_stolen(w, task)) { /* no pool: a stand-in has no thieves */
        heist__joined_in_vain();
        return bottom;
    }
    heist__count(&w->counters.joins_stolen);
    heist__store_relaxed(&task->state, HEIST__TASK_JOINED); /* relaxed: no thief touches it any more */
    bottom = heist__task_deque_absorb(&w->tasks, bottom);
    heist__expect(w, bottom);
    w->children_joined++;
    heist__notice(w);
    return bottom;
}

heist_slot *heist__join_slow(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    heist__worker *w = heist__worker_of(face);
    uintptr_t state = heist__load_relaxed(&task->state); /* relaxed: the two words below are this thread's own */
    if (state == HEIST__TASK_JOINED) heist__joined_in_vain();
    if (state == HEIST__TASK_JOINED || state == HEIST__TASK_RAN) {
        heist__store_release(&w->tasks.face.bottom, bottom); /* D1: heist__pop may have lowered it */
        return bottom;
    }
    if (heist__stressed(w)) heist__stress_delay(w);
    if (!take_back(w, &bottom, task)) return join_stolen(w, bottom, task);
    heist__count(&w->counters.joins_slow);
    heist__expect(w, bottom);
    task->run(face, bottom, task);
    /* As in heist__run_task. A stand-in has no pool, and heist__self never returns one. */
    if (heist__leaves_children(w, bottom) && (!w->pool || heist__self() == w)) heist__children_left(w, bottom, task);
    heist__store_relaxed(&task->state, HEIST__TASK_JOINED); /* relaxed: no thief has seen it */
    return bottom;
}
