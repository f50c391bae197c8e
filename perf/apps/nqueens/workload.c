/* nqueens: its description for heist-perf. */
#include "apps/nqueens/nqueens.h"

const struct perf_workload perf_nqueens_workload = {
    .name = "nqueens",
    .summary = "all ways to place n queens, every placement a task",
    .help =
        "A size is n, up to 15. A board is an array that is copied into each task; a placement is checked against all\n"
        "queens before it, some hundred nanoseconds for each task.\n",
    .sizes = "12",
    .quick_sizes = "7",
    .valid_size = nqueens_size,
};
