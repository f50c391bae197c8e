/* The CPU that the calling thread runs on, and the CPU time of a thread. The system may refuse both, and both may be
 * wrong a moment later: use them for hints. */
#ifndef HEIST_PLATFORM_CPU_H
#define HEIST_PLATFORM_CPU_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

/* The system's number of the CPU; negative if it does not tell. */
static inline int heist__current_cpu(void)
{
    return sched_getcpu();
}

/* The clock of the calling thread's CPU time, which any thread of the process may read; 0 if there is none. */
static inline int32_t heist__thread_clock(void)
{
    clockid_t clock;
    return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? (int32_t)clock : 0;
}

/* The value of such a clock; 0 if the system does not tell, or the thread has ended. The clock of the whole process
 * would be one call in place of many, but it leaves out the work of threads on other CPUs since the last tick there. */
static inline int64_t heist__thread_cpu_ns(int32_t clock)
{
    struct timespec t;
    if (clock == 0 || clock_gettime((clockid_t)clock, &t) != 0) return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
