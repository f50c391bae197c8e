/* sort: its sizes and options. */
#include <errno.h>
#include <stdio.h>

#include "apps/sort/sort.h"

static int valid_size(const char *size, char *error, size_t room)
{
    long n;
    int bad = perf_number(size, "number of keys", 0, SORT_MOST, &n, error, room);
    return bad ? bad : perf_fits(3.0 * sizeof(uint64_t) * (double)n, "a sort of that many keys", error, room);
}

static int valid_cutoff(const char *value, char *error, size_t room)
{
    long n;
    return perf_number(value, "cut-off", 1, SORT_MOST, &n, error, room);
}

static int valid_input(const char *value, char *error, size_t room)
{
    if (sort_make_input(value, NULL, 0)) return 0;
    snprintf(error, room, "there is no input '%s'; there are random, ascending, descending, equal and few", value);
    return -EINVAL;
}

static const struct perf_option options[] = {
    {.name = "cutoff",
     .value = "N",
     .preset = "2048",
     .help = "sort and merge up to N keys without tasks",
     .list = true,
     .valid = valid_cutoff},
    {.name = "input",
     .value = "NAME",
     .preset = "random",
     .help = "random, ascending, descending, equal, or few different keys",
     .list = true,
     .valid = valid_input},
    {.name = NULL},
};

const struct perf_workload perf_sort_workload = {
    .name = "sort",
    .summary = "merge sort of 64-bit keys, with parallel merges",
    .help =
        "Halves are sorted as tasks and then merged; a merge is cut in the middle of its result, and so on "
        "down\n"
        "to the cut-off. Below it every runtime calls the same merge sort without branches, which is also the serial\n"
        "program. The result must be in order and hold the keys of the input.\n"
        "A size is a number of keys.\n",
    .sizes = "1000000,10000000",
    .quick_sizes = "10000,100000",
    .valid_size = valid_size,
    .options = options,
};
