/* A cell: one workload, size, choice of settings, runtime and number of workers, with its results. */
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
    bool failed;                 /* wrong, crashed or hung: no more runs */
    bool without_result;         /* failed without a wrong result: its process ended, or did not answer */
    long runs;                   /* number of right runs after the warm-up run */
    uint64_t *ns;                /* times of these runs; ascending in the end */
    uint64_t cpu_ns;             /* CPU time of the fastest run; 0: not known */
    double others;               /* cores that other programs used meanwhile; less than 0: not known */
    struct perf_outcome outcome; /* outcome of the fastest run, or of an interrupted one if there is no other */
    char check[256];             /* "ok", or the error */
};

struct perf_plan {
    struct perf_cell **cells;
    size_t count;
};

/* Makes all cells of the command. The cells of one workload and size are adjacent. Returns 0, or -1 with one line on
 * stderr if a size and settings do not fit together or there are too many cells. */
int perf_make_plan(struct perf_plan *plan, const struct perf_command *command);

/* Measures the cells. Returns the exit status: 0, or 1 if a result was wrong. A peer without a result is reported in
 * its row and on stderr; the status stays 0. */
int perf_measure(struct perf_plan *plan, const struct perf_command *command);

#endif
