/* Lent seats. lending.h describes them; IDLE.md has the proof that no wake-up is lost. */
#include "idle/lending.h"

#include <limits.h>

#include "platform/barrier.h"
#include "platform/futex.h"
#include "platform/pause.h"

/* How many pauses a caller that gives its seat back waits for another worker to begin its search: about a microsecond.
 * A worker that has just finished the last stolen child needs a tenth of that. */
#define UNTIL_THEY_SEARCH 32

static uint32_t place_in(uint32_t word)
{
    return (word & HEIST__PLACE_IN_WORD) - 1;
}

/* ---- taking and giving back ---- */

/* Counts the caller in the seat as awake on the CPU where it runs. */
static void sit_down(heist__idle *idle, heist__sleeper *s)
{
    uint32_t here = heist__cpu_occupancy_here(&idle->occupancy, HEIST__NO_CPU_PLACE);
    heist__cpu_occupancy_awake(&idle->occupancy, here, 1);
    heist__cpu_occupancy_guest(&idle->occupancy, s->number);
    heist__store_relaxed(&s->cpu_place, here); /* relaxed: a hint */
}

static void stand_up(heist__idle *idle, heist__sleeper *s, uint32_t home_place)
{
    heist__cpu_occupancy_awake(&idle->occupancy, heist__load_relaxed(&s->cpu_place), -1); /* relaxed: own */
    heist__store_relaxed(&s->cpu_place, home_place);                                      /* relaxed: a hint */
}

bool heist__lending_take(heist__idle *idle, heist__sleeper *s, const heist__idle_calls *calls, bool *others_sleep)
{
    uint32_t word = heist__load_relaxed(&s->asleep); /* relaxed: the CAS checks it */
    if (!heist__can_be_lent(word)) return false;
    /* K1: after all that the last thread in this seat did there. Exactly one of callers and wakers gets the seat
     * (I3). */
    if (!heist__cas_seq_cst(&s->asleep, &word, (word & ~HEIST__OFFERED) | HEIST__LENT)) return false;
    if (word & HEIST__OFFERED) {
        heist__cpu_occupancy_awake(&idle->occupancy, place_in(word), -1);
        heist__idle_found(idle, s, calls); /* I4: the home thread's search ends here */
        *others_sleep = false;             /* a sleeper was woken, or this thread has rung, or later sleepers ring */
    } else {
        *others_sleep = heist__add_seq_cst(&idle->asleep, (uint32_t)-1) != 1; /* K2 */
    }
    sit_down(idle, s);
    return true;
}

/* Whether other workers are active and none searches, so that their pushes may have woken no worker while this seat was
 * lent. */
static bool may_have_missed(heist__idle *idle)
{
    for (unsigned i = 0; i < UNTIL_THEY_SEARCH; i++) {
        if (heist__load_seq_cst(&idle->searching) != 0) return false; /* K2, I4: that searcher rings before it sleeps */
        /* K2: signed, since a waker may find a sleeper by its word, and count it out, before the sleeper counts
         * itself */
        if ((int32_t)heist__load_seq_cst(&idle->asleep) >= (int32_t)idle->present) return false;
        heist__pause();
    }
    return true;
}

void heist__lending_give_back(heist__idle *idle, heist__sleeper *s, const heist__idle_calls *calls)
{
    uint32_t word = heist__load_relaxed(&s->asleep); /* relaxed: the CAS checks it */
    stand_up(idle, s, place_in(word));
    /* K2: before the looks below; and before the word, so that a thread that takes the seat at once never makes the
     * count less than the number of sleepers. */
    heist__add_seq_cst(&idle->asleep, 1);
    while (!heist__cas_seq_cst(&s->asleep, &word, word & ~(HEIST__LENT | HEIST__SETTLED))) {
    } /* K1, I3: wakers and callers find it */
    /* The run may have used much memory: the home thread waits with a limit again. A home thread that is not asleep yet
     * finds the word changed. */
    if (word & HEIST__SETTLED) heist__futex_wake(&s->asleep, 1);
    heist__fence_seq_cst();                  /* K2: some of the looks below are acquire loads only */
    word &= ~(HEIST__LENT | HEIST__SETTLED); /* K3: the home thread looks into a doubt seen here after the count */
    if (calls->left(calls->context)) {
        heist__idle_wake_one(idle);
    } else if (heist__is_asleep(word) && !(word & HEIST__DOUBT) && may_have_missed(idle)) {
        /* K3: the home thread takes a nap, then looks. If the CAS fails, another thread has the seat by now. That
         * thread looks by itself, or gives the seat back as here. */
        if (heist__cas_seq_cst(&s->asleep, &word, word | HEIST__DOUBT)) heist__futex_wake(&s->asleep, 1);
    }
    heist__lending_vacated(idle);
}

