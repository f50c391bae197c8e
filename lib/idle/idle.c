/* Sleeping and waking; idle.h says what, IDLE.md why it loses no wake-up. */
#include "idle/idle.h"

#include "idle/backoff.h"
#include "platform/barrier.h"
#include "platform/futex.h"

/* When a sleep is counted as a long one. */
#define SETTLE_NS 1000000000

static uint32_t seat_of(const heist__sleeper *s)
{
    return heist__load_relaxed(&s->seat); /* relaxed: a hint */
}

/* A searcher looks where it is. */
static void take_seat(heist__idle *idle, heist__sleeper *self)
{
    uint32_t before = seat_of(self), here = heist__crowd_here(&idle->crowd, before);
    if (here == before) return;
    heist__crowd_awake(&idle->crowd, before, -1);
    heist__crowd_searching(&idle->crowd, before, -1);
    heist__store_relaxed(&self->seat, here); /* relaxed: a hint */
    heist__crowd_awake(&idle->crowd, here, 1);
    heist__crowd_searching(&idle->crowd, here, 1);
}

void heist__idle_clear(heist__idle *idle)
{
    /* relaxed: no worker runs; starting the threads publishes it */
    heist__store_relaxed(&idle->asleep, 0);
    heist__store_relaxed(&idle->searching, 0);
    heist__store_relaxed(&idle->standing_by, 0);
    heist__store_relaxed(&idle->ending, 0);
    heist__crowd_clear(&idle->crowd);
    for (unsigned i = 0; i < idle->count; i++) {
        heist__store_relaxed(&idle->sleepers[i]->asleep, 0);
        heist__store_relaxed(&idle->sleepers[i]->seat, HEIST__NO_SEAT);
    }
}

/* Its seat is given up first: who shares it need not leave, too. */
static void move_apart(heist__idle *idle, heist__sleeper *self)
{
    heist__crowd_awake(&idle->crowd, seat_of(self), -1);
    heist__crowd_searching(&idle->crowd, seat_of(self), -1);
    heist__store_relaxed(&self->seat, HEIST__NO_SEAT); /* relaxed: a hint */
    heist__crowd_move(&idle->crowd);
    take_seat(idle, self);
}

bool heist__idle_crowded(heist__idle *idle, heist__sleeper *self)
{
    take_seat(idle, self);
    if (heist__crowd_shares(&idle->crowd, seat_of(self))) move_apart(idle, self);
    return heist__crowd_shares(&idle->crowd, seat_of(self));
}

bool heist__idle_shares(const heist__idle *idle, const heist__sleeper *self)
{
    return heist__crowd_shares(&idle->crowd, seat_of(self));
}

/* Takes back the sleep of `s`, whoever's turn it is. True for exactly one caller per sleep. */
static bool rouse(heist__idle *idle, heist__sleeper *s)
{
    uint32_t word = heist__exchange_seq_cst(&s->asleep, 0); /* I3 */
    if (word == 0) return false;
    heist__add_seq_cst(&idle->asleep, (uint32_t)-1); /* I3: one count, one rousing */
    heist__crowd_awake(&idle->crowd, word - 1, 1);
    heist__crowd_searching(&idle->crowd, word - 1, 1);
    return true;
}

/* Sleeps until woken; or not at all, if there is work. */
static void sleep_unless_work(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)
{
    const uint32_t word = seat_of(self) + 1;
    heist__crowd_awake(&idle->crowd, seat_of(self), -1);
    heist__crowd_searching(&idle->crowd, seat_of(self), -1);
    heist__store_seq_cst(&self->asleep, word);          /* I3: who counts us finds us */
    heist__add_seq_cst(&idle->asleep, 1);               /* I2: before the ring, so that who hears it finds a sleeper */
    heist__add_seq_cst(&idle->searching, (uint32_t)-1); /* I4: from here on a push must wake somebody */
    calls->ring(calls->context);                        /* I1, I2 */
    /* I1: every push is either seen by any_work or has heard the ring. A refused barrier concludes nothing: go on. */
    if (!heist__heavy_barrier(idle->fenced) || calls->any_work(calls->context)) {
        if (rouse(idle, self)) heist__add_seq_cst(&idle->searching, 1);
        return; /* roused by another: that one has counted us as searching */
    }
    heist__crowd_forget(&idle->crowd);
    calls->parks(calls->context);
    heist__futex_wait(&self->asleep, word, SETTLE_NS);
    if (heist__load_acquire(&self->asleep) != 0 && calls->settled) calls->settled(calls->context);
    while (heist__load_acquire(&self->asleep) != 0) heist__futex_wait(&self->asleep, word, -1); /* I3 */
}

/* The naps of who stands by: 4, 8 and 16, some time slices of the system's. Then it takes its turns with the others. Each look about
 * takes the CPU from one that computes, for some 15 microseconds: so they are few, and fewer and fewer. */
#define FIRST_NAPS 4
#define LAST_NAPS 16

