/* The input and the check of for, the same for every runtime. */
#include "apps/for/for.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int for_size(const char *size, char *error, size_t room)
{
    long n;
    return perf_number(size, "iterations:", 1, 1000000000, &n, error, room);
}

int for_prepare(const struct perf_input *input, struct cheap *cheap, char *error, size_t room)
{
    int bad = perf_number(input->size, "iterations:", 1, 1000000000, &cheap->n, error, room);
    if (bad) return bad;
    cheap->cells = malloc((size_t)cheap->n * sizeof *cheap->cells);
    if (cheap->cells) return 0;
    snprintf(error, room, "no memory for %ld cells", cheap->n);
    return -ENOMEM;
}

void for_reset(struct cheap *cheap)
{
    memset(cheap->cells, 0, (size_t)cheap->n * sizeof *cheap->cells);
}

void for_check(const struct cheap *cheap, struct perf_outcome *outcome)
{
    long wrong = 0;
    for (long i = 0; i < cheap->n; i++) wrong += cheap->cells[i] != cheap_value((uint64_t)i);
    outcome->tasks = (uint64_t)cheap->n;
    perf_expect(outcome, "wrong cells", wrong, 0);
}

void for_discard(struct cheap *cheap)
{
    free(cheap->cells);
}
