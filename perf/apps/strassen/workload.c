/* strassen: its sizes and options. */
#include "apps/strassen/strassen.h"

static int valid_size(const char *size, char *error, size_t room)
{
    size_t n;
    int bad = strassen_read_size(size, &n, error, room);
    /* three matrices, and the sums and products of all levels, but not of all tasks */
    return bad ? bad : perf_fits(7.0 * sizeof(double) * (double)n * (double)n, "a product of that size", error, room);
}

static int valid_cutoff(const char *value, char *error, size_t room)
{
    long cutoff;
    return perf_number(value, "cut-off", STRASSEN_LEAST_CUTOFF, STRASSEN_MOST, &cutoff, error, room);
}

static const struct perf_option options[] = {
    {.name = "cutoff",
     .value = "N",
     .preset = "64",
     .help = "matrices up to N by N are multiplied without recursion",
     .list = true,
     .valid = valid_cutoff},
    {.name = NULL},
};

const struct perf_workload perf_strassen_workload = {
    .name = "strassen",
    .summary = "Strassen-Winograd multiplication of matrices of doubles, seven tasks a level",
    .help =
        "Each product is split into seven of half the size, which are tasks, and so on down to the cut-off, below "
        "which\n"
        "every runtime calls the same blocked multiplication. Large results are put together by tasks, too. The result "
        "is\n"
        "checked with random vectors and by some entries, within the proven bound of the error. Operations are those\n"
        "that were done, fewer than 2 n^3.\n"
        "A size is the number of rows and columns, a power of two.\n",
    .sizes = "1024",
    .quick_sizes = "128,256",
    .valid_size = valid_size,
    .options = options,
};
