/* gemm with TBB's task groups: the same pieces, cut in the same way. */
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "apps/gemm/work.h"
#include "harness/arena.hpp"

namespace
{

std::unique_ptr<perf_arena> arena;

void pack(const gemm_round *round, bool of_b, size_t from, size_t to, size_t grain)
{
    if (to - from <= grain) {
        if (of_b)
            gemm_pack_b(round, from, to);
        else
            gemm_pack_a(round, from, to);
        return;
    }
    size_t middle = from + (to - from) / 2;
    tbb::task_group upper;
    upper.run([=] { pack(round, of_b, middle, to, grain); });
    pack(round, of_b, from, middle, grain);
    upper.wait();
}

void multiply(const gemm_round *round, const gemm_tile &tile)
{
    gemm_tile first, second;
    if (!gemm_tile_split(round, &tile, &first, &second)) {
        gemm_tile_multiply(round, &tile);
        return;
    }
    tbb::task_group other;
    other.run([=] { multiply(round, second); });
    multiply(round, first);
    other.wait();
}

void run_round(const gemm_round *round, void *)
{
    tbb::task_group rows;
    rows.run([=] { pack(round, false, 0, round->row_panels, gemm_pack_grain(round, false)); });
    pack(round, true, 0, round->column_panels, gemm_pack_grain(round, true));
    rows.wait();
    multiply(round, gemm_tile_whole(round));
}

void parts(const gemm_work *work, const gemm_part &part)
{
    gemm_part first, second;
    if (!gemm_part_split(&work->method, &part, &first, &second)) {
        gemm_rounds(&work->method, &part.product, static_cast<char *>(work->workspace) + part.workspace, run_round,
                    nullptr, &perf_interrupted);
        return;
    }
    tbb::task_group other;
    other.run([=] { parts(work, second); });
    parts(work, first);
    other.wait();
}

/* A leaf uses its thread's place; it waits for nothing, so no other leaf runs there meanwhile. */
void leaf(const gemm_work *work, const gemm_product &product)
{
    size_t number = static_cast<size_t>(tbb::this_task_arena::current_thread_index());
    char *place = static_cast<char *>(work->workspace) + number * gemm_leaf_stride(&work->method, &work->product);
    gemm_leaf_multiply(&work->method, &product, place);
}

void recurse(const gemm_work *work, const gemm_product &product)
{
    gemm_product first, second;
    if (perf_interrupted) return;
    switch (gemm_product_split(&work->method, &product, &first, &second)) {
    case GEMM_LEAF: leaf(work, product); break;
    case GEMM_BOTH: {
        tbb::task_group other;
        other.run([=] { recurse(work, second); });
        recurse(work, first);
        other.wait();
        break;
    }
    case GEMM_IN_TURN:
        recurse(work, first);
        recurse(work, second);
        break;
    }
}

int prepare(const perf_input *input, void **state, char *error, size_t room)
{
    gemm_work *work;
    int bad = gemm_work_new(input, &work, error, room);
    if (bad) return bad;
    bad = perf_arena_open(arena, input->workers, error, room);
    if (bad)
        gemm_work_free(work);
    else
        *state = work;
    return bad;
}

void run(void *state)
{
    const gemm_work *work = static_cast<const gemm_work *>(state);
    arena->arena.execute([=] {
        if (work->recursive)
            recurse(work, work->product);
        else
            parts(work, gemm_part_whole(&work->method, &work->product));
    });
}

void discard(void *state)
{
    arena.reset();
    gemm_work_discard(state);
}

} // namespace

extern "C" const perf_implementation perf_gemm_tbb;
const perf_implementation perf_gemm_tbb = {"gemm", "tbb", prepare, gemm_work_reset, run, gemm_work_check, discard};
