/* Queens as most programs place them: a row for each column so far, and a new one is checked against all of them. Each
 * placement is a task. No cut-off in any runtime. */
#ifndef HEIST_PERF_NQUEENS_H
#define HEIST_PERF_NQUEENS_H

#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NQUEENS_MOST 15

/* The rows taken so far, four bits each, the newest lowest: small enough to travel in a register, so that no runtime is
 * measured at copying boards. */
struct nqueens_board {
    uint64_t rows;
};

struct nqueens {
    int n;
    long solutions; /* the result */
    uint64_t tasks;
};

/* Whether a queen in `column` at `row` is attacked by none of those before it. */
static inline bool nqueens_fits(struct nqueens_board board, int column, int row)
{
    for (int back = 1; back <= column; back++, board.rows >>= 4) {
        int distance = (int)(board.rows & 15) - row;
        if (distance == 0 || distance == back || distance == -back) return false;
    }
    return true;
}

/* `board` with a queen at `row` of its next column. */
static inline struct nqueens_board nqueens_with(struct nqueens_board board, int row)
{
    board.rows = board.rows << 4 | (uint64_t)row;
    return board;
}

int nqueens_size(const char *size, char *error, size_t room);
int nqueens_prepare(const struct perf_input *input, struct nqueens *queens, char *error, size_t room);
void nqueens_check(const struct nqueens *queens, struct perf_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
