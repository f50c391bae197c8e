/* The input and the check of nqueens, the same for every runtime. */
#include "apps/nqueens/nqueens.h"

int nqueens_size(const char *size, char *error, size_t room)
{
    long n;
    return perf_number(size, "a board of", 1, NQUEENS_MOST, &n, error, room);
}

/* Nodes of the search tree but its root: the tasks. */
static uint64_t count_nodes(struct nqueens_board board, int column, int n)
{
    uint64_t nodes = 0;
    for (int row = 0; column < n && row < n; row++) {
        if (!nqueens_fits(board, column, row)) continue;
        nodes += 1 + count_nodes(nqueens_with(board, row), column + 1, n);
    }
    return nodes;
}

int nqueens_prepare(const struct perf_input *input, struct nqueens *queens, char *error, size_t room)
{
    long n;
    int bad = perf_number(input->size, "a board of", 1, NQUEENS_MOST, &n, error, room);
    if (bad) return bad;
    queens->n = (int)n;
    queens->tasks = count_nodes((struct nqueens_board){0}, 0, queens->n);
    return 0;
}

void nqueens_check(const struct nqueens *queens, struct perf_outcome *outcome)
{
    /* published counts */
    static const long known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184};
    outcome->tasks = queens->tasks;
    perf_expect(outcome, "solutions", queens->solutions, known[queens->n]);
}
