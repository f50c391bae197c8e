/* What heist-perf and its children say to each other: one datagram each way, over a socket that keeps their bounds. Both
 * come from one build, so these are plain structs. */
#ifndef HEIST_PERF_PROTOCOL_H
#define HEIST_PERF_PROTOCOL_H

#include "harness/app.h"

/* How a program is told that it is a child: PROGRAM PERF_SERVE DESCRIPTOR. */
#define PERF_SERVE "--serve"

enum perf_order { PERF_PREPARE, PERF_RUN, PERF_QUIT };

struct perf_request {
    enum perf_order order;
    /* For PERF_PREPARE alone: */
    unsigned workers;
    char workload[32], runtime[16], size[256];
    char settings[4096]; /* name, value, name, value ... each with its 0; an empty name ends them */
};

/* To PERF_PREPARE and PERF_RUN. */
struct perf_answer {
    int result; /* of prepare: 0 or a negative errno */
    char error[256];
    uint64_t ns;     /* of the run: what counts as its time */
    uint64_t cpu_ns; /* that all threads had a CPU in that time, together; 0: the time is not that of the whole run */
    struct perf_outcome outcome;
};

/* The child's whole life: answers requests until it is told to quit, or the parent is gone. Returns the exit status. */
int perf_serve(const char *descriptor);

#endif
