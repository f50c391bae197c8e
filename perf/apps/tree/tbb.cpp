/* tree in TBB's task groups. */
#include <oneapi/tbb/task_group.h>

#include "apps/tree/tree.h"
#include "harness/arena.hpp"

namespace
{

tree only;
std::unique_ptr<perf_arena> arena;

long count(int depth)
{
    if (depth == 0) return 1;
    long below[TREE_WAYS], leaves = 0;
    tbb::task_group group;
    for (long &to : below) group.run([&to, depth] { to = count(depth - 1); });
    group.wait();
    for (long b : below) leaves += b;
    return leaves;
}

int prepare(const perf_input *input, void **, char *error, size_t room)
{
    int bad = tree_prepare(input, &only, error, room);
    return bad ? bad : perf_arena_open(arena, input->workers, error, room);
}

void run(void *)
{
    arena->arena.execute([] { only.leaves = count(only.depth); });
}

void check(void *, perf_outcome *outcome)
{
    tree_check(&only, outcome);
}

void discard(void *)
{
    arena.reset();
}

} // namespace

extern "C" const perf_implementation perf_tree_tbb;
const perf_implementation perf_tree_tbb = {"tree", "tbb", prepare, nullptr, run, check, discard};
