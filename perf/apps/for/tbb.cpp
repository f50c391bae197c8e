/* for as TBB's parallel_for. */
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "apps/for/for.h"
#include "harness/arena.hpp"

namespace
{

std::unique_ptr<perf_arena> arena;

int prepare(const perf_input *input, void **state, char *error, size_t room)
{
    int bad = for_prepare(input, state, error, room);
    return bad ? bad : perf_arena_open(arena, input->workers, error, room);
}

void run(void *state)
{
    arena->arena.execute([only = *static_cast<const cheap *>(state)] {
        tbb::parallel_for(tbb::blocked_range<long>(0, only.n),
                          [cells = only.cells](const tbb::blocked_range<long> &part) {
                              for (long i = part.begin(); i < part.end(); i++)
                                  cells[i] = cheap_value(static_cast<uint64_t>(i));
                          });
    });
}

void discard(void *state)
{
    arena.reset();
    for_discard(state);
}

} // namespace

extern "C" const perf_implementation perf_for_tbb;
const perf_implementation perf_for_tbb = {"for", "tbb", prepare, for_reset, run, for_check, discard};
