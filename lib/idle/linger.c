/* linger.c: see linger.h. */
#include "idle/linger.h"

#include <sched.h>

#include "idle/backoff.h"
#include "platform/clock.h"

/* So many short waits are seen before the first that spins, and to so many at most doubt grows. */
#define LEAST_BRIEF 4
#define MOST_DOUBT 4096

/* Looks of a round: some microseconds. */
#define LOOKS 200

bool heist__linger_begin(heist__linger *l, int64_t now)
{
    l->rounds = 0;
    l->vain = false;
    l->began = l->seen = now;
    return l->brief >= LEAST_BRIEF + l->doubt;
}

bool heist__linger_on(heist__linger *l, int64_t now)
{
    l->rounds++;
    l->vain = now - l->seen > HEIST__LINGER_DISTURBED_NS || now - l->began > HEIST__LINGER_NS ||
              l->rounds >= HEIST__LINGER_ROUNDS;
    l->seen = now;
    return !l->vain;
}

void heist__linger_end(heist__linger *l, int64_t now)
{
    if (l->vain) {
        l->brief = 0;
        l->doubt = l->doubt == 0 ? LEAST_BRIEF : l->doubt < MOST_DOUBT ? l->doubt * 2 : MOST_DOUBT;
    } else if (now - l->began > HEIST__LINGER_NS) {
        l->brief = 0;
    } else {
        if (l->brief < LEAST_BRIEF + MOST_DOUBT) l->brief++;
        if (l->rounds > 0) l->doubt /= 2; /* it was worth it */
    }
}

static _Thread_local heist__linger mine;

/* Threads that spin. Written by: they (add). */
static HEIST__ATOMIC(uint32_t) spinning;

static bool changed(HEIST__ATOMIC(uint32_t) * word, uint32_t expected)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        if (heist__load_relaxed(word) != expected) return true; /* relaxed: the caller looks again */
        heist__pause();
    }
    return false;
}

uint32_t heist__linger_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, unsigned spare)
{
    if (!heist__linger_begin(&mine, heist__clock_ns())) return 0;
    if (heist__add_relaxed(&spinning, 1) < spare) { /* relaxed: only to be counted */
        bool over;
        do {
            over = changed(word, expected);
            if (!over) sched_yield(); /* the one that is waited for may be queued behind this one */
        } while (heist__linger_on(&mine, heist__clock_ns()) && !over);
    }
    heist__add_relaxed(&spinning, (uint32_t)-1); /* relaxed: as above */
    return mine.rounds;
}

void heist__linger_over(void)
{
    heist__linger_end(&mine, heist__clock_ns());
}

void heist__linger_forget(void)
{
    heist__store_relaxed(&spinning, 0); /* relaxed: there is one thread */
}
