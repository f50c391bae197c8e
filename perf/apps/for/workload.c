/* for: its description for heist-perf. */
#include "apps/for/for.h"

static int valid_schedule(const char *value, char *error, size_t room)
{
    return perf_word(value, "static,shared,steal,hybrid,auto", error, room);
}

static int valid_batch(const char *value, char *error, size_t room)
{
    long batch;
    return perf_number(value, "a batch of", 0, 1000000000, &batch, error, room);
}

static const struct perf_option options[] = {
    {.name = "schedule",
     .value = "NAME",
     .preset = "static,shared,steal,hybrid,auto",
     .help = "heist's schedules: static, shared, steal, hybrid, auto",
     .list = true,
     .valid = valid_schedule,
     .only = "heist"},
    {.name = "batch",
     .value = "N",
     .preset = "0",
     .help = "iterations taken at once; 0: the schedule's own choice",
     .list = true,
     .valid = valid_batch,
     .only = "heist"},
    {.name = NULL},
};

const struct perf_workload perf_for_workload = {
    .name = "for",
    .summary = "ten million cheap iterations of one loop",
    .help = "A size is the number of iterations; a task, in the figures, is one iteration, of a few cycles. OpenMP "
            "uses its\n"
            "static schedule, TBB its automatic partitioner.\n",
    .sizes = "10000000",
    .quick_sizes = "20000",
    .valid_size = for_size,
    .options = options,
};
