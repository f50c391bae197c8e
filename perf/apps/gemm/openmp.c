/* gemm as OpenMP tasks: the same pieces, cut in the same way. */
#include <omp.h>

#include "apps/gemm/work.h"

static void pack(const struct gemm_round *round, bool of_b, size_t from, size_t to, size_t grain)
{
    if (to - from <= grain) {
        if (of_b)
            gemm_pack_b(round, from, to);
        else
            gemm_pack_a(round, from, to);
        return;
    }
    size_t middle = from + (to - from) / 2;
#pragma omp task firstprivate(round, of_b, middle, to, grain)
    pack(round, of_b, middle, to, grain);
    pack(round, of_b, from, middle, grain);
#pragma omp taskwait
}

static void multiply(const struct gemm_round *round, struct gemm_tile tile)
{
    struct gemm_tile first, second;
    if (!gemm_tile_split(round, &tile, &first, &second)) {
        gemm_tile_multiply(round, &tile);
        return;
    }
#pragma omp task firstprivate(round, second)
    multiply(round, second);
    multiply(round, first);
#pragma omp taskwait
}

static void run_round(const struct gemm_round *round, void *context)
{
    (void)context;
#pragma omp task firstprivate(round)
    pack(round, false, 0, round->row_panels, gemm_pack_grain(round, false));
    pack(round, true, 0, round->column_panels, gemm_pack_grain(round, true));
#pragma omp taskwait
    multiply(round, gemm_tile_whole(round));
}

static void parts(const struct gemm_work *work, struct gemm_part part)
{
    struct gemm_part first, second;
    if (!gemm_part_split(&work->method, &part, &first, &second)) {
        gemm_rounds(&work->method, &part.product, (char *)work->workspace + part.workspace, run_round, NULL,
                    &perf_interrupted);
        return;
    }
#pragma omp task firstprivate(work, second)
    parts(work, second);
    parts(work, first);
#pragma omp taskwait
}

/* A leaf uses its thread's place; a leaf has no task scheduling point. */
static void recurse(const struct gemm_work *work, size_t stride, struct gemm_product product)
{
    struct gemm_product first, second;
    if (perf_interrupted) return;
    switch (gemm_product_split(&work->method, &product, &first, &second)) {
    case GEMM_LEAF:
        gemm_leaf_multiply(&work->method, &product, (char *)work->workspace + (size_t)omp_get_thread_num() * stride);
        break;
    case GEMM_BOTH:
#pragma omp task firstprivate(work, stride, second)
        recurse(work, stride, second);
        recurse(work, stride, first);
#pragma omp taskwait
        break;
    case GEMM_IN_TURN:
        recurse(work, stride, first);
        recurse(work, stride, second);
        break;
    }
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    struct gemm_work *work;
    int result = gemm_work_new(input, &work, error, room);
    if (result == 0) *state = work;
    return result;
}

static void run(void *state)
{
    struct gemm_work *work = state;
#pragma omp parallel num_threads((int)work->workers)
#pragma omp single
    {
        if (work->recursive)
            recurse(work, gemm_leaf_stride(&work->method, &work->product), work->product);
        else
            parts(work, gemm_part_whole(&work->method, &work->product));
    }
}

const struct perf_implementation PERF_OPENMP(gemm) = {
    .workload = "gemm",
    .runtime = PERF_OPENMP_RUNTIME,
    .prepare = prepare,
    .reset = gemm_work_reset,
    .run = run,
    .check = gemm_work_check,
    .discard = gemm_work_discard,
};
