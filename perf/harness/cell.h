/* A cell: one workload, size, choice of settings, runtime and number of workers, and what came of it. */
#ifndef HEIST_PERF_CELL_H
#define HEIST_PERF_CELL_H

#include "harness/command.h"
#include "harness/process.h"

struct perf_cell {
    const struct perf_workload *workload;
    const struct perf_offer *offer;
    const char *size;
    unsigned workers;
    const char *settings[PERF_MOST_OPTIONS]; /* values, in the order of the workload's options */

    struct perf_child child;
    bool begun;                  /* it has a row */
    bool failed;                 /* wrong, crashed, hung: it has no more runs */
    bool without_result;         /* failed, and not by a wrong result: its process ended, or did not answer */
    long runs;                   /* right ones after the first, which warms up */
    uint64_t *ns;                /* of each of them; ascending in the end */
    uint64_t cpu_ns;             /* of the fastest of them; 0: not known */
    double others;               /* cores that other programs had meanwhile; less than 0: not known */
    struct perf_outcome outcome; /* of the fastest of them; of an interrupted one, if there is no other */
    char check[256];             /* "ok", or what is wrong */
};

struct perf_plan {
    struct perf_cell **cells;
    size_t count;
};

/* All cells that the command asks for. Those of one workload and size stand together. Returns 0; or -1, one line having
 * gone to stderr, if some size and settings do not go together, or there are too many. */
int perf_make_plan(struct perf_plan *plan, const struct perf_command *command);

/* Measures them. Returns what the program is to return: 0; 1 when something was wrong. That a peer came to no result is
 * told in its row and on stderr, and nothing that is wrong here. */
int perf_measure(struct perf_plan *plan, const struct perf_command *command);

#endif
