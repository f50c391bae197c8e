/* Sleeping and waking. idle.h describes it; IDLE.md has the proof that no wake-up is lost. */
#include "idle/idle.h"

#include "idle/lending.h"
#include "idle/wake_policy.h"
#include "platform/barrier.h"
#include "platform/clock.h"
#include "platform/futex.h"
#include "platform/pause.h"

static uint32_t cpu_place_of(const heist__sleeper *s)
{
    return heist__load_relaxed(&s->cpu_place); /* relaxed: a hint */
}

/* Searcher: notes on which CPU it runs. */
static void note_cpu(heist__idle *idle, heist__sleeper *self)
{
    uint32_t before = cpu_place_of(self), here = heist__cpu_occupancy_here(&idle->occupancy, before);
    if (here == before) return;
    heist__cpu_occupancy_awake(&idle->occupancy, before, -1);
    heist__cpu_occupancy_searching(&idle->occupancy, before, -1);
    heist__store_relaxed(&self->cpu_place, here); /* relaxed: a hint */
    heist__cpu_occupancy_awake(&idle->occupancy, here, 1);
    heist__cpu_occupancy_searching(&idle->occupancy, here, 1);
}

void heist__idle_clear(heist__idle *idle)
{
    /* relaxed: no worker runs; starting the threads publishes it */
    heist__store_relaxed(&idle->asleep, 0);
    heist__store_relaxed(&idle->searching, 0);
    heist__store_relaxed(&idle->standing_by, 0);
    heist__store_relaxed(&idle->ending, 0);
    heist__store_relaxed(&idle->wanting, 0);
    heist__store_relaxed(&idle->heir, 0);
    heist__cpu_occupancy_clear(&idle->occupancy);
    for (unsigned i = 0; i < idle->count; i++) {
        heist__store_relaxed(&idle->sleepers[i]->asleep, 0);
        heist__store_relaxed(&idle->sleepers[i]->cpu_place, HEIST__NO_CPU_PLACE);
    }
}

/* Gives up the old place first, so that the other worker on that CPU sees no need to move, too. */
static void migrate(heist__idle *idle, heist__sleeper *self)
{
    heist__cpu_occupancy_awake(&idle->occupancy, cpu_place_of(self), -1);
    heist__cpu_occupancy_searching(&idle->occupancy, cpu_place_of(self), -1);
    heist__store_relaxed(&self->cpu_place, HEIST__NO_CPU_PLACE); /* relaxed: a hint */
    heist__cpu_occupancy_move(&idle->occupancy);
    note_cpu(idle, self);
}

bool heist__idle_crowded(heist__idle *idle, heist__sleeper *self)
{
    note_cpu(idle, self);
    if (heist__cpu_occupancy_shares(&idle->occupancy, cpu_place_of(self))) migrate(idle, self);
    return heist__cpu_occupancy_shares(&idle->occupancy, cpu_place_of(self));
}

bool heist__idle_shares(const heist__idle *idle, const heist__sleeper *self)
{
    return heist__cpu_occupancy_shares(&idle->occupancy, cpu_place_of(self));
}

/* For the statistics. The model has no time (test/model). */
static void note_wake(heist__sleeper *s)
{
#ifdef HEIST__TIME_STANDS_STILL
    (void)s;
#else
    heist__store_relaxed(&s->woken_at, (uint64_t)heist__clock_ns()); /* relaxed: no thread relies on it */
#endif
}

/* Takes back the sleep of `s`. True for exactly one caller per sleep. False, too, if the seat of `s` is lent. */
static bool rouse(heist__idle *idle, heist__sleeper *s)
{
    uint32_t word = heist__load_relaxed(&s->asleep); /* relaxed: the CAS checks it */
    do {
        if (!heist__is_asleep(word)) return false;
    } while (!heist__cas_seq_cst(&s->asleep, &word, 0)); /* I3; K1: after all that a caller did in the lent seat */
    heist__add_seq_cst(&idle->asleep, (uint32_t)-1);     /* I3: one count, one rousing */
    const uint32_t place = (word & HEIST__PLACE_IN_WORD) - 1;
    heist__cpu_occupancy_awake(&idle->occupancy, place, 1);
    heist__cpu_occupancy_searching(&idle->occupancy, place, 1);
    return true;
}

bool heist__idle_rouse_self(heist__idle *idle, heist__sleeper *self)
{
    if (!rouse(idle, self)) return false;
    heist__add_seq_cst(&idle->searching, 1);
    return true;
}

