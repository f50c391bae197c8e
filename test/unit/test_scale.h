/* test_scale.h: how much a test repeats itself. A stress test writes `test_scale(200000)` for its number of rounds,
 * and the environment variable HEIST_TEST_SCALE, a percentage (100 when unset), makes that fewer where each round
 * costs more: under ThreadSanitizer, valgrind or an emulator. Rubbish in the variable counts as unset, and no number
 * goes below 1, so that a scaled test still asserts something. */
#ifndef TEST_SCALE_H
#define TEST_SCALE_H

#include <stdlib.h>

static inline double test_scale_percent(void)
{
    const char *text = getenv("HEIST_TEST_SCALE");
    char *end = NULL;
    double percent = text ? strtod(text, &end) : 100.0;
    return text && (end == text || !(percent > 0.0)) ? 100.0 : percent;
}

static inline double test_scaled(double n)
{
    double scaled = n * test_scale_percent() / 100.0;
    return scaled < 1.0 ? 1.0 : scaled;
}

/* The result has the type of `n`, so that it can be used in place of the plain number without a cast. */
#define test_scale(n) ((__typeof__((n) + 0))test_scaled((double)(n)))

#endif
