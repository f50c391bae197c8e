/* The input and the check of wide, the same for every runtime. */
#include "apps/wide/wide.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int wide_size(const char *size, char *error, size_t room)
{
    long n;
    return perf_number(size, "tasks:", 1, 10000000, &n, error, room);
}

int wide_prepare(const struct perf_input *input, struct wide *wide, char *error, size_t room)
{
    int bad = perf_number(input->size, "tasks:", 1, 10000000, &wide->n, error, room);
    if (bad) return bad;
    wide->results = calloc((size_t)wide->n, sizeof *wide->results);
    if (wide->results) return 0;
    snprintf(error, room, "no memory for %ld results", wide->n);
    return -ENOMEM;
}

void wide_check(const struct wide *wide, struct perf_outcome *outcome)
{
    outcome->tasks = (uint64_t)wide->n;
    perf_expect(outcome, "sum", wide->sum, wide->n * (wide->n - 1) / 2);
}

long wide_one(long i)
{
    return i;
}
