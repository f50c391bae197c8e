/* tree: its description for heist-perf. */
#include "apps/tree/tree.h"

const struct perf_workload perf_tree_workload = {
    .name = "tree",
    .summary = "a ten-way tree of empty tasks",
    .help =
        "A size is the number of leaves, a power of ten. Each inner node spawns ten children and adds their results.\n",
    .sizes = "1000000",
    .quick_sizes = "1000",
    .valid_size = tree_size,
};
