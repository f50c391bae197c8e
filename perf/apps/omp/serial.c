/* omp with calls in place of tasks. */
#include "apps/omp/patterns.h"

static struct omp_patterns only;

/* Opaque to the compiler: a task is a call, too. */
__attribute__((noinline)) static void link_chain(void)
{
    omp_patterns_task();
    only.chain++;
}

__attribute__((noinline)) static void nested(long tasks)
{
    if (tasks == 0) return;
    omp_patterns_task();
    nested((tasks - 1) / 2);
    nested(tasks - 1 - (tasks - 1) / 2);
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    return omp_patterns_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
    switch (only.pattern) {
    case OMP_NESTED: nested(only.tasks); break;
    case OMP_DEPEND:
        for (long i = 0; i < only.tasks; i++) link_chain();
        break;
    default:
        for (long i = 0; i < only.tasks; i++) omp_patterns_task();
    }
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    omp_patterns_check(&only, outcome);
}

const struct perf_implementation perf_omp_serial = {
    .workload = "omp", .runtime = "serial", .prepare = prepare, .run = run, .check = check};
