/* for as an OpenMP loop. */
#include <omp.h>

#include "apps/for/for.h"

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    omp_set_dynamic(0);
    omp_set_num_threads((int)input->workers);
    return for_prepare(input, state, error, room);
}

static void run(void *state)
{
    const struct cheap *cheap = state;
    uint32_t *cells = cheap->cells;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < cheap->n; i++) cells[i] = cheap_value((uint64_t)i);
}

const struct perf_implementation PERF_OPENMP(for) = {.workload = "for",
                                                     .runtime = PERF_OPENMP_RUNTIME,
                                                     .prepare = prepare,
                                                     .reset = for_reset,
                                                     .run = run,
                                                     .check = for_check,
                                                     .discard = for_discard};
