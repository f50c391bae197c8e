/* From the command to the list of cells. */
#include <stdlib.h>
#include <string.h>

#include "harness/cell.h"

static size_t option_count(const struct perf_workload *workload)
{
    size_t count = 0;
    while (workload->options && workload->options[count].name) count++;
    return count;
}

/* Whether a runtime supports a workload at a size. */
static bool can(const struct perf_workload *workload, const char *runtime, const char *size)
{
    return perf_find_offer(workload, runtime) && (!workload->has || workload->has(size, runtime));
}

/* Advances to the next choice of values for the options that `runtime` uses at `size`, like an odometer. False after
 * the last choice. */
static bool next_choice(const struct perf_job *job, const char *runtime, const char *size, size_t chosen[])
{
    for (size_t i = option_count(job->workload); i-- > 0;) {
        if (!perf_option_matters(&job->workload->options[i], runtime, size)) continue;
        if (++chosen[i] < job->values[i].count) return true;
        chosen[i] = 0;
    }
    return false;
}

/* The most cells: lists that are multiplied with each other soon exceed memory and patience. */
#define MOST_CELLS 10000

/* Number of cells of a runtime for one size; counts at most MOST_CELLS + 1. */
static size_t count_runtime(const struct perf_job *job, const char *runtime, const char *size)
{
    if (!can(job->workload, runtime, size)) return 0;
    size_t count = strcmp(runtime, "serial") == 0 ? 1 : job->workers.count;
    for (size_t i = 0; i < option_count(job->workload) && count <= MOST_CELLS; i++)
        if (perf_option_matters(&job->workload->options[i], runtime, size)) count *= job->values[i].count;
    return count <= MOST_CELLS ? count : MOST_CELLS + 1;
}

static bool too_many(const struct perf_command *command)
{
    size_t count = 0;
    for (size_t j = 0; j < command->job_count && count <= MOST_CELLS; j++) {
        const struct perf_job *job = &command->jobs[j];
        for (size_t s = 0; s < job->sizes.count && count <= MOST_CELLS; s++)
            for (int r = 0; perf_runtimes[r].name && count <= MOST_CELLS; r++)
                if (command->runtimes[r]) count += count_runtime(job, perf_runtimes[r].name, job->sizes.items[s]);
    }
    return count > MOST_CELLS;
}

static void add(struct perf_plan *plan, const struct perf_job *job, const struct perf_offer *offer, const char *size,
                unsigned workers, const size_t chosen[], long runs)
{
    struct perf_cell *cell = perf_allocate(1, sizeof *cell);
    if ((plan->count & (plan->count - 1)) == 0) { /* full: doubles the room */
        struct perf_cell **cells = perf_allocate(plan->count ? 2 * plan->count : 1, sizeof(struct perf_cell *));
        if (plan->count) memcpy(cells, plan->cells, plan->count * sizeof(struct perf_cell *));
        plan->cells = cells;
    }
    plan->cells[plan->count++] = cell;
    cell->workload = job->workload;
    cell->offer = offer;
    cell->size = size;
    cell->workers = workers;
    cell->ns = perf_allocate((size_t)runs, sizeof *cell->ns);
    for (size_t i = 0; i < option_count(job->workload); i++) cell->settings[i] = job->values[i].items[chosen[i]];
}

static void add_runtime(struct perf_plan *plan, const struct perf_command *command, const struct perf_job *job,
                        const char *size, const char *runtime)
{
    const struct perf_offer *offer = perf_find_offer(job->workload, runtime);
    size_t chosen[PERF_MOST_OPTIONS] = {0};
    if (!can(job->workload, runtime, size)) return;
    do {
        bool serial = strcmp(runtime, "serial") == 0;
        for (size_t w = 0; w < (serial ? 1 : job->workers.count); w++) {
            unsigned workers = serial ? 1 : (unsigned)strtoul(job->workers.items[w], NULL, 10);
            add(plan, job, offer, size, workers, chosen, command->runs);
        }
    } while (next_choice(job, runtime, size, chosen));
}

/* Whether two cells differ only in their workers or runtime. */
static bool alike(const struct perf_cell *a, const struct perf_cell *b)
{
    return a->workload == b->workload && a->size == b->size &&
           memcmp(a->settings, b->settings, sizeof a->settings) == 0;
}

/* Whether the workload supports the cell. */
static int agree(const struct perf_cell *cell)
{
    const struct perf_workload *w = cell->workload;
    const char *settings[2 * PERF_MOST_OPTIONS + 1] = {NULL};
    char error[300] = "";
    for (size_t i = 0; i < option_count(w); i++) {
        settings[2 * i] = w->options[i].name;
        settings[2 * i + 1] = cell->settings[i];
    }
    if (!w->agree || w->agree(&(struct perf_input){cell->size, 1, settings}, error, sizeof error) == 0) return 0;
    perf_complain("%s: %s", w->name, error);
    return -1;
}

int perf_make_plan(struct perf_plan *plan, const struct perf_command *command)
{
    *plan = (struct perf_plan){NULL, 0};
    if (too_many(command)) {
        perf_complain("these lists make more than %d measurements", MOST_CELLS);
        return -1;
    }
    for (size_t j = 0; j < command->job_count; j++) {
        const struct perf_job *job = &command->jobs[j];
        for (size_t s = 0; s < job->sizes.count; s++) {
            for (int r = 0; perf_runtimes[r].name; r++)
                if (command->runtimes[r]) add_runtime(plan, command, job, job->sizes.items[s], perf_runtimes[r].name);
        }
    }
    for (size_t i = 0; i < plan->count; i++)
        if ((i == 0 || !alike(plan->cells[i - 1], plan->cells[i])) && agree(plan->cells[i])) return -1;
    return 0;
}
