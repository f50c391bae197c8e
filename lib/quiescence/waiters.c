/* Waiting for quiescence. A waiter takes a place, stores there the detector that it waits for, passes a heavy barrier,
 * then looks. A finisher that counts after that look sees the place (T4). Finishers look only when they run out of
 * tasks of the same scope.
 *
 * At each place one finisher looks at a time. Other finishers do not wait: they leave word, and the looker looks again
 * (T6). Places are never freed before the pool, so that any finisher may come to a place at any time. The detector may
 * be freed as soon as the waiter has left, so the waiter does not leave while a finisher looks (T7). A finisher that
 * stands still while it looks thus delays one waiter, and no other thread. */
#include "quiescence/waiters.h"

#include <stdlib.h>
#include <string.h>

#include "idle/outside_spin.h"
#include "platform/barrier.h"
#include "platform/futex.h"
#include "platform/pause.h"

/* How often a waiter looks whether it may leave before it sleeps. */
#define LEAVING_PAUSES 64

enum { NOBODY_LOOKS, LOOKS, LOOKS_AGAIN };
enum { NOT_QUIET, QUIET, OFFERED };

/* Finisher: looks at a place, and tells the waiter there if its detector is quiet. */
static void look_for(heist__waiter *waiter)
{
    bool over = false;
    uint32_t looks;
    if (heist__exchange_seq_cst(&waiter->looker, LOOKS_AGAIN) != NOBODY_LOOKS) return; /* T6: after counting */
    do {
        /* T6: acquires the counts of the finishers that left word. T7: before the detector is read. */
        heist__exchange_seq_cst(&waiter->looker, LOOKS);
        const heist__detector *detector = heist__load_seq_cst(&waiter->detector); /* T7 */
        /* relaxed: the exchange above acquired the value of the finisher that looked before */
        if (detector && heist__load_relaxed(&waiter->quiet) != QUIET && heist__detector_quiet(detector)) {
            heist__store_release(&waiter->quiet, QUIET); /* T5. Pairs with the waiter's load. */
            over = true;
        }
        looks = LOOKS;
    } while (!heist__cas_seq_cst(&waiter->looker, &looks, NOBODY_LOOKS)); /* T6; T7: last touch of the detector */
    /* Below, the place may belong to another waiter by now. To wake that waiter does no harm. */
    if (heist__load_seq_cst(&waiter->leaving)) heist__futex_wake(&waiter->looker, 1); /* T9: after the look has ended */
    if (over) heist__futex_wake(&waiter->quiet, 1);
}

void heist__waiters_tell(heist__waiters *all, bool fenced)
{
    heist__compiler_barrier();                           /* T4: the waiter's barrier orders counting and this load */
    if (fenced) heist__fence_seq_cst();                  /* T4, fence mode */
    if (heist__load_relaxed(&all->waiting) == 0) return; /* relaxed: T4 orders it */
    for (heist__waiting_room *some = &all->first; some; some = heist__load_acquire(&some->more)) { /* T8 */
        for (unsigned i = 0; i < HEIST__PLACES; i++) {
            heist__waiter *waiter = &some->places[i];
            if (heist__load_relaxed(&waiter->detector)) look_for(waiter); /* relaxed: T4 orders it */
        }
    }
}

void heist__waiters_offer_all(heist__waiters *all, const heist__detector *detector)
{
    for (heist__waiting_room *r = &all->first; r; r = heist__load_acquire(&r->more)) { /* T8 */
        for (unsigned i = 0; i < HEIST__PLACES; i++) {
            heist__waiter *waiter = &r->places[i];
            if (heist__load_relaxed(&waiter->detector) != detector) continue; /* relaxed: T10 orders it */
            uint32_t before = NOT_QUIET;
            /* relaxed: T10 orders it. The place may belong to another waiter by now: that waiter looks in vain. */
            if (heist__cas_relaxed(&waiter->quiet, &before, OFFERED)) heist__futex_wake(&waiter->quiet, 1);
        }
    }
}

/* The next places, made if need be. NULL: no memory. */
static heist__waiting_room *more_places(heist__waiting_room *some)
{
    heist__waiting_room *more = heist__load_acquire(&some->more), *made; /* T8 */
    if (more || !(made = calloc(1, sizeof *made))) return more;
    if (heist__cas_acq_rel(&some->more, &more, made)) return made; /* T8: after it was cleared */
    free(made);
    return more;
}

