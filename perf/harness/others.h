/* How much of the machine other programs used during a measurement. A row that was short of CPU time because of them is
 * flagged, not judged. */
#ifndef HEIST_PERF_OTHERS_H
#define HEIST_PERF_OTHERS_H

/* The begin of a measurement. */
struct perf_since {
    double wall, busy, own; /* seconds: of the clock; of our CPUs; of this process and of children that have ended */
};

struct perf_since perf_since_now(void);

/* Waits, at most a tenth of a second, until enough time has passed for a result. */
void perf_since_long_enough(const struct perf_since *since);

/* The mean number of cores that others used: programs, the kernel, and in a virtual machine other guests. Since
 * `begin`; if that is too short a time, since `before`. Less than 0: still too short, or not known. Our children must
 * have ended. */
double perf_others(const struct perf_since *begin, const struct perf_since *before);

#endif
