/* platform/random.h: the seeded generator behind every random choice of heist. Each worker has its own. The same seed
 * and stream give the same choices, which makes a schedule repeatable.
 *
 * xorshift64* (Vigna 2016): eight bytes of state, no table, no division. Only the upper half of its output is good. */
#ifndef HEIST_PLATFORM_RANDOM_H
#define HEIST_PLATFORM_RANDOM_H

#include <stdint.h>

typedef struct {
    uint64_t state; /* never 0: xorshift would stay there */
} heist__random;

/* Spreads near seeds far apart: the finishing steps of splitmix64. */
static inline uint64_t heist__random_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Every seed and every stream (a worker's index) is allowed, 0 too. */
static inline void heist__random_seed(heist__random *random, uint64_t seed, uint64_t stream)
{
    uint64_t state = heist__random_mix(heist__random_mix(seed) + stream);
    random->state = state ? state : 1;
}

static inline uint64_t heist__random_next(heist__random *random)
{
    uint64_t x = random->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

/* A number below n, or 0 for n = 0. It uses a product in place of a remainder: no division, and the bias is at most n
 * in 2^32. */
static inline uint32_t heist__random_below(heist__random *random, uint32_t n)
{
    return (uint32_t)((heist__random_next(random) >> 32) * n >> 32);
}

#endif
