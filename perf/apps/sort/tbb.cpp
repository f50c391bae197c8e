/* sort with TBB: parallel_invoke. */
#include <oneapi/tbb/parallel_invoke.h>

#include "apps/sort/sort.h"
#include "harness/arena.hpp"

namespace
{

sort_job job;
std::unique_ptr<perf_arena> arena;

void merge(const sort_merge &m, size_t cutoff)
{
    if (sort_merge_size(&m) <= cutoff) {
        sort_merge_serially(&m);
        return;
    }
    sort_merge lower, upper;
    sort_merge_cut(&m, &lower, &upper);
    tbb::parallel_invoke([&] { merge(lower, cutoff); }, [&] { merge(upper, cutoff); });
}

void sort(uint64_t *keys, uint64_t *spare, size_t n, bool into_spare, size_t cutoff)
{
    if (n <= cutoff) {
        sort_serially(keys, spare, n, into_spare);
        return;
    }
    size_t half = n / 2;
    tbb::parallel_invoke([=] { sort(keys, spare, half, !into_spare, cutoff); },
                         [=] { sort(keys + half, spare + half, n - half, !into_spare, cutoff); });
    merge(sort_merge_halves(into_spare ? keys : spare, n, into_spare ? spare : keys), cutoff);
}

int prepare(const perf_input *input, void **state, char *error, size_t room)
{
    *state = &job;
    int bad = sort_prepare(input, &job, error, room);
    if (bad) return bad;
    bad = perf_arena_open(arena, input->workers, error, room);
    if (bad) sort_discard(&job);
    return bad;
}

void run(void *)
{
    arena->arena.execute([] { sort(job.keys, job.spare, job.n, false, job.cutoff); });
}

void discard(void *state)
{
    arena.reset();
    sort_discard(state);
}

} // namespace

extern "C" const perf_implementation perf_sort_tbb;
const perf_implementation perf_sort_tbb = {"sort", "tbb", prepare, sort_reset, run, sort_check, discard};
