/* outside_spin.c: see outside_spin.h. */
#include "idle/outside_spin.h"

#include <sched.h>

#include "platform/clock.h"
#include "platform/pause.h"

/* The short waits before the first wait that spins, and the most that `doubt` grows to. */
#define LEAST_BRIEF 4
#define MOST_DOUBT 4096

/* Looks in a round: some microseconds. */
#define LOOKS 200

bool heist__outside_spin_begin(heist__outside_spin *l, int64_t now)
{
    l->rounds = 0;
    l->vain = false;
    l->began = l->seen = now;
    return l->brief >= LEAST_BRIEF + l->doubt;
}

bool heist__outside_spin_on(heist__outside_spin *l, int64_t now)
{
    l->rounds++;
    l->vain = now - l->seen > HEIST__OUTSIDE_SPIN_DISTURBED_NS || now - l->began > HEIST__OUTSIDE_SPIN_NS ||
              l->rounds >= HEIST__OUTSIDE_SPIN_ROUNDS;
    l->seen = now;
    return !l->vain;
}

void heist__outside_spin_end(heist__outside_spin *l, int64_t now)
{
    if (l->vain) {
        l->brief = 0;
        l->doubt = l->doubt == 0 ? LEAST_BRIEF : l->doubt < MOST_DOUBT ? l->doubt * 2 : MOST_DOUBT;
    } else if (now - l->began > HEIST__OUTSIDE_SPIN_NS) {
        l->brief = 0;
    } else {
        if (l->brief < LEAST_BRIEF + MOST_DOUBT) l->brief++;
        if (l->rounds > 0) l->doubt /= 2; /* the spinning was worth it */
    }
}

static _Thread_local heist__outside_spin mine;

/* The number of threads that spin. Written by: these threads (add). */
static HEIST__ATOMIC(uint32_t) spinning;

static bool changed(HEIST__ATOMIC(uint32_t) * word, uint32_t expected)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        if (heist__load_relaxed(word) != expected) return true; /* relaxed: the caller looks again */
        heist__pause();
    }
    return false;
}

uint32_t heist__outside_spin_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, unsigned spare)
{
    if (!heist__outside_spin_begin(&mine, heist__clock_ns())) return 0;
    if (heist__add_relaxed(&spinning, 1) < spare) { /* relaxed: a counter */
        bool over;
        do {
            over = changed(word, expected);
            if (!over) sched_yield(); /* the worker that this thread waits for may be queued behind it */
        } while (heist__outside_spin_on(&mine, heist__clock_ns()) && !over);
    }
    heist__add_relaxed(&spinning, (uint32_t)-1); /* relaxed: as above */
    return mine.rounds;
}

void heist__outside_spin_over(void)
{
    heist__outside_spin_end(&mine, heist__clock_ns());
}

void heist__outside_spin_forget(void)
{
    heist__store_relaxed(&spinning, 0); /* relaxed: there is one thread */
}
