/* for as an OpenMP loop. */
#include <omp.h>

#include "apps/for/for.h"

static struct cheap only;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    omp_set_dynamic(0);
    omp_set_num_threads((int)input->workers);
    return for_prepare(input, &only, error, room);
}

static void reset(void *state)
{
    (void)state;
    for_reset(&only);
}

static void run(void *state)
{
    (void)state;
    uint32_t *cells = only.cells;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < only.n; i++) cells[i] = cheap_value((uint64_t)i);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    for_check(&only, outcome);
}

static void discard(void *state)
{
    (void)state;
    for_discard(&only);
}

const struct perf_implementation PERF_OPENMP(for) = {.workload = "for",
                                                     .runtime = PERF_OPENMP_RUNTIME,
                                                     .prepare = prepare,
                                                     .reset = reset,
                                                     .run = run,
                                                     .check = check,
                                                     .discard = discard};
