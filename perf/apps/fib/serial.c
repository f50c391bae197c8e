/* fib as a plain function. */
#include "apps/fib/fib.h"

static __attribute__((noinline)) int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static struct fib only;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    return fib_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
    only.result = fib(only.n);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    fib_check(&only, outcome);
}

const struct perf_implementation perf_fib_serial = {
    .workload = "fib", .runtime = "serial", .prepare = prepare, .run = run, .check = check};
