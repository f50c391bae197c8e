/* The time for which the threads of this process had a CPU. */
#ifndef HEIST_PERF_CPU_TIME_H
#define HEIST_PERF_CPU_TIME_H

#include <stdint.h>

/* Sees which threads there are. Takes some time: not right before what is timed. */
void perf_cpu_time_look(void);

/* Begins with the threads that were seen. */
void perf_cpu_time_begin(void);

/* Nanoseconds of all threads since then, also of those that have begun meanwhile, not of those that have ended. 0: not
 * known. */
uint64_t perf_cpu_time_end(void);

#endif
