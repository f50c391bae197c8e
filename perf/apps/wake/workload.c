/* wake: its description for heist-perf. */
#include "harness/app.h"

static int valid_size(const char *size, char *error, size_t room)
{
    long n;
    return perf_number(size, "samples:", 1, 1000000, &n, error, room);
}

static int valid_state(const char *value, char *error, size_t room)
{
    return perf_word(value, "parked,spinning", error, room);
}

static int valid_from(const char *value, char *error, size_t room)
{
    return perf_word(value, "worker,outside", error, room);
}

static const struct perf_option options[] = {
    {.name = "state",
     .value = "parked|spinning",
     .preset = "parked,spinning",
     .help = "state of the workers that may run the task: parked, or searching for work",
     .list = true,
     .valid = valid_state},
    {.name = "from",
     .value = "worker|outside",
     .preset = "worker,outside",
     .help = "origin of the task: a worker spawns it, or another thread submits it",
     .list = true,
     .valid = valid_from},
    {.name = NULL},
};

const struct perf_workload perf_wake_workload = {
    .name = "wake",
    .summary = "the time until a task runs on an idle worker",
    .help =
        "A size is the number of samples in a run. The time of a run is the median over its samples: from just before "
        "the\n"
        "spawn, or submission, to the first instruction of the task on another worker. Rows add the least (least_ns)\n"
        "and the 99th percentile (p99_ns). On two cores the measurement needs both: other programs disturb it "
        "greatly.\n",
    .sizes = "1000",
    .quick_sizes = "20",
    .valid_size = valid_size,
    .options = options,
    .workers = "2",
    .least_workers = 2,
    .latency = true,
};
