/* The contents of a program. The tables are made from those in perf/meson.build; see registry.c. */
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
    const char *program; /* the program that holds it, a name in the directory of this one; NULL: this one */
};
extern const struct perf_offer perf_offers[];

/* Every known runtime, and the reason why it is not in this build; a NULL name ends the list. */
struct perf_runtime {
    const char *name;
    const char *missing; /* NULL: it is here */
};
extern const struct perf_runtime perf_runtimes[];

/* The problems and sizes of `heist-perf peers`; a NULL workload ends the list. */
struct perf_contest {
    const char *workload;
    const char *sizes; /* NULL: the workload's usual ones */
};
extern const struct perf_contest perf_contests[];

#endif
