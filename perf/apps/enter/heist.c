/* enter with heist: default options, except where a task must find a spinning worker. */
#include "apps/enter/heist.h"

#include <errno.h>
#include <stdio.h>

#include <heist/loop.h>

static struct enter only;
static struct perf_pool pool;

HEIST_VOID_TASK(left, struct enter *, e)
{
    enter_left(e);
}

HEIST_VOID_TASK(both, struct enter *, e)
{
    HEIST_SPAWN(child, left, e);
    enter_right(e);
    HEIST_SYNC(child);
}

HEIST_LOOP(iterate, i, struct enter *, e)
{
    enter_iteration(e, i);
}

HEIST_TASK(int, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    int right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

typedef void measure_function(struct enter *e);

HEIST_VOID_TASK(within, measure_function *, measure, struct enter *, e)
{
    measure(e);
}

/* Inside a task this is a plain call. */
static void run_both(struct enter *e)
{
    HEIST_RUN(pool.pool, both, e);
}

static void run_loop(struct enter *e)
{
    HEIST_FOR(pool.pool, iterate, heist_upto(e->n), e);
}

static void inside(measure_function *measure, struct enter *e)
{
    HEIST_RUN(pool.pool, within, measure, e);
}

static int run_fib(void)
{
    return HEIST_RUN(pool.pool, fib, ENTER_FIB);
}

static const struct enter_calls calls = {.run = run_both,
                                         .loop = run_loop,
                                         .run_inside = run_both,
                                         .loop_inside = run_loop,
                                         .inside = inside,
                                         .fib = run_fib};

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    heist_options options = HEIST_OPTIONS_INIT;
    int bad = enter_prepare(input, &only, error, room);
    if (bad) return bad;
    if (only.shape == ENTER_SPAWNED && input->workers < 2) {
        snprintf(error, room, "spawned wants at least 2 workers");
        return -ENOTSUP;
    }
    options.workers = input->workers;
    if (only.shape == ENTER_SPAWNED && !only.cold) options.spin = 1000000;
    return perf_pool_open_with(&pool, &options, error, room);
}

static void run(void *state)
{
    (void)state;
    if (only.shape == ENTER_SPAWNED)
        enter_spawned(&only, &pool);
    else
        enter_turn(&only, &calls);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    enter_check(&only, outcome);
    if (only.shape == ENTER_SPAWNED) enter_spawned_check(outcome);
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    (void)state;
    enter_spawned_discard();
    perf_pool_close(&pool);
    enter_discard(&only);
}

const struct perf_implementation perf_enter_heist = {
    .workload = "enter", .runtime = "heist", .prepare = prepare, .run = run, .check = check, .discard = discard};
