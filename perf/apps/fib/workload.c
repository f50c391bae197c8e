/* fib: its description for heist-perf. */
#include "harness/app.h"

static int valid_size(const char *size, char *error, size_t room)
{
    long n;
    return perf_number(size, "fib of", 1, 46, &n, error, room);
}

static int valid_joins(const char *value, char *error, size_t room)
{
    return perf_word(value, "counted,uncounted", error, room);
}

static const struct perf_option options[] = {
    {.name = "joins",
     .value = "counted|uncounted",
     .preset = "counted",
     .help = "uncounted: compiled with HEIST_COUNT_JOINS=0, an instruction less in every join",
     .list = true,
     .valid = valid_joins,
     .only = "heist"},
    {.name = NULL},
};

const struct perf_workload perf_fib_workload = {
    .name = "fib",
    .summary = "fib(n) by its definition, every call a task: the cost of a task",
    .help = "A size is n. Results are of type int in every runtime, and there is no cut-off in any. Tasks are spawns:\n"
            "one of the two calls in each; the other is a plain call.\n",
    .sizes = "36",
    .quick_sizes = "20",
    .valid_size = valid_size,
    .options = options,
};
