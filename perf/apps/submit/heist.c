/* submit through heist's inbox. */
#include <stdio.h>
#include <string.h>

#include "apps/submit/submit.h"
#include "harness/pool.h"

static struct submit only;
static struct perf_pool pool;
static heist_scope scope;
static bool to_scope;
static int failure; /* the first error of a call; any submitter may write it, and any error will do */

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    int bad = submit_prepare(input, &only, error, room);
    to_scope = strcmp(perf_setting(input, "to"), "scope") == 0;
    return bad ? bad : perf_pool_open(&pool, input->workers, error, room);
}

static void task(void *unused)
{
    (void)unused;
    submit_count();
}

static void note(int result)
{
    if (result) __atomic_store_n(&failure, result, __ATOMIC_RELAXED); /* relaxed: read after the threads' end */
}

static void one(long thread)
{
    (void)thread;
    note(to_scope ? heist_scope_submit(&scope, task, NULL, HEIST_WAIT)
                  : heist_submit(pool.pool, task, NULL, HEIST_WAIT));
}

static void finish(void)
{
    note(to_scope ? heist_scope_wait(&scope) : heist_pool_wait(pool.pool));
}

static void run(void *state)
{
    (void)state;
    failure = 0;
    if (to_scope) note(heist_scope_begin(&scope, pool.pool));
    if (!failure) submit_run(&only, one, finish);
    if (to_scope && !failure) note(heist_scope_end(&scope));
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    submit_check(&only, outcome);
    if (failure) snprintf(outcome->check, sizeof outcome->check, "%s", heist_strerror(failure));
    snprintf(outcome->more, sizeof outcome->more, "\"threads\":%ld,\"to\":\"%s\",\"tasks_per_second\":%.0f",
             only.threads, to_scope ? "scope" : "pool", only.ns ? 1e9 * (double)only.tasks / (double)only.ns : 0);
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    (void)state;
    perf_pool_close(&pool);
}

const struct perf_implementation perf_submit_heist = {
    .workload = "submit", .runtime = "heist", .prepare = prepare, .run = run, .check = check, .discard = discard};
