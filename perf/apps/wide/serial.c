/* wide as a plain loop. */
#include "apps/wide/wide.h"

static struct wide only;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    return wide_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
    only.sum = 0;
    for (long i = 0; i < only.n; i++) only.sum += wide_one(i);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    wide_check(&only, outcome);
}

const struct perf_implementation perf_wide_serial = {
    .workload = "wide", .runtime = "serial", .prepare = prepare, .run = run, .check = check};
