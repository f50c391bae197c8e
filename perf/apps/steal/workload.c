/* steal as heist-perf knows it. */
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
     .help = "on: a fence in every spawn and join (HEIST_FENCES=both); off: the thief pays, with membarrier",
     .list = true,
     .valid = valid_fence},
    {.name = "victim",
     .value = "answering|busy",
     .preset = "answering,busy",
     .help = "answering: it goes on spawning and joining, and so hears the thief; busy: it computes",
     .list = true,
     .valid = valid_victim},
    {.name = NULL},
};

const struct perf_workload perf_steal_workload = {
    .name = "steal",
    .summary = "what one steal costs",
    .help = "A size is the number of steals in a run. One worker offers one task at a time; as soon as the other has "
            "begun it,\n"
            "it offers the next. The time is that of the whole, divided by the number of steals: finding the victim, "
            "taking\n"
            "the task, running it (it is empty), and the way of the news back to the victim.\n",
    .sizes = "20000",
    .quick_sizes = "50",
    .valid_size = valid_size,
    .options = options,
    .workers = "2",
    .least_workers = 2,
    .latency = true,
};
