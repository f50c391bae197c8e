/* sort without tasks. */
#include "apps/sort/sort.h"

static struct sort_job job;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    *state = &job;
    return sort_prepare(input, &job, error, room);
}

static void run(void *state)
{
    (void)state;
    sort_serially(job.keys, job.spare, job.n, false);
}

const struct perf_implementation perf_sort_serial = {"sort", "serial",   prepare,     sort_reset,
                                                     run,    sort_check, sort_discard};
