/* fib in OpenMP tasks. */
#include <omp.h>

#include "apps/fib/fib.h"

static int fib(int n)
{
    if (n < 2) return n;
    int left, right;
#pragma omp task shared(left)
    left = fib(n - 1);
    right = fib(n - 2);
#pragma omp taskwait
    return left + right;
}

static struct fib only;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    omp_set_dynamic(0);
    omp_set_num_threads((int)input->workers);
    return fib_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
#pragma omp parallel
#pragma omp single
    only.result = fib(only.n);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    fib_check(&only, outcome);
}

const struct perf_implementation PERF_OPENMP(fib) = {
    .workload = "fib", .runtime = PERF_OPENMP_RUNTIME, .prepare = prepare, .run = run, .check = check};
