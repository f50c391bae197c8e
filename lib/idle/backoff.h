/* idle/backoff.h: how long an idle worker waits between two searches, and when it stops spinning. The policy is pure:
 * the caller spins, yields and parks; nothing here reads a clock.
 *
 * A worker that finds nothing goes through a bounded number of rounds. At first it spins, each time about twice as
 * long, up to a cap; then it yields the CPU; then it parks. Jitter of half the time either way keeps thieves that ran
 * out of work together from coming back together.
 *
 * Usage:
 *     heist__backoff_init(&b, HEIST__SPIN_ROUNDS, HEIST__YIELD_ROUNDS, HEIST__SPIN_CAP);
 *     while (!(task = search())) {
 *         heist__idle_step step = heist__backoff_step(&b);
 *         if (step == HEIST__PARK) { park(); heist__backoff_reset(&b); continue; }
 *         for (uint32_t n = heist__backoff_next(&b, &random); n; n--) heist__pause();
 *         if (step == HEIST__YIELD) sched_yield();
 *     }
 *     heist__backoff_reset(&b); */
#ifndef HEIST_IDLE_BACKOFF_H
#define HEIST_IDLE_BACKOFF_H

#include <sched.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

#include "platform/pause.h"
#include "platform/random.h"

typedef enum { HEIST__SPIN, HEIST__YIELD, HEIST__PARK } heist__idle_step;

enum {
    HEIST__SPIN_ROUNDS = 16, /* some 2300 pauses: tens of microseconds, about the cost of parking and waking */
    HEIST__YIELD_ROUNDS = 4,
    HEIST__SPIN_CAP = 256
};

/* Belongs to one worker. */
typedef struct {
    uint32_t spin_rounds, yield_rounds, cap; /* as the options say */
    uint32_t round;                          /* rounds since the last success */
} heist__backoff;

/* `spin_rounds` and `yield_rounds` may each be 0: then that step is left out. `cap` is the largest number of pauses in
 * a round before jitter; 0 is taken as 1. */
void heist__backoff_init(heist__backoff *b, uint32_t spin_rounds, uint32_t yield_rounds, uint32_t cap);

/* Begins again, after the worker has found work or was woken. */
static inline void heist__backoff_reset(heist__backoff *b)
{
    b->round = 0;
}

/* The kind of the current round. */
heist__idle_step heist__backoff_step(const heist__backoff *b);

/* Goes on to the next round. Returns how many pauses to spin in this one: in a spin round between half and one and a
 * half times min(cap, 2^round, 2^31), at least 1; in any other 0. */
uint32_t heist__backoff_next(heist__backoff *b, heist__random *random);

/* ---- Waiting as the policy above says ---- */

/* Begins a new wait, with the pool's number of spinning rounds. */
static inline void heist__backoff_begin(heist__backoff *b, uint32_t spin_rounds)
{
    heist__backoff_init(b, spin_rounds, HEIST__YIELD_ROUNDS, HEIST__SPIN_CAP);
}

/* Spins or yields for one round. HEIST__PARK: the rounds are over, and the call has not waited. */
static inline heist__idle_step heist__backoff_wait(heist__backoff *b, heist__random *random)
{
    heist__idle_step step = heist__backoff_step(b);
    if (step == HEIST__PARK) return step;
    for (uint32_t n = heist__backoff_next(b, random); n > 0; n--) heist__pause();
    if (step == HEIST__YIELD) sched_yield();
    return step;
}

/* The same, but stops as soon as `*word` is not `value`. */
static inline heist__idle_step heist__backoff_wait_while(heist__backoff *b, heist__random *random,
                                                         HEIST__ATOMIC(uint32_t) * word, uint32_t value)
{
    heist__idle_step step = heist__backoff_step(b);
    if (step != HEIST__SPIN) return heist__backoff_wait(b, random);
    /* relaxed: a hint */
    for (uint32_t n = heist__backoff_next(b, random); n > 0 && heist__load_relaxed(word) == value; n--) heist__pause();
    return step;
}

/* The same, but stops as soon as `*word` is `value`. It is for a thread that waits for just that value. The cache line
 * stays in the thread's cache until another thread writes there, so looking costs nothing; to come back late from a
 * long round would cost microseconds. */
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
