/* What a program holds and knows. The tables are made from those in perf/meson.build; see registry.c. */
#ifndef HEIST_PERF_REGISTRY_H
#define HEIST_PERF_REGISTRY_H

#include "harness/app.h"

/* The implementations in this program; NULL ends them. */
extern const struct perf_implementation *const perf_implementations[];

/* The rest is in heist-perf alone. */
extern const struct perf_workload *const perf_workloads[]; /* NULL ends them */

/* A workload that can be measured with a runtime; NULL, NULL ends them. */
struct perf_offer {
    const char *workload, *runtime;
    const char *program; /* which holds it, a name beside our own; NULL: ourselves */
};
extern const struct perf_offer perf_offers[];

/* Every runtime there could be, and why it is not in this build; a NULL name ends them. */
struct perf_runtime {
    const char *name;
    const char *missing; /* NULL: it is here */
};
extern const struct perf_runtime perf_runtimes[];

/* What `heist-perf peers` measures, and how large; a NULL workload ends them. */
struct perf_contest {
    const char *workload;
    const char *sizes; /* NULL: the workload's usual ones */
};
extern const struct perf_contest perf_contests[];

#endif
