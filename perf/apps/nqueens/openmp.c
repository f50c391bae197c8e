/* nqueens in OpenMP tasks. */
#include <omp.h>

#include "apps/nqueens/nqueens.h"

static long place(struct nqueens_board board, int column, int n)
{
    if (column == n) return 1;
    long found[NQUEENS_MOST];
    int count = 0;
    for (int row = 0; row < n; row++) {
        if (!nqueens_fits(board, column, row)) continue;
        struct nqueens_board next = nqueens_with(board, row);
        long *to = &found[count++];
#pragma omp task firstprivate(next, to)
        *to = place(next, column + 1, n);
    }
#pragma omp taskwait
    long solutions = 0;
    while (count > 0) solutions += found[--count];
    return solutions;
}

static struct nqueens only;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    omp_set_dynamic(0);
    omp_set_num_threads((int)input->workers);
    return nqueens_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
#pragma omp parallel
#pragma omp single
    only.solutions = place((struct nqueens_board){0}, 0, only.n);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    nqueens_check(&only, outcome);
}

const struct perf_implementation PERF_OPENMP(nqueens) = {
    .workload = "nqueens", .runtime = PERF_OPENMP_RUNTIME, .prepare = prepare, .run = run, .check = check};
