/* Batches as iterations of TBB's parallel_for; its partitioners are the nearest things to the modes. */
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include "apps/lfsr/census.h"
#include "harness/arena.hpp"

namespace
{

lfsr_census *only;
std::unique_ptr<perf_arena> arena;

using batches = tbb::blocked_range<uint64_t>;

void loop(void *, lfsr_census *census, uint64_t unit)
{
    const uint64_t size = census->batch ? census->batch : unit;
    const batches all(0, (census->reg.states + size - 1) / size, census->aggregate ? census->aggregate : 1);
    auto body = [census, size](const batches &part) {
        const unsigned worker = static_cast<unsigned>(tbb::this_task_arena::current_thread_index());
        if (!census->batch) { /* how many at once was the runtime's choice */
            const uint64_t to = part.end() * size;
            if (!lfsr_stop(&perf_interrupted))
                lfsr_batch(census, worker, part.begin() * size, to < census->reg.states ? to : census->reg.states);
            return;
        }
        for (uint64_t i = part.begin(); i < part.end() && !lfsr_stop(&perf_interrupted); i++) {
            const uint64_t to = (i + 1) * size;
            lfsr_batch(census, worker, i * size, to < census->reg.states ? to : census->reg.states);
        }
    };
    arena->arena.execute([&] {
        static tbb::affinity_partitioner affinity;
        switch (census->mode) {
        case LFSR_STATIC: tbb::parallel_for(all, body, tbb::static_partitioner()); break;
        case LFSR_SHARED:
        case LFSR_STEAL: tbb::parallel_for(all, body, tbb::simple_partitioner()); break;
        case LFSR_HYBRID: tbb::parallel_for(all, body, affinity); break;
        default: tbb::parallel_for(all, body, tbb::auto_partitioner()); break;
        }
    });
}

int prepare(const perf_input *input, void **, char *error, size_t room)
{
    int result = lfsr_census_new(input, &only, error, room);
    if (result) return result;
    if (only->algorithm == LFSR_BY_ALGEBRA) {
        std::snprintf(error, room, "algebra has no batches: it is serial");
        result = -ENOTSUP;
    } else {
        result = perf_arena_open(arena, input->workers, error, room);
    }
    if (result) {
        lfsr_census_free(only);
        only = nullptr;
        return result;
    }
    only->loop = loop;
    return 0;
}

/* Runs begin warm, as in a program that has one loop after another. */
void reset(void *)
{
    arena->arena.execute([] {
        tbb::parallel_for(0u, only->workers, [](unsigned) {
            for (const uint64_t until = lfsr_now() + 50000; lfsr_now() < until;) {
            }
        });
    });
}

void run(void *)
{
    lfsr_census_run(only);
}

void check(void *, perf_outcome *outcome)
{
    lfsr_census_check(only, outcome);
}

void discard(void *)
{
    arena.reset();
    lfsr_census_free(only);
    only = nullptr;
}

} // namespace

extern "C" const perf_implementation perf_lfsr_tbb;
const perf_implementation perf_lfsr_tbb = {"lfsr", "tbb", prepare, reset, run, check, discard};
