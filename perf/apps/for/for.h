/* A loop of cheap iterations: each mixes its number a little and stores it. */
#ifndef HEIST_PERF_FOR_H
#define HEIST_PERF_FOR_H

#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cheap {
    long n;
    uint32_t *cells; /* the result: one for each iteration */
};

/* One iteration, a few cycles. Not every mixture is suitable: a compiler may turn one into a running sum that takes
 * 0.75 or 1.06 ns for each iteration on some processors, depending on how the loop began, so that batches seemed faster
 * than the plain loop. This mixture takes the same time in batches of any size. */
static inline uint32_t cheap_value(uint64_t i)
{
    i ^= i >> 7;
    i *= UINT64_C(0x9e3779b97f4a7c15);
    i ^= i >> 29;
    return (uint32_t)(i >> 16) | 1u; /* never 0, the value of a cell that was left out */
}

int for_size(const char *size, char *error, size_t room);

/* As in struct perf_implementation; *state becomes a struct cheap. */
int for_prepare(const struct perf_input *input, void **state, char *error, size_t room);
void for_reset(void *state);
void for_check(void *state, struct perf_outcome *outcome);
void for_discard(void *state);

#ifdef __cplusplus
}
#endif

#endif
