/* omp: its description for heist-perf. */
#include "apps/omp/patterns.h"

static const struct perf_option options[] = {
    {.name = "pattern",
     .value = "NAME",
     .preset = "flat,nested,taskgroup,taskloop,depend",
     .help = "how tasks are made",
     .list = true,
     .valid = omp_patterns_name},
    {.name = NULL},
};

const struct perf_workload perf_omp_workload = {
    .name = "omp",
    .summary = "the cost of a task in an OpenMP program, with its own runtime and with heist",
    .help =
        "A size is the number of tasks, which do next to nothing. heist: the program of openmp, the same file, with\n"
        "libheist-gomp.so loaded before libgomp, as heist-omp does it. Patterns: flat: one loop makes all tasks;\n"
        "nested: a binary tree, in which each waits for its children; taskgroup: one loop, in groups of 16;\n"
        "taskloop: of one iteration each; depend: a chain.\n",
    .sizes = "200000",
    .quick_sizes = "1000",
    .valid_size = omp_patterns_size,
    .options = options,
};
