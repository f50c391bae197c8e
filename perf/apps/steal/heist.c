/* steal: a victim with one task at a time, and a thief with nothing else to do. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "harness/app.h"
#include "harness/pool.h"

/* Failed checks before the victim yields its core: there may be only one. */
#define PATIENCE 5000

static struct perf_pool pool;
static bool busy, fenced;
static long steals_wanted;

/* Tasks begun. Written by: the thief. Read by: the victim. */
static long begun;
static long at_home; /* tasks that the victim ran itself. Written by: the victim. */

HEIST_VOID_TASK(stolen, int, victim)
{
    if (heist_worker_number() == victim) at_home++;
    __atomic_store_n(&begun, begun + 1, __ATOMIC_RELEASE); /* the next may be offered: one writer at a time */
}

HEIST_VOID_TASK(nothing)
{
    __asm__ __volatile__("");
}

static bool is_begun(long i, long *looks)
{
    if (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) > i) return true;
    if (++*looks % PATIENCE == 0) sched_yield();
    return false;
}

HEIST_VOID_TASK(be_robbed_busy, int, me)
{
    long looks = 0;
    for (long i = 0; i < steals_wanted; i++) {
        HEIST_SPAWN(child, stolen, me);
        while (!is_begun(i, &looks)) {
        }
        HEIST_SYNC(child);
    }
}

HEIST_VOID_TASK(be_robbed_answering, int, me)
{
    long looks = 0;
    for (long i = 0; i < steals_wanted; i++) {
        HEIST_SPAWN(child, stolen, me);
        while (!is_begun(i, &looks)) {
            HEIST_SPAWN(younger, nothing);
            HEIST_SYNC(younger);
        }
        HEIST_SYNC(child);
    }
}

HEIST_VOID_TASK(be_robbed)
{
    if (busy)
        HEIST_CALL(be_robbed_busy, heist_worker_number());
    else
        HEIST_CALL(be_robbed_answering, heist_worker_number());
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    int bad = perf_number(input->size, "steals:", 1, 100000000, &steals_wanted, error, room);
    if (bad) return bad;
    busy = strcmp(perf_setting(input, "victim"), "busy") == 0;
    fenced = strcmp(perf_setting(input, "fence"), "on") == 0;
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = input->workers;
    options.spin = 1000000; /* wake measures thieves that sleep */
    options.fences = fenced ? HEIST_FENCES_BOTH : HEIST_FENCES_THIEF;
    return perf_pool_open_with(&pool, &options, error, room); /* -ENOTSUP where the kernel has no membarrier */
}

static void run(void *state)
{
    (void)state;
    begun = at_home = 0;
    HEIST_RUN(pool.pool, be_robbed);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    perf_pool_tell(&pool, outcome);
    perf_expect(outcome, "steals", begun - at_home, steals_wanted);
    snprintf(outcome->more, sizeof outcome->more, "\"fence\":\"%s\",\"victim\":\"%s\"", fenced ? "on" : "off",
             busy ? "busy" : "answering");
    outcome->tasks = (uint64_t)steals_wanted;
}

static void discard(void *state)
{
    (void)state;
    perf_pool_close(&pool);
}

const struct perf_implementation perf_steal_heist = {
    .workload = "steal", .runtime = "heist", .prepare = prepare, .run = run, .check = check, .discard = discard};
