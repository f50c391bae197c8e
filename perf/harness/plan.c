/* From what was asked for to the list of cells. */
#include <stdlib.h>
#include <string.h>

#include "harness/cell.h"

static size_t option_count(const struct perf_workload *workload)
{
    size_t count = 0;
    while (workload->options && workload->options[count].name) count++;
    return count;
}

/* Goes on to the next choice of values for the options that matter to `runtime`, as an odometer does. False when all have
 * been. */
static bool next_choice(const struct perf_job *job, const char *runtime, size_t chosen[])
{
    for (size_t i = option_count(job->workload); i-- > 0;) {
        if (!perf_option_matters(&job->workload->options[i], runtime)) continue;
        if (++chosen[i] < job->values[i].count) return true;
        chosen[i] = 0;
    }
    return false;
}

/* So many that nobody waits for them: lists that are multiplied with each other soon are more than memory holds. */
#define MOST_CELLS 10000

/* How many cells a runtime has for one size; no more than MOST_CELLS + 1 are counted. */
static size_t count_runtime(const struct perf_job *job, const char *runtime)
{
    if (!perf_find_offer(job->workload, runtime)) return 0;
    size_t count = strcmp(runtime, "serial") == 0 ? 1 : job->workers.count;
    for (size_t i = 0; i < option_count(job->workload) && count <= MOST_CELLS; i++)
        if (perf_option_matters(&job->workload->options[i], runtime)) count *= job->values[i].count;
    return count <= MOST_CELLS ? count : MOST_CELLS + 1;
}

static bool too_many(const struct perf_command *command)
{
    size_t count = 0;
    for (size_t j = 0; j < command->job_count && count <= MOST_CELLS; j++) {
        const struct perf_job *job = &command->jobs[j];
        for (int r = 0; perf_runtimes[r].name && count <= MOST_CELLS; r++)
            if (command->runtimes[r]) count += job->sizes.count * count_runtime(job, perf_runtimes[r].name);
    }
    return count > MOST_CELLS;
}

static void add(struct perf_plan *plan, const struct perf_job *job, const struct perf_offer *offer, const char *size,
                unsigned workers, const size_t chosen[], long runs)
{
    struct perf_cell *cell = perf_allocate(1, sizeof *cell);
    if ((plan->count & (plan->count - 1)) == 0) { /* full: room for twice as many */
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
    if (!offer) return;
    do {
        bool serial = strcmp(runtime, "serial") == 0;
        for (size_t w = 0; w < (serial ? 1 : job->workers.count); w++) {
            unsigned workers = serial ? 1 : (unsigned)strtoul(job->workers.items[w], NULL, 10);
            add(plan, job, offer, size, workers, chosen, command->runs);
        }
    } while (next_choice(job, runtime, chosen));
}

/* Whether two cells differ in their workers or runtime only. */
static bool alike(const struct perf_cell *a, const struct perf_cell *b)
{
    return a->workload == b->workload && a->size == b->size &&
           memcmp(a->settings, b->settings, sizeof a->settings) == 0;
}

/* Whether the workload can do what the cell is to be. */
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