/* A searcher for whom there is no CPU looks again in a moment. Until then it is relied upon only where every CPU is taken. */
static void stand_by(heist__idle *idle, heist__sleeper *self)
{
    heist__add_seq_cst(&idle->standing_by, 1); /* I5: at every moment it is counted here or there */
    heist__crowd_awake(&idle->crowd, seat_of(self), -1);
    heist__crowd_searching(&idle->crowd, seat_of(self), -1);
    heist__add_seq_cst(&idle->searching, (uint32_t)-1);
    heist__crowd_watch(&idle->crowd, FIRST_NAPS);
    for (unsigned naps = 2 * FIRST_NAPS; naps <= LAST_NAPS && heist__crowd_full(&idle->crowd); naps *= 2)
        heist__crowd_watch(&idle->crowd, naps);
    heist__crowd_awake(&idle->crowd, seat_of(self), 1);
    heist__crowd_searching(&idle->crowd, seat_of(self), 1);
    heist__add_seq_cst(&idle->searching, 1);
    heist__add_seq_cst(&idle->standing_by, (uint32_t)-1); /* I5: it searches after this */
}

bool heist__idle_sleep(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)
{
    sleep_unless_work(idle, self, calls);
    if (heist__load_relaxed(&idle->ending)) return true; /* relaxed: a hint; who waits in vain waits for milliseconds */
    if (!heist__idle_crowded(idle, self) || !heist__crowd_full(&idle->crowd)) return true;
    stand_by(idle, self);
    return false;
}

void heist__idle_search(heist__idle *idle, heist__sleeper *self)
{
    heist__crowd_searching(&idle->crowd, seat_of(self), 1);
    heist__add_seq_cst(&idle->searching, 1); /* I4: pushes rely on it from here on */
    take_seat(idle, self);
}

/* Whether there is anything that pushes have left to the searcher that is leaving. If not, later ones will look by
 * themselves: this is what a worker does that goes to sleep, and costs less than waking one in vain. */
static bool left_something(const heist__idle *idle, const heist__idle_calls *calls)
{
    if (calls->any_work(calls->context)) return true;
    calls->ring(calls->context);                                                   /* I1, I2 */
    return !heist__heavy_barrier(idle->fenced) || calls->any_work(calls->context); /* I1 */
}

/* Whether others search and can be running, or will do so while there is no CPU for more. `searching`: how many search. */
static bool others_search(const heist__idle *idle, uint32_t searching)
{
    if (searching > heist__crowd_stuck(&idle->crowd)) return true;
    return heist__load_seq_cst(&idle->standing_by) != 0 && heist__crowd_full(&idle->crowd); /* I5 */
}

bool heist__idle_found(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)
{
    heist__crowd_searching(&idle->crowd, seat_of(self), -1);
    /* I4: the last searcher leaves: pushes that relied on it are seen here, or by the one it wakes. */
    uint32_t before = heist__add_seq_cst(&idle->searching, (uint32_t)-1);
    if (others_search(idle, before - 1)) return false;
    if (heist__load_seq_cst(&idle->asleep) == 0) return false; /* I4: who goes to sleep later looks later */
    return left_something(idle, calls) && heist__idle_wake_one(idle);
}

/* Rouses one sleeper if it finds one, `anywhere` or where nobody is awake; the caller has counted it as searching. */
static bool rouse_one(heist__idle *idle, bool anywhere)
{
    unsigned first = heist__load_relaxed(&idle->next) % idle->count; /* relaxed: a hint */
    for (unsigned i = 0; i < idle->count; i++) {
        unsigned at = (first + i) % idle->count;
        heist__sleeper *s = idle->sleepers[at];
        if (!anywhere && !heist__crowd_vacant(&idle->crowd, seat_of(s))) continue;
        if (heist__load_seq_cst(&s->asleep) == 0 || !rouse(idle, s)) continue;
        heist__store_relaxed(&idle->next, at + 1); /* relaxed: a hint */
        heist__futex_wake(&s->asleep, 1);
        return true;
    }
    return false;
}

bool heist__idle_wake_one(heist__idle *idle)
{
    heist__fence_seq_cst(); /* I4: the work made visible before comes before the loads */
    for (;;) {
        if (heist__load_seq_cst(&idle->asleep) == 0) return false;
        uint32_t searching = heist__load_seq_cst(&idle->searching);
        if (others_search(idle, searching)) return false;
        if (!heist__cas_seq_cst(&idle->searching, &searching, searching + 1))
            continue; /* counts for the one to be woken */
        if ((idle->crowd.seats && rouse_one(idle, false)) || rouse_one(idle, true)) return true;
        /* They woke by themselves while we looked. But others may have relied on the searcher that we announced: look again
         * whether somebody sleeps by now. */
        heist__add_seq_cst(&idle->searching, (uint32_t)-1);
        heist__pause();
    }
}

void heist__idle_wake_all(heist__idle *idle)
{
    heist__store_relaxed(&idle->ending, 1); /* relaxed: a hint */
    for (unsigned i = 0; i < idle->count; i++) {
        heist__sleeper *s = idle->sleepers[i];
        if (!rouse(idle, s)) continue;
        heist__add_seq_cst(&idle->searching, 1);
        heist__futex_wake(&s->asleep, 1);
    }
}
