/* gemm on heist: tiles.c, or recursive.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gemm/seeds.h"
#include "apps/gemm/work.h"
#include "harness/pool.h"

struct workers {
    struct perf_pool pool;
    uint64_t tasks; /* up to the last check */
};

static uint64_t tasks_so_far(const struct workers *workers)
{
    heist_stats stats = {.size = sizeof stats};
    heist_stats_read(workers->pool.pool, &stats);
    return stats.tasks;
}

static int start_workers(struct gemm_work *work, char *error, size_t room)
{
    struct workers *workers = calloc(1, sizeof *workers);
    if (!workers) {
        snprintf(error, room, "no memory");
        return -ENOMEM;
    }
    int result = perf_pool_open(&workers->pool, work->workers, error, room);
    if (result < 0) {
        free(workers);
        return result;
    }
    work->runtime = workers;
    return 0;
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    struct gemm_work *work;
    int result = gemm_work_new(input, &work, error, room);
    if (result < 0) return result;
    result = start_workers(work, error, room);
    if (result < 0)
        gemm_work_free(work);
    else
        *state = work;
    return result;
}

static void run(void *state)
{
    const struct gemm_work *work = state;
    const struct workers *workers = work->runtime;
    if (work->recursive)
        gemm_heist_recursive(workers->pool.pool, &work->method, &work->product, work->workspace, &perf_interrupted);
    else
        gemm_heist_tiles(workers->pool.pool, &work->method, &work->product, work->workspace, &perf_interrupted);
}

/* Adds the seeds' figures for the same product and as many threads to the row. */
static void tell_seeds(const struct gemm_work *work, struct perf_outcome *outcome)
{
    const struct gemm_seeds_row *row = gemm_seeds_row(&work->product, work->workers);
    size_t length = strlen(outcome->more);
    if (row)
        snprintf(outcome->more + length, sizeof outcome->more - length,
                 ",\"seeds_gflops\":%.1f,\"seeds_efficiency\":%.2f", row->gflops, row->efficiency);
}

static void check(void *state, struct perf_outcome *outcome)
{
    struct gemm_work *work = state;
    struct workers *workers = work->runtime;
    gemm_work_check(work, outcome);
    tell_seeds(work, outcome);
    perf_pool_tell(&workers->pool, outcome);
    uint64_t tasks = tasks_so_far(workers);
    outcome->tasks = tasks - workers->tasks;
    workers->tasks = tasks;
}

static void discard(void *state)
{
    struct gemm_work *work = state;
    struct workers *workers = work->runtime;
    perf_pool_close(&workers->pool);
    free(workers);
    gemm_work_free(work);
}

const struct perf_implementation perf_gemm_heist = {
    .workload = "gemm",
    .runtime = "heist",
    .prepare = prepare,
    .reset = gemm_work_reset,
    .run = run,
    .check = check,
    .discard = discard,
};
