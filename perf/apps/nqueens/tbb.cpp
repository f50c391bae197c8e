/* nqueens in TBB's task groups. */
#include <oneapi/tbb/task_group.h>

#include "apps/nqueens/nqueens.h"
#include "harness/arena.hpp"

namespace
{

nqueens only;
std::unique_ptr<perf_arena> arena;

long place(nqueens_board board, int column, int n)
{
    if (column == n) return 1;
    long found[NQUEENS_MOST];
    int count = 0;
    tbb::task_group group;
    for (int row = 0; row < n; row++) {
        if (!nqueens_fits(board, column, row)) continue;
        nqueens_board next = nqueens_with(board, row);
        long *to = &found[count++];
        group.run([next, to, column, n] { *to = place(next, column + 1, n); });
    }
    group.wait();
    long solutions = 0;
    while (count > 0) solutions += found[--count];
    return solutions;
}

int prepare(const perf_input *input, void **, char *error, size_t room)
{
    int bad = nqueens_prepare(input, &only, error, room);
    return bad ? bad : perf_arena_open(arena, input->workers, error, room);
}

void run(void *)
{
    arena->arena.execute([] { only.solutions = place(nqueens_board{}, 0, only.n); });
}

void check(void *, perf_outcome *outcome)
{
    nqueens_check(&only, outcome);
}

void discard(void *)
{
    arena.reset();
}

} // namespace

extern "C" const perf_implementation perf_nqueens_tbb;
const perf_implementation perf_nqueens_tbb = {"nqueens", "tbb", prepare, nullptr, run, check, discard};
