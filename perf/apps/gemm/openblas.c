/* gemm by OpenBLAS with its own threads, as a yardstick. */
#include "apps/gemm/work.h"

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    struct gemm_work *work;
    int result = gemm_work_new_for_blas(input, "openblas", &work, error, room);
    if (result == 0) *state = work;
    return result;
}

static void run(void *state)
{
    const struct gemm_work *work = state;
    gemm_blas_multiply(work->method.blas, &work->product);
}

const struct perf_implementation perf_gemm_openblas = {
    .workload = "gemm",
    .runtime = "openblas",
    .prepare = prepare,
    .reset = gemm_work_reset,
    .run = run,
    .check = gemm_work_check,
    .discard = gemm_work_discard,
};
