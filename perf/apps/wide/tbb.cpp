/* wide in a TBB task group. */
#include <oneapi/tbb/task_group.h>

#include "apps/wide/wide.h"
#include "harness/arena.hpp"

namespace
{

wide only;
std::unique_ptr<perf_arena> arena;

long spawn_all(long *results, long n)
{
    tbb::task_group group;
    for (long i = 0; i < n; i++) group.run([results, i] { results[i] = wide_one(i); });
    group.wait();
    long sum = 0;
    for (long i = 0; i < n; i++) sum += results[i];
    return sum;
}

int prepare(const perf_input *input, void **, char *error, size_t room)
{
    int bad = wide_prepare(input, &only, error, room);
    return bad ? bad : perf_arena_open(arena, input->workers, error, room);
}

void run(void *)
{
    arena->arena.execute([] { only.sum = spawn_all(only.results, only.n); });
}

void check(void *, perf_outcome *outcome)
{
    wide_check(&only, outcome);
}

void discard(void *)
{
    arena.reset();
}

} // namespace

extern "C" const perf_implementation perf_wide_tbb;
const perf_implementation perf_wide_tbb = {"wide", "tbb", prepare, nullptr, run, check, discard};
