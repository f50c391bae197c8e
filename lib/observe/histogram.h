/* observe/histogram.h: sums and differences of heist_histogram. Pure. */
#ifndef HEIST_OBSERVE_HISTOGRAM_H
#define HEIST_OBSERVE_HISTOGRAM_H

#include <heist/stats.h>

/* The bucket of a time. */
static inline unsigned heist__bucket_of(uint64_t ns)
{
    const unsigned log = ns < 2 ? 0 : 63 - (unsigned)__builtin_clzll(ns);
    return log < HEIST_BUCKETS ? log : HEIST_BUCKETS - 1;
}

void heist__histogram_add(heist_histogram *sum, const heist_histogram *other);

/* after - before. A bucket that is less in `after` than in `before` counts 0. */
void heist__histogram_difference(const heist_histogram *after, const heist_histogram *before,
                                 heist_histogram *difference);

#endif
