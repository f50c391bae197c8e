/* fib in heist's tasks, whose joins are counted or not. */
#include <stdio.h>
#include <string.h>

#include "apps/fib/fib.h"
#include "apps/fib/fib_task.h"
#include "harness/pool.h"

static struct fib only;
static struct perf_pool pool;
static bool counted;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    int bad = fib_prepare(input, &only, error, room);
    counted = strcmp(perf_setting(input, "joins"), "counted") == 0;
    return bad ? bad : perf_pool_open(&pool, input->workers, error, room);
}

static void run(void *state)
{
    (void)state;
    only.result = counted ? HEIST_RUN(pool.pool, fib, only.n) : fib_uncounted(pool.pool, only.n);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    fib_check(&only, outcome);
    if (!counted) snprintf(outcome->more, sizeof outcome->more, "\"joins\":\"uncounted\"");
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    (void)state;
    perf_pool_close(&pool);
}

const struct perf_implementation perf_fib_heist = {
    .workload = "fib", .runtime = "heist", .prepare = prepare, .run = run, .check = check, .discard = discard};