/* ---- the home thread ---- */

void heist__lending_offer(heist__sleeper *self)
{
    uint32_t place = heist__load_relaxed(&self->cpu_place);            /* relaxed: own */
    heist__store_release(&self->asleep, HEIST__OFFERED | (place + 1)); /* K1 */
}

bool heist__lending_take_back(heist__sleeper *self)
{
    uint32_t word = HEIST__OFFERED | (heist__load_relaxed(&self->cpu_place) + 1); /* relaxed: own, if it was not lent */
    return heist__cas_acq_rel(&self->asleep, &word, 0);                           /* K1 */
}

/* Home thread whose word is in doubt: the seat was lent, and others may have pushed meanwhile. Rings and looks as a
 * searcher does that goes to sleep. */
static void look_again(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)
{
    uint32_t word = heist__load_relaxed(&self->asleep); /* relaxed: the CAS checks it */
    do {
        if (!(word & HEIST__DOUBT)) return;                                    /* a waker has cleared the word */
    } while (!heist__cas_seq_cst(&self->asleep, &word, word & ~HEIST__DOUBT)); /* K3: before the ring and the look */
    if (!heist__is_asleep(word)) return; /* the seat is lent; the caller that gives it back raises the doubt again */
    calls->ring(calls->context);         /* I1, I2 */
    if (heist__heavy_barrier(idle->fenced) && !calls->any_work(calls->context)) return; /* I1 */
    /* K5: if the seat is lent again, the caller in it need not look for this work, so another worker is woken. */
    if (!heist__idle_rouse_self(idle, self)) heist__idle_wake_one(idle);
}

/* How long the home thread waits with this word; negative: without a limit. */
static int64_t limit_of(uint32_t word, const heist__idle_calls *calls)
{
    if (word & HEIST__DOUBT) return HEIST__LOOK_AGAIN_NS;
    return (word & HEIST__SETTLED) || !calls->settled ? -1 : HEIST__SETTLE_NS;
}

bool heist__lending_wait(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)
{
    for (;;) {
        uint32_t word = heist__load_acquire(&self->asleep); /* I3, K1 */
        if (word == 0) return false;
        if (!heist__futex_wait(&self->asleep, word, limit_of(word, calls))) continue;
        if (word & HEIST__DOUBT) {
            look_again(idle, self, calls);
        } else if (heist__is_asleep(word) && heist__idle_rouse_self(idle, self)) {
            return true;
        }
    }
}

/* ---- waiting for a seat ---- */

void heist__lending_vacated(heist__idle *idle)
{
    if (!heist__lending_wanted(idle)) return;
    if (heist__exchange_seq_cst(&idle->heir, 1)) return; /* K4: a caller was told, and will look */
    heist__add_seq_cst(&idle->vacancies, 1);             /* K4: a caller that has looked before does not fall asleep */
    heist__futex_wake(&idle->vacancies, 1);
}

void heist__lending_want(heist__idle *idle)
{
    heist__add_seq_cst(&idle->wanting, 1); /* K4: before the look for a seat */
}

uint32_t heist__lending_await(heist__idle *idle)
{
    uint32_t seen = heist__load_seq_cst(&idle->vacancies); /* K4: first: telling after the next line changes it */
    heist__store_seq_cst(&idle->heir, 0); /* K4: the look that follows sees seats that were freed before this */
    return seen;
}

bool heist__lending_sleep(heist__idle *idle, uint32_t seen, int64_t limit_ns)
{
    return heist__futex_wait(&idle->vacancies, seen, limit_ns);
}

bool heist__lending_soon(const heist__idle *idle)
{
    if (heist__load_relaxed(&idle->searching)) return true; /* relaxed: a hint */
    for (unsigned i = 0; i < idle->count; i++) {
        if (heist__load_relaxed(&idle->sleepers[i]->asleep) & HEIST__LENT) return true; /* relaxed: a hint */
    }
    return false;
}

void heist__lending_want_no_more(heist__idle *idle)
{
    heist__add_seq_cst(&idle->wanting, (uint32_t)-1);
    heist__store_seq_cst(&idle->heir, 0);                           /* K4: before the look */
    if (heist__idle_any_asleep(idle)) heist__lending_vacated(idle); /* K4: freed while this caller was the heir */
}

void heist__lending_tell_all(heist__idle *idle)
{
    heist__add_seq_cst(&idle->vacancies, 1); /* K4 */
    heist__futex_wake(&idle->vacancies, INT_MAX);
}
