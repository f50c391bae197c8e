/* fib in TBB's task groups. */
#include <oneapi/tbb/task_group.h>

#include "apps/fib/fib.h"
#include "harness/arena.hpp"

namespace
{

struct fib only;
std::unique_ptr<perf_arena> arena;

int fib_of(int n)
{
    if (n < 2) return n;
    int left = 0;
    tbb::task_group group;
    group.run([&left, n] { left = fib_of(n - 1); });
    int right = fib_of(n - 2);
    group.wait();
    return left + right;
}

int prepare(const perf_input *input, void **, char *error, size_t room)
{
    int bad = fib_prepare(input, &only, error, room);
    return bad ? bad : perf_arena_open(arena, input->workers, error, room);
}

void run(void *)
{
    arena->arena.execute([] { only.result = fib_of(only.n); });
}

void check(void *, perf_outcome *outcome)
{
    fib_check(&only, outcome);
}

void discard(void *)
{
    arena.reset();
}

} // namespace

extern "C" const perf_implementation perf_fib_tbb;
const perf_implementation perf_fib_tbb = {"fib", "tbb", prepare, nullptr, run, check, discard};
