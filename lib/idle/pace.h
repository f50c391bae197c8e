/* Back-off as a worker does it: backoff.h says how long, this waits that long. */
#ifndef HEIST_IDLE_PACE_H
#define HEIST_IDLE_PACE_H

#include <sched.h>

#include <heist/atomic.h>

#include "idle/backoff.h"

/* A new wait, with the pool's number of spinning rounds. */
static inline void heist__backoff_begin(heist__backoff *b, uint32_t spin_rounds)
{
    heist__backoff_init(b, spin_rounds, HEIST__YIELD_ROUNDS, HEIST__SPIN_CAP);
}

/* Spins or yields for one round. HEIST__PARK: the rounds are over, and nothing has been done. */
static inline heist__idle_step heist__backoff_wait(heist__backoff *b, heist__random *random)
{
    heist__idle_step step = heist__backoff_step(b);
    if (step == HEIST__PARK) return step;
    for (uint32_t n = heist__backoff_next(b, random); n > 0; n--) heist__pause();
    if (step == HEIST__YIELD) sched_yield();
    return step;
}

/* The same, but no longer than until `*word` is `value`. For who waits for just that: the line stays in its cache until somebody writes
 * there, so that looking costs nothing, and to come back late from a long round costs microseconds. */
static inline heist__idle_step heist__backoff_wait_for(heist__backoff *b, heist__random *random,
                                                       HEIST__ATOMIC(uintptr_t) * word, uintptr_t value)
{
    heist__idle_step step = heist__backoff_step(b);
    if (step != HEIST__SPIN) return heist__backoff_wait(b, random);
    /* relaxed: the caller looks again */
    for (uint32_t n = heist__backoff_next(b, random); n > 0 && heist__load_relaxed(word) != value; n--) heist__pause();
    return step;
}

#endif
