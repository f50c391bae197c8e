/* The serial twin: all states are one batch. */
#include "apps/lfsr/census.h"

static void all_at_once(void *runtime, struct lfsr_census *census, uint64_t unit)
{
    (void)runtime;
    (void)unit;
    lfsr_batch(census, 0, 0, census->reg.states);
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    struct lfsr_census *census;
    int result = lfsr_census_new(input, &census, error, room);
    if (result) return result;
    census->mode = LFSR_SERIAL;
    census->loop = all_at_once;
    *state = census;
    return 0;
}

static void run(void *state)
{
    lfsr_census_run(state);
}

static void check(void *state, struct perf_outcome *outcome)
{
    lfsr_census_check(state, outcome);
}

static void discard(void *state)
{
    lfsr_census_free(state);
}

const struct perf_implementation perf_lfsr_serial = {"lfsr", "serial", prepare, NULL, run, check, discard};
