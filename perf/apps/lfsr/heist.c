/* Batches as iterations of heist_for, whose schedules are the modes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/lfsr/census.h"
#include "harness/pool.h"

struct on_heist {
    struct perf_pool pool;
    struct lfsr_census *census;
    uint64_t unit; /* states of one iteration */
};

static const heist_schedule schedules[] = {HEIST_SCHEDULE_STATIC, HEIST_SCHEDULE_SHARED, HEIST_SCHEDULE_STEAL,
                                           HEIST_SCHEDULE_HYBRID, HEIST_SCHEDULE_AUTO};

static const char *name_of(heist_schedule schedule)
{
    switch (schedule) {
    case HEIST_SCHEDULE_STATIC: return "static";
    case HEIST_SCHEDULE_SHARED: return "shared";
    case HEIST_SCHEDULE_STEAL: return "steal";
    case HEIST_SCHEDULE_HYBRID: return "hybrid";
    default: return "inline";
    }
}

static int batch(heist_range part, void *context)
{
    struct on_heist *on = context;
    uint64_t from = (uint64_t)part.begin * on->unit, to = (uint64_t)part.end * on->unit;
    lfsr_batch(on->census, (unsigned)heist_worker_number(), from, to);
    return lfsr_stop(&perf_interrupted);
}

/* Batches of a given size are counted in states, one iteration each; otherwise an iteration is a unit. */
static void loop(void *runtime, struct lfsr_census *census, uint64_t unit)
{
    struct on_heist *on = runtime;
    heist_loop_options options = HEIST_LOOP_OPTIONS_INIT;
    heist_loop_report report = {.size = sizeof report};
    on->unit = census->batch ? 1 : unit;
    options.schedule = schedules[census->mode];
    options.batch = census->batch;
    options.take = census->aggregate;
    if (census->metered && census->mode == LFSR_AUTO) options.report = &report; /* reports its choice */
    /* A unit divides the states. */
    heist_for(on->pool.pool, heist_upto((int64_t)(census->reg.states / on->unit)), batch, on, &options);
    if (options.report) census->chosen = name_of(report.schedule);
}

/* Binds the workers to cores, evenly: otherwise the system often puts a woken worker behind the worker that woke it,
 * and a loop of a millisecond ends before the system moves it. */
static int open_pool(struct perf_pool *pool, unsigned workers, char *error, size_t room)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    if (!getenv("HEIST_BIND")) options.bind = HEIST_BIND_CORE;
    return perf_pool_open_with(pool, &options, error, room);
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
    struct on_heist *on = calloc(1, sizeof *on);
    if (on) {
        result = open_pool(&on->pool, input->workers, error, room);
    } else {
        result = -ENOMEM;
        snprintf(error, room, "no memory");
    }
    if (result) {
        lfsr_census_free(census);
        free(on);
        return result;
    }
    on->census = census;
    census->loop = loop;
    census->runtime = on;
    *state = on;
    return 0;
}

/* A worker's part: long enough for the other workers to arrive. */
static int be_there(heist_range part, void *context)
{
    (void)part;
    (void)context;
    uint64_t until = lfsr_now() + 50000;
    while (lfsr_now() < until) {
    }
    return 0;
}

/* Runs begin warm, as in a program that has one loop after another; the other runtimes do likewise. */
static void reset(void *state)
{
    struct on_heist *on = state;
    heist_loop_options options = HEIST_LOOP_OPTIONS_INIT;
    options.schedule = HEIST_SCHEDULE_STATIC;
    heist_for(on->pool.pool, heist_upto((int64_t)on->census->workers), be_there, NULL, &options);
}

static void take_census(void *census)
{
    lfsr_census_run(census);
}

/* In the pool, not around it: the code after the loops then runs where the loops ran, and finds their results in the
 * cache, as it does in the serial program. */
static void run(void *state)
{
    struct on_heist *on = state;
    heist_run(on->pool.pool, take_census, on->census);
}

static void check(void *state, struct perf_outcome *outcome)
{
    struct on_heist *on = state;
    struct perf_outcome metered;
    perf_pool_tell(&on->pool, outcome);
    lfsr_census_check(on->census, outcome);
    perf_pool_tell(&on->pool, &metered); /* a metered run's steals are of no timed one */
}

static void discard(void *state)
{
    struct on_heist *on = state;
    perf_pool_close(&on->pool);
    lfsr_census_free(on->census);
    free(on);
}

const struct perf_implementation perf_lfsr_heist = {"lfsr", "heist", prepare, reset, run, check, discard};
