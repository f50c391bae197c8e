/* backoff.c: see backoff.h. */
#include "idle/backoff.h"

/* The longest wait before jitter, for any cap: one and a half times this still fits. */
#define WAIT_MAX (UINT32_C(1) << 31)

void heist__backoff_init(heist__backoff *b, uint32_t spin_rounds, uint32_t yield_rounds, uint32_t cap)
{
    *b = (heist__backoff){.spin_rounds = spin_rounds, .yield_rounds = yield_rounds, .cap = cap ? cap : 1};
}

heist__idle_step heist__backoff_step(const heist__backoff *b)
{
    if (b->round < b->spin_rounds) return HEIST__SPIN;
    if (b->round - b->spin_rounds < b->yield_rounds) return HEIST__YIELD;
    return HEIST__PARK;
}

uint32_t heist__backoff_next(heist__backoff *b, heist__random *random)
{
    heist__idle_step step = heist__backoff_step(b);
    if (step == HEIST__PARK) return 0; /* the last step: there is no further round */
    uint32_t round = b->round++;
    if (step != HEIST__SPIN) return 0;
    uint32_t wait = round < 31 ? UINT32_C(1) << round : WAIT_MAX;
    if (wait > b->cap) wait = b->cap;
    uint32_t least = wait / 2 ? wait / 2 : 1;
    uint32_t most = wait + wait / 2;
    return least + heist__random_below(random, most - least + 1);
}
