/* Where the calling thread runs, and how much the process has computed. Both may be refused or wrong a moment later: for hints. */
#ifndef HEIST_PLATFORM_CPU_H
#define HEIST_PLATFORM_CPU_H

#include <sched.h>
#include <stdint.h>
#include <time.h>

/* The system's number of the CPU; negative if it does not tell. */
static inline int heist__current_cpu(void)
{
    return sched_getcpu();
}

/* Of all threads; 0 if the system does not tell. */
static inline int64_t heist__process_cpu_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0) return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
