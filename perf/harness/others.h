/* How much of the machine other programs had while something was measured: who was slow because of them must not be
 * called slow. */
#ifndef HEIST_PERF_OTHERS_H
#define HEIST_PERF_OTHERS_H

/* When a measurement began. */
struct perf_since {
    double wall, busy,
        own; /* seconds: of the clock; of the CPUs that we may use; of us and of children that have ended */
};

struct perf_since perf_since_now(void);

/* Waits, a tenth of a second at most, until so much time has passed that something is known of it. */
void perf_since_long_enough(const struct perf_since *since);

/* The cores, as a mean, that others had: programs, the kernel, and in a virtual machine other guests. Since `begin`; where
 * that is too short a time, since `before`. Less than 0: too short, too, or the system does not tell. Our children must have
 * ended. */
double perf_others(const struct perf_since *begin, const struct perf_since *before);

#endif
