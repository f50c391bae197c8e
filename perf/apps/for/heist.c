/* for as heist's parallel loop, in each of its schedules. */
#include <stdio.h>
#include <string.h>

#include <heist/loop.h>

#include "apps/for/for.h"
#include "harness/pool.h"

HEIST_LOOP(store, i, uint32_t *, cells)
{
    cells[i] = cheap_value((uint64_t)i);
}

static struct perf_pool pool;
static heist_loop_options options = HEIST_LOOP_OPTIONS_INIT;
static const char *schedule;
static int result;

static heist_schedule schedule_of(const char *name)
{
    static const struct {
        const char *name;
        heist_schedule schedule;
    } known[] = {{"static", HEIST_SCHEDULE_STATIC},
                 {"shared", HEIST_SCHEDULE_SHARED},
                 {"steal", HEIST_SCHEDULE_STEAL},
                 {"hybrid", HEIST_SCHEDULE_HYBRID},
                 {"auto", HEIST_SCHEDULE_AUTO}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].schedule;
    return HEIST_SCHEDULE_DEFAULT;
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    long batch;
    int bad = perf_number(perf_setting(input, "batch"), "a batch of", 0, 1000000000, &batch, error, room);
    if (!bad) bad = for_prepare(input, state, error, room);
    if (bad) return bad;
    schedule = strdup(perf_setting(input, "schedule"));
    options.schedule = schedule_of(schedule);
    options.batch = (uint64_t)batch;
    return perf_pool_open(&pool, input->workers, error, room);
}

static void run(void *state)
{
    const struct cheap *cheap = state;
    result = HEIST_FOR_WITH(&options, pool.pool, store, heist_upto(cheap->n), cheap->cells);
}

static void check(void *state, struct perf_outcome *outcome)
{
    for_check(state, outcome);
    if (result) snprintf(outcome->check, sizeof outcome->check, "the loop returned: %s", heist_strerror(result));
    snprintf(outcome->more, sizeof outcome->more, "\"schedule\":\"%s\",\"batch\":%llu", schedule,
             (unsigned long long)options.batch);
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    perf_pool_close(&pool);
    for_discard(state);
}

const struct perf_implementation perf_for_heist = {.workload = "for",
                                                   .runtime = "heist",
                                                   .prepare = prepare,
                                                   .reset = for_reset,
                                                   .run = run,
                                                   .check = check,
                                                   .discard = discard};
