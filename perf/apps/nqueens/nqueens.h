/* Queens as most programs place them: a row for each column so far, and a new one is checked against all of them. Each
 * placement is a task. No cut-off in any runtime. */
#ifndef HEIST_PERF_NQUEENS_H
#define HEIST_PERF_NQUEENS_H

#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NQUEENS_MOST 15

struct nqueens_board {
    signed char row[16];
};

struct nqueens {
    int n;
    long solutions; /* the result */
    uint64_t tasks;
};

/* Whether a queen in `column` at `row` is attacked by none of those before it. */
static inline bool nqueens_fits(const struct nqueens_board *board, int column, int row)
{
    for (int c = 0; c < column; c++) {
        int distance = board->row[c] - row;
        if (distance == 0 || distance == column - c || distance == c - column) return false;
    }
    return true;
}

int nqueens_size(const char *size, char *error, size_t room);
int nqueens_prepare(const struct perf_input *input, struct nqueens *queens, char *error, size_t room);
void nqueens_check(const struct nqueens *queens, struct perf_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
