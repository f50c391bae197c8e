/* wake: one task at a time, to workers that are known to sleep, or known to spin. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/app.h"
#include "harness/pool.h"

/* Pause between two samples: enough for a worker to fall asleep in the kernel, and for a worker that must not sleep to
 * show that it does not. */
#define QUIET_NS 100000
#define QUIET_AT_FIRST_NS 5000000
#define PATIENCE_NS 2000000000u

static struct perf_pool pool;
static bool parked, outside;
static long samples;
static uint64_t *latencies;
static long missed;   /* samples that no worker took */
static long restless; /* samples before which no worker had fallen asleep */
static uint64_t parks_before;

/* Written by: the task. Read by: the thread that made it. */
static uint64_t ran_at;
static int has_run;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t parks(void)
{
    heist_stats stats = {.size = sizeof stats};
    return heist_stats_read(pool.pool, &stats) ? 0 : stats.parks;
}

static void arrive(void *unused)
{
    (void)unused;
    ran_at = now();
    __atomic_store_n(&has_run, 1, __ATOMIC_RELEASE); /* pairs with waited(): ran_at is written */
}

HEIST_VOID_TASK(arrival)
{
    arrive(NULL);
}

static void spin_for(uint64_t ns)
{
    uint64_t end = now() + ns;
    while (now() < end) {
    }
}

/* Prepares sample i. For parked workers, waits until the worker that ran the sample before has parked; before the first
 * sample it only waits for some time. */
static void be_quiet(long i)
{
    uint64_t began = now();
    if (i == 0) spin_for(QUIET_AT_FIRST_NS);
    while (i > 0 && parked && parks() == parks_before && now() - began < PATIENCE_NS) {
    }
    spin_for(QUIET_NS);
    uint64_t parks_now = parks();
    restless += i > 0 && parked == (parks_now == parks_before);
    parks_before = parks_now;
    has_run = 0;
}

/* Whether the task was begun by another worker; waits for it without helping. */
static bool waited(uint64_t began)
{
    while (!__atomic_load_n(&has_run, __ATOMIC_ACQUIRE))
        if (now() - began > PATIENCE_NS) return false;
    return true;
}

HEIST_VOID_TASK(spawn_samples)
{
    for (long i = 0; i < samples && !perf_interrupted; i++) {
        be_quiet(i);
        uint64_t began = now();
        HEIST_SPAWN(child, arrival);
        if (waited(began))
            latencies[i] = ran_at - began;
        else
            missed++;
        HEIST_SYNC(child);
    }
}

static void submit_samples(void)
{
    for (long i = 0; i < samples && !perf_interrupted; i++) {
        be_quiet(i);
        uint64_t began = now();
        if (heist_submit(pool.pool, arrive, NULL, HEIST_WAIT) == 0 && waited(began))
            latencies[i] = ran_at - began;
        else
            missed++;
    }
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    int bad = perf_number(input->size, "samples:", 1, 1000000, &samples, error, room);
    if (bad) return bad;
    latencies = calloc((size_t)samples, sizeof *latencies);
    if (!latencies) return -ENOMEM;
    parked = strcmp(perf_setting(input, "state"), "parked") == 0;
    outside = strcmp(perf_setting(input, "from"), "outside") == 0;
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = input->workers;
    options.spin = parked ? 1 : 1000000;
    return perf_pool_open_with(&pool, &options, error, room);
}

static void reset(void *state)
{
    (void)state;
    missed = restless = 0;
    memset(latencies, 0, (size_t)samples * sizeof *latencies);
}

static void run(void *state)
{
    (void)state;
    if (outside)
        submit_samples();
    else
        HEIST_RUN(pool.pool, spawn_samples);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Whether the workers were in the required state. */
static void check_state(struct perf_outcome *outcome)
{
    if (perf_interrupted)
        snprintf(outcome->check, sizeof outcome->check, "interrupted");
    else if (missed)
        snprintf(outcome->check, sizeof outcome->check, "no worker took %ld of %ld tasks", missed, samples);
    else if (restless)
        snprintf(outcome->check, sizeof outcome->check, "workers were not %s for %ld of %ld tasks",
                 parked ? "parked" : "spinning", restless, samples);
    else
        snprintf(outcome->check, sizeof outcome->check, "ok");
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    check_state(outcome);
    qsort(latencies, (size_t)samples, sizeof *latencies, ascending);
    outcome->ns = latencies[samples / 2];
    snprintf(outcome->more, sizeof outcome->more, "\"state\":\"%s\",\"from\":\"%s\",\"least_ns\":%llu,\"p99_ns\":%llu",
             parked ? "parked" : "spinning", outside ? "outside" : "worker", (unsigned long long)latencies[0],
             (unsigned long long)latencies[samples - 1 - samples / 100]);
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    (void)state;
    perf_pool_close(&pool);
    free(latencies);
}

const struct perf_implementation perf_wake_heist = {.workload = "wake",
                                                    .runtime = "heist",
                                                    .prepare = prepare,
                                                    .reset = reset,
                                                    .run = run,
                                                    .check = check,
                                                    .discard = discard};
