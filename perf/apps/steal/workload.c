/* steal: its description for heist-perf. */
#include "harness/app.h"

static int valid_size(const char *size, char *error, size_t room)
{
    long n;
    return perf_number(size, "steals:", 1, 100000000, &n, error, room);
}

static int valid_fence(const char *value, char *error, size_t room)
{
    return perf_word(value, "off,on", error, room);
}

static int valid_victim(const char *value, char *error, size_t room)
{
    return perf_word(value, "answering,busy", error, room);
}

static const struct perf_option options[] = {
    {.name = "fence",
     .value = "off|on",
     .preset = "off,on",
     .help = "on: a fence in every spawn and join (HEIST_FENCES=both); off: the thief uses membarrier",
     .list = true,
     .valid = valid_fence},
    {.name = "victim",
     .value = "answering|busy",
     .preset = "answering,busy",
     .help = "answering: the victim goes on to spawn and join, and so notices the thief; busy: it computes",
     .list = true,
     .valid = valid_victim},
    {.name = NULL},
};

const struct perf_workload perf_steal_workload = {
    .name = "steal",
    .summary = "the cost of one steal",
    .help =
        "A size is the number of steals in a run. One worker offers one task at a time; as soon as the other has "
        "begun it,\n"
        "it offers the next. The time is that of the run, divided by the number of steals: finding the victim, taking\n"
        "the task, running it (it is empty), and the notice to the victim.\n",
    .sizes = "20000",
    .quick_sizes = "50",
    .valid_size = valid_size,
    .options = options,
    .workers = "2",
    .least_workers = 2,
    .latency = true,
};
