/* wide in OpenMP tasks. */
#include <omp.h>

#include "apps/wide/wide.h"

static long spawn_all(long *results, long n)
{
    for (long i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
        results[i] = wide_one(i);
    }
#pragma omp taskwait
    long sum = 0;
    for (long i = 0; i < n; i++) sum += results[i];
    return sum;
}

static struct wide only;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    omp_set_dynamic(0);
    omp_set_num_threads((int)input->workers);
    return wide_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
#pragma omp parallel
#pragma omp single
    only.sum = spawn_all(only.results, only.n);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    wide_check(&only, outcome);
}

const struct perf_implementation PERF_OPENMP(wide) = {
    .workload = "wide", .runtime = PERF_OPENMP_RUNTIME, .prepare = prepare, .run = run, .check = check};