/* Sleeps until a waker comes, or not at all if there is work. `settled`: 0, or HEIST__SETTLED if memory was given back
 * before. True: the thread has woken itself, and gives memory back. */
static bool sleep_unless_work(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls, uint32_t settled)
{
    const uint32_t word = (cpu_place_of(self) + 1) | settled;
    heist__cpu_occupancy_awake(&idle->occupancy, cpu_place_of(self), -1);
    heist__cpu_occupancy_searching(&idle->occupancy, cpu_place_of(self), -1);
    /* I3: a waker that sees the count finds the word. K1: from here on the seat may be lent, and this thread touches
     * nothing of it below. */
    heist__store_seq_cst(&self->asleep, word);
    heist__add_seq_cst(&idle->asleep, 1); /* I2: before the ring, so that a pusher that hears it finds a sleeper */
    heist__add_seq_cst(&idle->searching, (uint32_t)-1); /* I4: from here on a push must wake a worker */
    heist__lending_vacated(idle);                       /* K4 */
    calls->ring(calls->context);                        /* I1, I2 */
    /* I1: every push either is seen by any_work or hears the ring. After a refused barrier that is not certain: search
     * on. */
    if (!heist__heavy_barrier(idle->fenced) || calls->any_work(calls->context)) {
        if (heist__idle_rouse_self(idle, self)) return false;
        /* Another thread has woken this one, and has counted it as searching. Or the seat is lent (K5): the caller in
         * the seat need not look for this work, so another worker is woken for it. */
        heist__idle_wake_one(idle);
    } else {
        heist__cpu_occupancy_forget(&idle->occupancy);
        /* relaxed: one writer. The sleep after the memory was given back continues the first sleep, and is not
         * counted. */
        if (!settled) heist__store_relaxed(&self->parks, heist__load_relaxed(&self->parks) + 1);
    }
    return heist__lending_wait(idle, self, calls);
}

/* A worker that stands by sleeps for 4, 8 and 16 steps, which are some time slices of the system. Then it takes turns
 * with the other workers. Each look takes the CPU from a worker that computes, for some 15 microseconds. So looks are
 * few, and become fewer. */
#define FIRST_STEPS 4
#define LAST_STEPS 16

/* A searcher for which there is no CPU looks again some milliseconds later. Until then wakers rely on it only while
 * every CPU is taken. */
static void stand_by(heist__idle *idle, heist__sleeper *self)
{
    heist__add_seq_cst(&idle->standing_by, 1); /* I5: at every moment it is counted here or in `searching` */
    heist__cpu_occupancy_awake(&idle->occupancy, cpu_place_of(self), -1);
    heist__cpu_occupancy_searching(&idle->occupancy, cpu_place_of(self), -1);
    heist__add_seq_cst(&idle->searching, (uint32_t)-1);
    heist__cpu_occupancy_watch(&idle->occupancy, FIRST_STEPS);
    for (unsigned steps = 2 * FIRST_STEPS; steps <= LAST_STEPS && heist__cpu_occupancy_full(&idle->occupancy);
         steps *= 2)
        heist__cpu_occupancy_watch(&idle->occupancy, steps);
    heist__cpu_occupancy_awake(&idle->occupancy, cpu_place_of(self), 1);
    heist__cpu_occupancy_searching(&idle->occupancy, cpu_place_of(self), 1);
    heist__add_seq_cst(&idle->searching, 1);
    heist__add_seq_cst(&idle->standing_by, (uint32_t)-1); /* I5: it searches after this */
}

bool heist__idle_sleep(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)
{
    for (uint32_t settled = 0; sleep_unless_work(idle, self, calls, settled); settled = HEIST__SETTLED)
        calls->settled(calls->context);
    if (heist__load_relaxed(&idle->ending)) return true; /* relaxed: a hint; seen late it costs milliseconds */
    if (heist__lending_wanted(idle)) return true;        /* a caller wants the seat: do not stand by in it */
    if (!heist__idle_crowded(idle, self) || !heist__cpu_occupancy_full(&idle->occupancy)) return true;
    stand_by(idle, self);
    return false;
}

void heist__idle_search(heist__idle *idle, heist__sleeper *self)
{
    heist__cpu_occupancy_searching(&idle->occupancy, cpu_place_of(self), 1);
    heist__add_seq_cst(&idle->searching, 1); /* I4: pushers rely on this searcher from here on */
    note_cpu(idle, self);
}

/* Whether there is work that pushers have left to the searcher that is leaving. If not, later pushers hear the ring and
 * look by themselves. A worker that goes to sleep does the same. It costs less than waking a worker in vain. */
