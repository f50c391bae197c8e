/* for as TBB's parallel_for. */
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "apps/for/for.h"
#include "harness/arena.hpp"

namespace
{

cheap only;
std::unique_ptr<perf_arena> arena;

int prepare(const perf_input *input, void **, char *error, size_t room)
{
    int bad = for_prepare(input, &only, error, room);
    return bad ? bad : perf_arena_open(arena, input->workers, error, room);
}

void reset(void *)
{
    for_reset(&only);
}

void run(void *)
{
    arena->arena.execute([] {
        tbb::parallel_for(tbb::blocked_range<long>(0, only.n),
                          [cells = only.cells](const tbb::blocked_range<long> &part) {
                              for (long i = part.begin(); i < part.end(); i++)
                                  cells[i] = cheap_value(static_cast<uint64_t>(i));
                          });
    });
}

void check(void *, perf_outcome *outcome)
{
    for_check(&only, outcome);
}

void discard(void *)
{
    arena.reset();
    for_discard(&only);
}

} // namespace

extern "C" const perf_implementation perf_for_tbb;
const perf_implementation perf_for_tbb = {"for", "tbb", prepare, reset, run, check, discard};
