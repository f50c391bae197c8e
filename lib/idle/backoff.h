/* idle/backoff.h: how long an idle worker waits between two searches, and when it stops spinning. Pure: the caller
 * spins, yields and parks; nothing here looks at a clock.
 *
 * A worker that finds nothing goes through a bounded number of rounds: at first it spins, each time about twice as
 * long, up to a cap; then it yields the CPU; then it parks. Jitter of half the time either way keeps thieves that ran
 * dry together from coming back together.
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

#include <stdint.h>

#include "platform/random.h"

typedef enum { HEIST__SPIN, HEIST__YIELD, HEIST__PARK } heist__idle_step;

enum {
    HEIST__SPIN_ROUNDS = 12, /* some 1300 pauses: tens of microseconds, about what parking and waking cost */
    HEIST__YIELD_ROUNDS = 4,
    HEIST__SPIN_CAP = 256
};

/* Belongs to one worker. */
typedef struct {
    uint32_t spin_rounds, yield_rounds, cap; /* as the options say */
    uint32_t round;                          /* rounds since the last success */
} heist__backoff;

/* `spin_rounds` and `yield_rounds` may be 0 each: then that step is left out. `cap` is the most pauses of a round
 * before jitter; 0 is taken as 1. */
void heist__backoff_init(heist__backoff *b, uint32_t spin_rounds, uint32_t yield_rounds, uint32_t cap);

/* Something was found, or the worker has been woken: begin again. */
static inline void heist__backoff_reset(heist__backoff *b)
{
    b->round = 0;
}

/* What this round is to be. */
heist__idle_step heist__backoff_step(const heist__backoff *b);

/* Goes on to the next round. Returns how many pauses to spin in this one: in a spin round between half and one and a
 * half times min(cap, 2^round, 2^31), at least 1; in any other 0. */
uint32_t heist__backoff_next(heist__backoff *b, heist__random *random);

/* Tells the core that this is a wait: power, and the other thread of the core, profit. */
static inline void heist__pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    /* yield does nothing on most cores; isb takes about as long as a pause on x86. */
    __asm__ __volatile__("isb" ::: "memory");
#else
    __asm__ __volatile__("" ::: "memory");
#endif
}

#endif