static heist__waiter *take_place(heist__waiters *all)
{
    for (heist__waiting_room *some = &all->first; some; some = more_places(some)) {
        for (unsigned i = 0; i < HEIST__PLACES; i++) {
            uint32_t free_one = 0;
            /* T7: after the previous waiter of this place, and the finishers that looked for it, have left */
            if (heist__cas_acq_rel(&some->places[i].taken, &free_one, 1)) return &some->places[i];
        }
    }
    return NULL;
}

void heist__waiters_forget(heist__waiters *all)
{
    heist__waiting_room *some = heist__load_relaxed(&all->first.more); /* relaxed: no other thread is here */
    while (some) {
        heist__waiting_room *more = heist__load_relaxed(&some->more);
        free(some);
        some = more;
    }
    memset(all, 0, sizeof *all);
}

bool heist__waiter_begin(heist__waiters *all, bool fenced, const heist__detector *detector, heist__waiter **place)
{
    heist__waiter *waiter = *place = take_place(all);
    if (!waiter) return false;
    heist__store_relaxed(&waiter->quiet, NOT_QUIET); /* relaxed: the next store publishes it */
    /* T7: pairs with look_for's load, after which quiet is seen as 0 */
    heist__store_release(&waiter->detector, detector);
    heist__add_relaxed(&all->waiting, 1); /* relaxed: T4 orders it */
    return heist__heavy_barrier(fenced);  /* T4 */
}

/* Waiter: if a finisher looks, sleeps until that finisher has ended its look. To yield would not do: a finisher of
 * lower priority on the same CPU would never run. */
static void sleep_while_looked_at(heist__waiter *waiter)
{
    heist__store_seq_cst(&waiter->leaving, 1);              /* T9: before the look below */
    uint32_t looker = heist__load_seq_cst(&waiter->looker); /* T9: the futex compares it */
    if (looker != NOBODY_LOOKS) heist__futex_wait(&waiter->looker, looker, -1);
    heist__store_relaxed(&waiter->leaving, 0); /* relaxed: seen late it costs a wake in vain */
}

void heist__waiter_end(heist__waiters *all, heist__waiter *waiter)
{
    if (!waiter) return;
    heist__store_seq_cst(&waiter->detector, NULL); /* T7: a finisher that comes to look after this sees it */
    for (unsigned looks = 0; heist__load_seq_cst(&waiter->looker) != NOBODY_LOOKS; looks++) { /* T7 */
        if (looks < LEAVING_PAUSES) {
            heist__pause();
        } else {
            sleep_while_looked_at(waiter);
        }
    }
    heist__add_relaxed(&all->waiting, (uint32_t)-1); /* relaxed: seen late it costs a look in vain */
    heist__store_release(&waiter->taken, 0);         /* T7: last touch of *waiter */
}

bool heist__waiter_sleep(heist__waiter *waiter, int64_t nap_ns)
{
    HEIST__ATOMIC(uint32_t) nobody_tells = 0;
    heist__futex_wait(waiter ? &waiter->quiet : &nobody_tells, NOT_QUIET, nap_ns);
    uint32_t word = waiter ? heist__load_acquire(&waiter->quiet) : NOT_QUIET; /* T5 */
    /* relaxed: an offer only says that a look is worth while, and one look is enough */
    if (word == OFFERED) heist__cas_relaxed(&waiter->quiet, &word, NOT_QUIET);
    return word == QUIET;
}

void heist__waiters_wait(heist__waiters *all, bool fenced, const heist__detector *detector, unsigned spare)
{
    heist__waiter *waiter;
    int64_t nap_ns = heist__waiter_begin(all, fenced, detector, &waiter) ? -1 : 1000000;
    /* A waiter that finishers may not tell does not spin, nor does a waiter whose detector is quiet. T1 */
    const bool spins = nap_ns < 0 && spare && !heist__detector_quiet(detector);
    if (spins) heist__outside_spin_wait(&waiter->quiet, 0, spare);
    while (!heist__detector_quiet(detector) && !heist__waiter_sleep(waiter, nap_ns)) { /* T1 */
    }
    if (spins) heist__outside_spin_over();
    heist__waiter_end(all, waiter);
}
