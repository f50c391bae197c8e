/* The messages between heist-perf and its children: one datagram each way, over a socket that keeps message boundaries.
 * Both sides come from one build, so these are plain structs. */
#ifndef HEIST_PERF_PROTOCOL_H
#define HEIST_PERF_PROTOCOL_H

#include "harness/app.h"

/* The command line of a child: PROGRAM PERF_SERVE DESCRIPTOR. */
#define PERF_SERVE "--serve"

enum perf_order { PERF_PREPARE, PERF_RUN, PERF_QUIT };

struct perf_request {
    enum perf_order order;
    /* Only for PERF_PREPARE: */
    unsigned workers;
    char workload[32], runtime[16], size[256];
    char settings[4096]; /* name, value, name, value ... each with its final 0; an empty name ends the list */
};

/* The answer to PERF_PREPARE and PERF_RUN. */
struct perf_answer {
    int result; /* of prepare: 0 or a negative errno */
    char error[256];
    uint64_t ns;     /* of the run: its time */
    uint64_t cpu_ns; /* CPU time of all threads in that time; 0: the time is not that of the whole run */
    struct perf_outcome outcome;
};

/* The whole life of the child: answers requests until it is told to quit or the parent is gone. Returns the exit
 * status. */
int perf_serve(const char *descriptor);

#endif
