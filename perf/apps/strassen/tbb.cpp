/* strassen with TBB's task groups. */
#include <oneapi/tbb/task_group.h>

#include "apps/strassen/strassen.h"
#include "harness/arena.hpp"

namespace
{

strassen_job job;
std::unique_ptr<perf_arena> arena;

void put_all_together(const strassen_split &split)
{
    if (split.bands == 1) {
        strassen_put_together(&split, 0);
        return;
    }
    tbb::task_group bands;
    for (unsigned i = 0; i < split.bands; i++) bands.run([&split, i] { strassen_put_together(&split, i); });
    bands.wait();
}

void multiply(const strassen_product &whole)
{
    strassen_split split;
    if (whole.n <= job.cutoff) {
        strassen_base(&whole);
        return;
    }
    if (!strassen_split_begin(&split, &whole)) return;
    tbb::task_group parts;
    for (unsigned i = 0; i < 7; i++) {
        parts.run([&split, i] {
            strassen_product part;
            if (!strassen_product_begin(&part, &split, i)) return;
            multiply(part);
            strassen_product_end(&part);
        });
    }
    parts.wait();
    put_all_together(split);
    strassen_split_end(&split);
}

int prepare(const perf_input *input, void **state, char *error, size_t room)
{
    *state = &job;
    int bad = strassen_prepare(input, &job, error, room);
    if (bad) return bad;
    bad = perf_arena_open(arena, input->workers, error, room);
    if (bad) strassen_discard(&job);
    return bad;
}

void run(void *)
{
    arena->arena.execute([] { multiply(strassen_whole(&job)); });
}

void discard(void *state)
{
    arena.reset();
    strassen_discard(state);
}

} // namespace

extern "C" const perf_implementation perf_strassen_tbb;
const perf_implementation perf_strassen_tbb = {"strassen", "tbb",          prepare, strassen_reset,
                                               run,        strassen_check, discard};