static bool left_something(const heist__idle *idle, const heist__idle_calls *calls)
{
    if (calls->any_work(calls->context)) return true;
    calls->ring(calls->context);                                                   /* I1, I2 */
    return !heist__heavy_barrier(idle->fenced) || calls->any_work(calls->context); /* I1 */
}

/* Whether other workers search and can be running, or stand by while every CPU is taken. `searching`: how many
 * workers search. */
static bool others_search(const heist__idle *idle, uint32_t searching)
{
    if (heist__searchers_suffice(searching, heist__cpu_occupancy_stuck(&idle->occupancy))) return true;
    return heist__load_seq_cst(&idle->standing_by) != 0 && heist__cpu_occupancy_full(&idle->occupancy); /* I5 */
}

bool heist__idle_found(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)
{
    heist__cpu_occupancy_searching(&idle->occupancy, cpu_place_of(self), -1);
    /* I4: the last searcher leaves. Tasks of pushers that relied on it are seen here, or by the worker that it
     * wakes. */
    uint32_t before = heist__add_seq_cst(&idle->searching, (uint32_t)-1);
    if (others_search(idle, before - 1)) return false;
    if (heist__load_seq_cst(&idle->asleep) == 0) return false; /* I4: a worker that goes to sleep later looks later */
    return left_something(idle, calls) && heist__idle_wake_one(idle);
}

/* Wakes one sleeper if it finds one, `anywhere` or on a CPU where no worker is awake. The caller has counted the
 * sleeper as searching. */
static bool rouse_one(heist__idle *idle, bool anywhere)
{
    unsigned first = heist__load_relaxed(&idle->next) % idle->count; /* relaxed: a hint */
    for (unsigned i = 0; i < idle->count; i++) {
        unsigned at = heist__wake_turn(first, i, idle->count);
        heist__sleeper *s = idle->sleepers[at];
        if (!anywhere && !heist__cpu_occupancy_vacant(&idle->occupancy, cpu_place_of(s))) continue;
        if (!heist__is_asleep(heist__load_seq_cst(&s->asleep)) || !rouse(idle, s)) continue;
        heist__store_relaxed(&idle->next, at + 1); /* relaxed: a hint */
        note_wake(s);
        heist__futex_wake(&s->asleep, 1);
        return true;
    }
    return false;
}

/* Reads the words, not `idle->asleep`: a thread that takes a sleep back clears the word, then lowers the count, and may
 * stand still in between. */
bool heist__idle_any_asleep(const heist__idle *idle)
{
    for (unsigned i = 0; i < idle->count; i++) {
        if (heist__is_asleep(heist__load_seq_cst(&idle->sleepers[i]->asleep))) return true; /* I6 */
    }
    return false;
}

bool heist__idle_wake_one(heist__idle *idle)
{
    heist__fence_seq_cst(); /* I4: the caller's work became visible before the loads below */
    for (;;) {
        uint32_t asleep = heist__load_seq_cst(&idle->asleep);
        uint32_t searching = heist__load_seq_cst(&idle->searching);
        if (searching) heist__add_relaxed(&idle->offers, 1); /* relaxed: a hint; if missed, the searcher looks again */
        if (asleep == 0 || others_search(idle, searching)) return false;
        if (!heist__cas_seq_cst(&idle->searching, &searching, searching + 1))
            continue; /* I4: counts the worker that is to be woken as searching */
        if ((idle->occupancy.places && rouse_one(idle, false)) || rouse_one(idle, true)) return true;
        /* All sleepers have woken while this thread looked. But another waker may have relied on the searcher that this
         * thread announced. So look whether a worker sleeps by now. */
        heist__add_seq_cst(&idle->searching, (uint32_t)-1); /* I6: before the look below */
        if (!heist__idle_any_asleep(idle)) return false;    /* I6: a worker that goes to sleep later looks later */
        heist__pause();
    }
}

void heist__idle_wake_all(heist__idle *idle)
{
    heist__store_relaxed(&idle->ending, 1); /* relaxed: a hint */
    heist__fence_seq_cst(); /* I1: the caller has stored that the pool ends; rouse begins with a relaxed load */
    for (unsigned i = 0; i < idle->count; i++) {
        heist__sleeper *s = idle->sleepers[i];
        if (!rouse(idle, s)) continue;
        heist__add_seq_cst(&idle->searching, 1);
        heist__futex_wake(&s->asleep, 1);
    }
}
