/* Monotonic time. The kernel can refuse it: where the clock is no part of the vDSO, a seccomp filter sees the call.
 * Then the time stands still, and a thread that waits for a time limit must also count the waits that timed out. */
#ifndef HEIST_PLATFORM_CLOCK_H
#define HEIST_PLATFORM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t heist__clock_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
