/* nqueens as a plain function. */
#include "apps/nqueens/nqueens.h"

static __attribute__((noinline)) long place(struct nqueens_board board, int column, int n)
{
    if (column == n) return 1;
    long solutions = 0;
    for (int row = 0; row < n; row++) {
        if (nqueens_fits(board, column, row)) solutions += place(nqueens_with(board, row), column + 1, n);
    }
    return solutions;
}

static struct nqueens only;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    return nqueens_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
    only.solutions = place((struct nqueens_board){0}, 0, only.n);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    nqueens_check(&only, outcome);
}

const struct perf_implementation perf_nqueens_serial = {
    .workload = "nqueens", .runtime = "serial", .prepare = prepare, .run = run, .check = check};
