/* wide in heist's tasks: the children are an array. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/wide/wide.h"
#include "harness/pool.h"

HEIST_TASK(long, one, long, i)
{
    return wide_one(i);
}

typedef HEIST_CHILD(one) child;

HEIST_TASK(long, newest_first, child *, children, long, n)
{
    for (long i = 0; i < n; i++) HEIST_SPAWN_AT(&children[i], one, i);
    long sum = 0;
    for (long i = n - 1; i >= 0; i--) sum += HEIST_SYNC_AT(&children[i], one);
    return sum;
}

HEIST_TASK(long, oldest_first, child *, children, long, n)
{
    for (long i = 0; i < n; i++) HEIST_SPAWN_AT(&children[i], one, i);
    long sum = 0;
    for (long i = 0; i < n; i++) sum += HEIST_SYNC_AT(&children[i], one);
    return sum;
}

static struct wide only;
static child *children;
static bool oldest;
static struct perf_pool pool;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    int bad = wide_prepare(input, &only, error, room);
    if (bad) return bad;
    oldest = strcmp(perf_setting(input, "join"), "oldest") == 0;
    children = calloc((size_t)only.n, sizeof *children);
    if (!children) {
        snprintf(error, room, "no memory for %ld children", only.n);
        bad = -ENOMEM;
    }
    return bad ? bad : perf_pool_open(&pool, input->workers, error, room);
}

static void run(void *state)
{
    (void)state;
    only.sum = oldest ? HEIST_RUN(pool.pool, oldest_first, children, only.n)
                      : HEIST_RUN(pool.pool, newest_first, children, only.n);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    wide_check(&only, outcome);
    snprintf(outcome->more, sizeof outcome->more, "\"join\":\"%s\"", oldest ? "oldest" : "newest");
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    (void)state;
    perf_pool_close(&pool);
    free(children);
}

const struct perf_implementation perf_wide_heist = {
    .workload = "wide", .runtime = "heist", .prepare = prepare, .run = run, .check = check, .discard = discard};
