/* submit through TBB's task_arena::enqueue. */
#include <oneapi/tbb/task_group.h>

#include "apps/submit/submit.h"
#include "harness/arena.hpp"

namespace
{

submit only;
std::unique_ptr<perf_arena> arena;
std::unique_ptr<tbb::task_group> group;

int prepare(const perf_input *input, void **, char *error, size_t room)
{
    int bad = submit_prepare(input, &only, error, room);
    if (!bad) bad = perf_arena_open(arena, input->workers, error, room);
    if (!bad) group = std::make_unique<tbb::task_group>();
    return bad;
}

void one(long)
{
    arena->arena.enqueue(group->defer([] { submit_count(); }));
}

void finish()
{
    arena->arena.execute([] { group->wait(); });
}

void run(void *)
{
    submit_run(&only, one, finish);
}

void check(void *, perf_outcome *outcome)
{
    submit_check(&only, outcome);
    std::snprintf(outcome->more, sizeof outcome->more, "\"threads\":%ld,\"tasks_per_second\":%.0f", only.threads,
                  only.ns ? 1e9 * static_cast<double>(only.tasks) / static_cast<double>(only.ns) : 0.0);
}

void discard(void *)
{
    group.reset();
    arena.reset();
}

} // namespace

extern "C" const perf_implementation perf_submit_tbb;
const perf_implementation perf_submit_tbb = {"submit", "tbb", prepare, nullptr, run, check, discard};
