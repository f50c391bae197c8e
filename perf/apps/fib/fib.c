/* The input and the check of fib, the same for every runtime. */
#include "apps/fib/fib.h"

static long closed(int n)
{
    long a = 0, b = 1;
    while (n-- > 0) {
        long next = a + b;
        a = b;
        b = next;
    }
    return a;
}

int fib_prepare(const struct perf_input *input, struct fib *fib, char *error, size_t room)
{
    long n;
    int bad = perf_number(input->size, "fib of", 1, 46, &n, error, room);
    if (!bad) *fib = (struct fib){.n = (int)n};
    return bad;
}

void fib_check(const struct fib *fib, struct perf_outcome *outcome)
{
    outcome->tasks = (uint64_t)closed(fib->n + 1) - 1; /* spawns */
    perf_expect(outcome, "fib", fib->result, closed(fib->n));
}
