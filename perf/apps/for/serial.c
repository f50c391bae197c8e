/* for as a plain loop. */
#include "apps/for/for.h"

static void run(void *state)
{
    const struct cheap *cheap = state;
    uint32_t *cells = cheap->cells;
    for (int64_t i = 0; i < cheap->n; i++) cells[i] = cheap_value((uint64_t)i);
}

const struct perf_implementation perf_for_serial = {.workload = "for",
                                                    .runtime = "serial",
                                                    .prepare = for_prepare,
                                                    .reset = for_reset,
                                                    .run = run,
                                                    .check = for_check,
                                                    .discard = for_discard};
