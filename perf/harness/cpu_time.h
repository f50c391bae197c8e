/* CPU time of the threads of this process. */
#ifndef HEIST_PERF_CPU_TIME_H
#define HEIST_PERF_CPU_TIME_H

#include <stdint.h>

/* Lists the threads. Takes some time: call it well before a timed section. */
void perf_cpu_time_look(void);

/* Begins with the listed threads. */
void perf_cpu_time_begin(void);

/* Nanoseconds of all threads since then, including threads that have begun meanwhile, without those that have ended. 0:
 * not known. */
uint64_t perf_cpu_time_end(void);

/* Nanoseconds so far of the listed threads, without the calling thread. Less than 0: not known. */
int64_t perf_cpu_time_others(void);

#endif
