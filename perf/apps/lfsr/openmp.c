/* Batches as iterations of OpenMP's loops; steal is the nearest thing, a taskloop. */
#include <errno.h>
#include <omp.h>
#include <stdio.h>

#include "apps/lfsr/census.h"

/* Batch number i. */
static void batch(struct lfsr_census *census, uint64_t i, uint64_t size)
{
    uint64_t from = i * size, to = from + size < census->reg.states ? from + size : census->reg.states;
    if (!lfsr_stop(&perf_interrupted)) lfsr_batch(census, (unsigned)omp_get_thread_num(), from, to);
}

static void by_schedule(struct lfsr_census *census, uint64_t batches, uint64_t size)
{
#pragma omp parallel for schedule(runtime) num_threads((int)census->workers)
    for (int64_t i = 0; i < (int64_t)batches; i++) batch(census, (uint64_t)i, size);
}

static void by_tasks(struct lfsr_census *census, uint64_t batches, uint64_t size)
{
    uint64_t taken = census->aggregate ? census->aggregate : 1;
#pragma omp parallel num_threads((int)census->workers)
#pragma omp single
#pragma omp taskloop grainsize(taken)
    for (int64_t i = 0; i < (int64_t)batches; i++) batch(census, (uint64_t)i, size);
}

static void loop(void *runtime, struct lfsr_census *census, uint64_t unit)
{
    static const omp_sched_t schedules[] = {omp_sched_static, omp_sched_dynamic, omp_sched_dynamic, omp_sched_guided,
                                            omp_sched_auto};
    (void)runtime;
    uint64_t size = census->batch;
    if (!size) { /* some 64 for each worker */
        uint64_t units = (census->reg.states + unit - 1) / unit, parts = UINT64_C(64) * census->workers;
        size = unit * (units > parts ? units / parts : 1);
    }
    uint64_t batches = (census->reg.states + size - 1) / size;
    /* Chunk 0 is the default: all of a thread's part for static, one otherwise. */
    omp_set_schedule(schedules[census->mode], census->aggregate < 1000000 ? (int)census->aggregate : 1000000);
    if (census->mode == LFSR_STEAL)
        by_tasks(census, batches, size);
    else
        by_schedule(census, batches, size);
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    struct lfsr_census *census;
    int result = lfsr_census_new(input, &census, error, room);
    if (result) return result;
    if (census->algorithm == LFSR_BY_ALGEBRA) {
        snprintf(error, room, "algebra has no batches: it is serial");
        lfsr_census_free(census);
        return -ENOTSUP;
    }
    omp_set_dynamic(0);
    census->loop = loop;
    *state = census;
    return 0;
}

/* Runs begin warm, as in a program that has one loop after another. */
static void reset(void *state)
{
    struct lfsr_census *census = state;
#pragma omp parallel num_threads((int)census->workers)
    {
        uint64_t until = lfsr_now() + 50000;
        while (lfsr_now() < until) {
        }
    }
}

static void run(void *state)
{
    lfsr_census_run(state);
}

static void check(void *state, struct perf_outcome *outcome)
{
    lfsr_census_check(state, outcome);
}

static void discard(void *state)
{
    lfsr_census_free(state);
}

const struct perf_implementation PERF_OPENMP(lfsr) = {"lfsr", PERF_OPENMP_RUNTIME, prepare, reset, run, check, discard};
