/* platform/ticks.h: a counter that runs evenly, and is read in a few nanoseconds: for times that would cost too much
 * with the system's clock. Its rate is not known; a reader compares it with the clock over a longer time. Two threads
 * may see it a little apart. */
#ifndef HEIST_PLATFORM_TICKS_H
#define HEIST_PLATFORM_TICKS_H

#include <stdint.h>

#include "platform/clock.h"

static inline uint64_t heist__ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return (uint64_t)heist__clock_ns();
#endif
}

#endif
