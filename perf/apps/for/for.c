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

int for_prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    long n;
    int bad = perf_number(input->size, "iterations:", 1, 1000000000, &n, error, room);
    if (bad) return bad;
    struct cheap *cheap = malloc(sizeof *cheap);
    uint32_t *cells = malloc((size_t)n * sizeof *cells);
    if (!cheap || !cells) {
        free(cheap);
        free(cells);
        snprintf(error, room, "no memory for %ld cells", n);
        return -ENOMEM;
    }
    *cheap = (struct cheap){n, cells};
    *state = cheap;
    return 0;
}

void for_reset(void *state)
{
    struct cheap *cheap = state;
    memset(cheap->cells, 0, (size_t)cheap->n * sizeof *cheap->cells);
}

void for_check(void *state, struct perf_outcome *outcome)
{
    const struct cheap *cheap = state;
    long wrong = 0;
    for (long i = 0; i < cheap->n; i++) wrong += cheap->cells[i] != cheap_value((uint64_t)i);
    outcome->tasks = (uint64_t)cheap->n;
    perf_expect(outcome, "wrong cells", wrong, 0);
}

void for_discard(void *state)
{
    struct cheap *cheap = state;
    free(cheap->cells);
    free(cheap);
}
