/* wide: its description for heist-perf. */
#include "apps/wide/wide.h"

static int valid_order(const char *value, char *error, size_t room)
{
    return perf_word(value, "newest,oldest", error, room);
}

static const struct perf_option options[] = {
    {.name = "join",
     .value = "newest|oldest",
     .preset = "newest",
     .help = "which child is joined first",
     .list = true,
     .valid = valid_order,
     .only = "heist"},
    {.name = NULL},
};

const struct perf_workload perf_wide_workload = {
    .name = "wide",
    .summary = "a million empty tasks from one loop",
    .help =
        "A size is the number of tasks. One loop makes them all, then waits for all. Thieves gain little: each steal\n"
        "costs more than the task it takes.\n",
    .sizes = "1000000",
    .quick_sizes = "2000",
    .valid_size = wide_size,
    .options = options,
};
