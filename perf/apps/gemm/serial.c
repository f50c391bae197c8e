/* The serial twin: the same tiles, one after the other, without any runtime. */
#include "apps/gemm/work.h"

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
    if (work->recursive)
        gemm_serial_recursive(&work->method, &work->product, work->workspace, &perf_interrupted);
    else
        gemm_serial_tiles(&work->method, &work->product, work->workspace, &perf_interrupted);
}

const struct perf_implementation perf_gemm_serial = {
    .workload = "gemm",
    .runtime = "serial",
    .prepare = prepare,
    .reset = gemm_work_reset,
    .run = run,
    .check = gemm_work_check,
    .discard = gemm_work_discard,
};
