/* Waiting for quiescence. A waiter takes a place, says there what it waits for, passes a heavy barrier, then looks: a finisher that
 * counts after that look sees the place (T4). Finishers look only when they run out of tasks of the same scope.
 *
 * At each place one finisher looks at a time. Others have better things to do: they leave word, and who looks looks again (T6). Places
 * are never freed before the pool, so that anybody may come to one at any time; what the waiter waits for may be freed as soon as
 * it has left, so it does not leave while somebody looks (T7). Who stands still while it looks thus keeps one waiter, and nobody else. */
#include "schedule/worker.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "idle/backoff.h"
#include "idle/linger.h"
#include "platform/barrier.h"
#include "platform/futex.h"

/* How often a waiter looks whether it may leave before it lets others run. */
#define LEAVING_PAUSES 64

enum { NOBODY_LOOKS, LOOKS, LOOKS_AGAIN };

/* Tells the waiter if it is over. */
static void look_for(heist__waiter *waiter)
{
    bool over = false;
    uint32_t looks;
    if (heist__exchange_seq_cst(&waiter->looker, LOOKS_AGAIN) != NOBODY_LOOKS) return; /* T6: after counting */
    do {
        /* T6: brings with it the counts of those that left word. T7: before the detector is read. */
        heist__exchange_seq_cst(&waiter->looker, LOOKS);
        const heist__detector *detector = heist__load_seq_cst(&waiter->detector); /* T7 */
        /* relaxed: who looked before brought it along */
        if (detector && !heist__load_relaxed(&waiter->quiet) && heist__detector_quiet(detector)) {
            heist__store_release(&waiter->quiet, 1); /* T5. Pairs with the waiter's load. */
            over = true;
        }
        looks = LOOKS;
    } while (!heist__cas_seq_cst(&waiter->looker, &looks, NOBODY_LOOKS)); /* T6; T7: last touch of the detector */
    if (over) heist__futex_wake(&waiter->quiet, 1); /* maybe another's by now; that does no harm */
}

void heist__tell_waiters(heist_pool *pool)
{
    heist__compiler_barrier();                            /* T4: the waiter's barrier orders counting and this load */
    if (pool->idle.fenced) heist__fence_seq_cst();        /* T4, fence mode */
    if (heist__load_relaxed(&pool->waiting) == 0) return; /* relaxed: T4 orders it */
    for (heist__waiters *some = &pool->waiters; some; some = heist__load_acquire(&some->more)) { /* T8 */
        for (unsigned i = 0; i < HEIST__PLACES; i++) {
            heist__waiter *waiter = &some->places[i];
            if (heist__load_relaxed(&waiter->detector)) look_for(waiter); /* relaxed: T4 orders it */
        }
    }
}

/* The next places, made if need be. NULL: no memory. */
static heist__waiters *more_places(heist__waiters *some)
{
    heist__waiters *more = heist__load_acquire(&some->more), *made; /* T8 */
    if (more || !(made = calloc(1, sizeof *made))) return more;
    if (heist__cas_acq_rel(&some->more, &more, made)) return made; /* T8: after it was cleared */
    free(made);
    return more;
}

static heist__waiter *take_place(heist_pool *pool)
{
    for (heist__waiters *some = &pool->waiters; some; some = more_places(some)) {
        for (unsigned i = 0; i < HEIST__PLACES; i++) {
            uint32_t free_one = 0;
            /* T7: after whoever was here before, and its finishers, have left */
            if (heist__cas_acq_rel(&some->places[i].taken, &free_one, 1)) return &some->places[i];
        }
    }
    return NULL;
}

void heist__waiters_forget(heist_pool *pool)
{
    heist__waiters *some = heist__load_relaxed(&pool->waiters.more); /* relaxed: nobody else is here */
    while (some) {
        heist__waiters *more = heist__load_relaxed(&some->more);
        free(some);
        some = more;
    }
    memset(&pool->waiters, 0, sizeof pool->waiters);
    heist__store_relaxed(&pool->waiting, 0); /* relaxed: as above */
}

bool heist__waiter_begin(heist_pool *pool, const heist__detector *detector, heist__waiter **place)
{
    heist__waiter *waiter = *place = take_place(pool);
    if (!waiter) return false;
    heist__store_relaxed(&waiter->quiet, 0); /* relaxed: the next store publishes it */
    /* T7: pairs with look_for's load, after which quiet is seen as 0 */
    heist__store_release(&waiter->detector, detector);
    heist__add_relaxed(&pool->waiting, 1);          /* relaxed: T4 orders it */
    return heist__heavy_barrier(pool->idle.fenced); /* T4 */
}

void heist__waiter_end(heist_pool *pool, heist__waiter *waiter)
{
    if (!waiter) return;
    heist__store_seq_cst(&waiter->detector, NULL); /* T7: who comes to look after this sees it */
    for (unsigned looks = 0; heist__load_seq_cst(&waiter->looker) != NOBODY_LOOKS; looks++) { /* T7 */
        if (looks < LEAVING_PAUSES) {
            heist__pause();
        } else {
            sched_yield();
        }
    }
    heist__add_relaxed(&pool->waiting, (uint32_t)-1); /* relaxed: too many are looked for, not too few */
    heist__store_release(&waiter->taken, 0);          /* T7: last touch of *waiter */
}

bool heist__waiter_sleep(heist__waiter *waiter, int64_t nap_ns)
{
    HEIST__ATOMIC(uint32_t) nobody_tells = 0;
    heist__futex_wait(waiter ? &waiter->quiet : &nobody_tells, 0, nap_ns);
    return waiter && heist__load_acquire(&waiter->quiet); /* T5 */
}

void heist__wait_outside(heist_pool *pool, const heist__detector *detector)
{
    heist__waiter *waiter;
    int64_t nap_ns = heist__waiter_begin(pool, detector, &waiter) ? -1 : 1000000;
    const unsigned spare = nap_ns < 0 ? heist__spare_here(pool) : 0; /* else nobody may tell */
    const bool lingers = spare && !heist__detector_quiet(detector);  /* T1; else nobody will */
    if (lingers) heist__linger_wait(&waiter->quiet, 0, spare);
    while (!heist__detector_quiet(detector) && !heist__waiter_sleep(waiter, nap_ns)) { /* T1 */
    }
    if (lingers) heist__linger_over();
    heist__waiter_end(pool, waiter);
}
