/* Makes rows from cells: the figures that need the times of several cells, and the text of each column. */
#include "harness/row.h"

#include <inttypes.h>
#include <string.h>

#include "harness/json.h"
#include "harness/machine.h"

const char *const perf_promised[PERF_PROMISED] = {"workload",  "size",  "runtime",     "workers", "runs",      "min_ns",
                                                  "median_ns", "tasks", "ns_per_task", "speedup", "vs_serial", "gflops",
                                                  "steals",    "check", "cpu_ns",      "others"};

/* Whether two cells differ only in the number of workers, and in options that the runtime of `other` does not use. */
static bool comparable(const struct perf_cell *cell, const struct perf_cell *other)
{
    if (cell->workload != other->workload || cell->size != other->size || other->runs == 0) return false;
    const struct perf_option *options = cell->workload->options;
    for (size_t i = 0; options && options[i].name; i++) {
        if (perf_option_matters(&options[i], other->offer->runtime, other->size) &&
            strcmp(cell->settings[i], other->settings[i]) != 0)
            return false;
    }
    return true;
}

/* The least time of one worker of `runtime` on the same problem; 0 if there is none. */
static double one_worker_of(const struct perf_plan *plan, const struct perf_cell *cell, const char *runtime)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct perf_cell *other = plan->cells[i];
        if (other->workers == 1 && strcmp(other->offer->runtime, runtime) == 0 && comparable(cell, other))
            return (double)other->ns[0];
    }
    return 0;
}

/* A row with less than this part of its cores was short of them. */
#define MOST_DENIED 0.9
/* Other programs that use fewer cores than this do no harm: some such program always runs. */
#define OTHERS_MATTER 0.1

/* A row that was short of cores says nothing about its runtime: with one core for two workers no runtime is twice as
 * fast, in any run. If the rest of the machine was idle, on the other hand, the workers slept by themselves. */
static void tell_cores(struct perf_row *row, long usual_workers)
{
    const struct perf_cell *cell = row->cell;
    if (!row->timed || !cell->cpu_ns || !row->min_ns) return;
    row->cores = (double)cell->cpu_ns / (double)row->min_ns;
    row->wanted = (double)perf_cores_for((long)cell->workers, usual_workers);
    row->denied = row->cores < MOST_DENIED * row->wanted && cell->others >= OTHERS_MATTER;
}

static struct perf_row make_row(const struct perf_plan *plan, const struct perf_cell *cell)
{
    struct perf_row row = {.cell = cell, .timed = cell->runs > 0};
    if (!row.timed) return row;
    row.min_ns = cell->ns[0];
    row.median_ns =
        cell->runs % 2 ? cell->ns[cell->runs / 2] : (cell->ns[cell->runs / 2 - 1] + cell->ns[cell->runs / 2]) / 2;
    double least = row.min_ns ? (double)row.min_ns : 1;
    if (cell->outcome.tasks) row.ns_per_task = least / (double)cell->outcome.tasks;
    if (cell->outcome.flops > 0) row.gflops = cell->outcome.flops / least;
    if (!cell->workload->latency) {
        row.speedup = one_worker_of(plan, cell, cell->offer->runtime) / least;
        row.vs_serial = one_worker_of(plan, cell, "serial") / least;
    }
    return row;
}

/* Workers without a core of their own do not lower the efficiency. */
static double efficiency(const struct perf_row *row, long usual_workers)
{
    if (!row->cell->workload->efficiency || !row->timed) return 0;
    double gain = row->vs_serial > 0 ? row->vs_serial : row->speedup;
    return gain / (double)perf_cores_for((long)row->cell->workers, usual_workers);
}

void perf_make_rows(struct perf_rows *rows, const struct perf_plan *plan, const struct perf_command *command)
{
    rows->rows = perf_allocate(plan->count, sizeof *rows->rows);
    rows->count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (!plan->cells[i]->begun) continue;
        struct perf_row *row = &rows->rows[rows->count++];
        *row = make_row(plan, plan->cells[i]);
        row->efficiency = efficiency(row, command->usual_workers);
        tell_cores(row, command->usual_workers);
    }
}

static void real_text(double value, char *text, size_t room)
{
    if (value > 0) snprintf(text, room, "%.6g", value);
}

static void whole_text(uint64_t value, char *text, size_t room)
{
    snprintf(text, room, "%" PRIu64, value);
}

void perf_row_text(const struct perf_row *row, int column, char *text, size_t room)
{
    const struct perf_cell *cell = row->cell;
    text[0] = '\0';
    switch (column) {
    case 0: snprintf(text, room, "%s", cell->workload->name); break;
    case 1: snprintf(text, room, "%s", cell->size); break;
    case 2: snprintf(text, room, "%s", cell->offer->runtime); break;
    case 3: whole_text(cell->workers, text, room); break;
    case 4: whole_text((uint64_t)cell->runs, text, room); break;
    case 5:
        if (row->timed) whole_text(row->min_ns, text, room);
        break;
    case 6:
        if (row->timed) whole_text(row->median_ns, text, room);
        break;
    case 7:
        if (row->timed && cell->outcome.tasks) whole_text(cell->outcome.tasks, text, room);
        break;
    case 8: real_text(row->ns_per_task, text, room); break;
    case 9: real_text(row->speedup, text, room); break;
    case 10: real_text(row->vs_serial, text, room); break;
    case 11: real_text(row->gflops, text, room); break;
    case 12:
        if (row->timed && cell->outcome.has_steals) whole_text(cell->outcome.steals, text, room);
        break;
    case PERF_CPU_NS:
        if (row->timed && cell->cpu_ns) whole_text(cell->cpu_ns, text, room);
        break;
    case PERF_OTHERS:
        if (row->timed && cell->others >= 0) snprintf(text, room, "%.2f", cell->others);
        break;
    default: snprintf(text, room, "%s", cell->check); break;
    }
}

void perf_row_more(const struct perf_row *row, const char *name, char *text, size_t room)
{
    struct perf_member member;
    text[0] = '\0';
    for (const char *at = row->cell->outcome.more; perf_json_member(&at, &member);) {
        if (strlen(name) != member.name_length || strncmp(name, member.name, member.name_length) != 0) continue;
        /* Removes the quotes of a string; the problems put no others into it. */
        bool string = member.value[0] == '"' && member.value_length >= 2;
        snprintf(text, room, "%.*s", (int)member.value_length - (string ? 2 : 0), member.value + (string ? 1 : 0));
        return;
    }
}

void perf_more_columns(struct perf_columns *columns, const struct perf_rows *rows)
{
    struct perf_member member;
    *columns = (struct perf_columns){perf_allocate(64, sizeof(char *)), 0};
    for (size_t i = 0; i < rows->count; i++) {
        for (const char *at = rows->rows[i].cell->outcome.more; perf_json_member(&at, &member);) {
            bool known = false;
            for (size_t k = 0; k < columns->count; k++)
                known = known || (strlen(columns->names[k]) == member.name_length &&
                                  strncmp(columns->names[k], member.name, member.name_length) == 0);
            if (!known && columns->count < 64)
                columns->names[columns->count++] = perf_copy(member.name, member.name_length);
        }
    }
}
