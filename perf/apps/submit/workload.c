/* submit: its description for heist-perf. */
#include "apps/submit/submit.h"

static int valid_threads(const char *value, char *error, size_t room)
{
    long threads;
    return perf_number(value, "threads:", 1, 64, &threads, error, room);
}

static int valid_way(const char *value, char *error, size_t room)
{
    return perf_word(value, "pool,scope", error, room);
}

static const struct perf_option options[] = {
    {.name = "threads",
     .value = "N",
     .preset = "1,2",
     .help = "threads that submit, none of them a worker",
     .list = true,
     .valid = valid_threads},
    {.name = "to",
     .value = "pool|scope",
     .preset = "pool,scope",
     .help = "heist_submit to the pool, or heist_scope_submit to a scope",
     .list = true,
     .valid = valid_way,
     .only = "heist"},
    {.name = NULL},
};

const struct perf_workload perf_submit_workload = {
    .name = "submit",
    .summary = "empty tasks submitted by threads that are not workers",
    .help = "A size is the number of tasks, of all threads together. Rows add tasks_per_second. TBB: "
            "task_arena::enqueue.\n",
    .sizes = "200000",
    .quick_sizes = "2000",
    .valid_size = submit_size,
    .options = options,
};
