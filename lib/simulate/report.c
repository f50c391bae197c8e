/* report.c: the rows of an answer, as a table, as CSV or as JSON. */
#include <string.h>

#include "simulate/command.h"

void heist__sim_row_add(heist__sim_row *row, const heist__sim_result *r)
{
    row->workers = r->workers;
    row->runs++;
    row->time += (double)r->time / 1e3;
    row->work += (double)r->work / 1e3;
    row->span += (double)r->span / 1e3;
    row->tasks += (double)r->tasks;
    row->stolen += (double)heist__sim_stolen(r);
    for (unsigned l = 0; l < HEIST__SIM_LEVELS; l++) row->steals[l] += (double)r->steals[l];
    row->leapfrogs += (double)r->leapfrogs;
    row->looks += (double)r->looks;
    row->lost += (double)r->lost;
    row->wakes += (double)r->wakes;
    row->sleeps += (double)r->sleeps;
    row->spread += (double)r->spread / 1e3;
    row->busy += (double)r->busy / 1e3;
    row->used += r->used;
    row->events += (double)r->events;
}

void heist__sim_row_mean(heist__sim_row *row)
{
    double *sums[] = {&row->time, &row->work,  &row->span,   &row->tasks,  &row->stolen, &row->leapfrogs, &row->looks,
                      &row->lost, &row->wakes, &row->sleeps, &row->spread, &row->busy,   &row->used,      &row->events};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) *sums[i] /= row->runs;
    for (unsigned l = 0; l < HEIST__SIM_LEVELS; l++) row->steals[l] /= row->runs;
}

const char *heist__sim_time(double ns, char text[24])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    unsigned unit = 0;
    for (; unit < 3 && ns >= 999.5; unit++) ns /= 1000;
    snprintf(text, 24, "%.*f %s", ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0, ns, units[unit]);
    return text;
}

/* One column: its name in CSV and JSON, its heading in a table (NULL: not there). */
typedef struct {
    const char *name, *heading;
    enum { COUNT, TIME, RATIO, PERCENT } kind;
    double (*value)(const heist__sim_row *row);
} column;

static double time_of(const heist__sim_row *r)
{
    return r->time;
}
static double efficiency(const heist__sim_row *r)
{
    return heist__sim_speedup(r) / r->workers;
}
static double idle(const heist__sim_row *r)
{
    return r->time > 0 ? 1 - r->busy / (r->time * r->workers) : 0;
}
static double work_of(const heist__sim_row *r)
{
    return r->work;
}
static double span_of(const heist__sim_row *r)
{
    return r->span;
}
static double tasks_of(const heist__sim_row *r)
{
    return r->tasks;
}
static double stolen_of(const heist__sim_row *r)
{
    return r->stolen;
}
static double leapfrogs_of(const heist__sim_row *r)
{
    return r->leapfrogs;
}
static double lost_of(const heist__sim_row *r)
{
    return r->lost;
}
static double looks_of(const heist__sim_row *r)
{
    return r->looks;
}
static double wakes_of(const heist__sim_row *r)
{
    return r->wakes;
}
static double sleeps_of(const heist__sim_row *r)
{
    return r->sleeps;
}
static double spread_of(const heist__sim_row *r)
{
    return r->spread;
}
static double used_of(const heist__sim_row *r)
{
    return r->used;
}

static double events_of(const heist__sim_row *r)
{
    return r->events;
}

static const column columns[] = {
    {"time_ns", "time", TIME, time_of},
    {"speedup", "speed-up", RATIO, heist__sim_speedup},
    {"efficiency", "efficiency", PERCENT, efficiency},
    {"least_ns", "at least", TIME, heist__sim_least},
    {"greedy_ns", "greedy", TIME, heist__sim_greedy},
    {"idle", "idle", PERCENT, idle},
    {"spread_ns", "spread", TIME, spread_of},
    {"stolen", "stolen", COUNT, stolen_of},
    {"leapfrogs", NULL, COUNT, leapfrogs_of},
    {"lost", NULL, COUNT, lost_of},
    {"looks", NULL, COUNT, looks_of},
    {"wakes", NULL, COUNT, wakes_of},
    {"sleeps", NULL, COUNT, sleeps_of},
    {"tasks", NULL, COUNT, tasks_of},
    {"used", NULL, COUNT, used_of},
    {"events", NULL, COUNT, events_of},
    {"work_ns", NULL, TIME, work_of},
    {"span_ns", NULL, TIME, span_of},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void print_table(FILE *out, const char *program, const char *machine, const heist__sim_row *rows, unsigned count)
{
    char work[24], span[24], cell[24];
    fprintf(out, "%s on %s: T1 %s, Tinf %s, %.0f tasks\n", program, machine, heist__sim_time(rows[0].work, work),
            heist__sim_time(rows[0].span, span), rows[0].tasks);
    fprintf(out, "%-14s %7s", "", "workers");
    for (unsigned i = 0; i < COLUMNS; i++) {
        if (columns[i].heading) fprintf(out, " %10s", columns[i].heading);
    }
    fprintf(out, "  by distance\n");
    for (unsigned n = 0; n < count; n++) {
        const heist__sim_row *row = &rows[n];
        fprintf(out, "%-14s %7u", row->what, row->workers);
        for (unsigned i = 0; i < COLUMNS; i++) {
            if (!columns[i].heading) continue;
            const double value = columns[i].value(row);
            switch (columns[i].kind) {
            case COUNT: fprintf(out, " %10.0f", value); break;
            case TIME: fprintf(out, " %10s", heist__sim_time(value, cell)); break;
            case RATIO: fprintf(out, " %10.2f", value); break;
            case PERCENT: fprintf(out, " %9.1f%%", value * 100); break;
            }
        }
        const char *before = "  ";
        for (unsigned l = 0; l < HEIST__SIM_LEVELS; l++) {
            if (row->steals[l] <= 0) continue;
            fprintf(out, "%s%s %.0f", before, heist__sim_level_word(l), row->steals[l]);
            before = ", ";
        }
        fprintf(out, "\n");
    }
}

/* Texts of users are in quotes; a quote in them is doubled in CSV, and escaped in JSON. */
static void print_quoted(FILE *out, const char *text, bool json)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"' || (json && *text == '\\')) putc(json ? '\\' : '"', out);
        putc((unsigned char)*text < 32 ? '?' : *text, out);
    }
    putc('"', out);
}

static void print_csv(FILE *out, const char *program, const char *machine, const heist__sim_row *rows, unsigned count)
{
    fprintf(out, "program,machine,what,workers,runs");
    for (unsigned i = 0; i < COLUMNS; i++) fprintf(out, ",%s", columns[i].name);
    for (unsigned l = 0; l < HEIST__SIM_LEVELS; l++) fprintf(out, ",steals_%s", heist__sim_level_word(l));
    for (unsigned n = 0; n < count; n++) {
        const char *texts[] = {program, machine, rows[n].what};
        fprintf(out, "\n");
        for (unsigned i = 0; i < 3; i++) {
            print_quoted(out, texts[i], false);
            putc(',', out);
        }
        fprintf(out, "%u,%u", rows[n].workers, rows[n].runs);
        for (unsigned i = 0; i < COLUMNS; i++) fprintf(out, ",%.10g", columns[i].value(&rows[n]));
        for (unsigned l = 0; l < HEIST__SIM_LEVELS; l++) fprintf(out, ",%.10g", rows[n].steals[l]);
    }
    fprintf(out, "\n");
}

static void print_json(FILE *out, const char *program, const char *machine, const heist__sim_row *rows, unsigned count)
{
    fprintf(out, "{\"program\": ");
    print_quoted(out, program, true);
    fprintf(out, ", \"machine\": ");
    print_quoted(out, machine, true);
    fprintf(out, ", \"simulated\": true, \"rows\": [");
    for (unsigned n = 0; n < count; n++) {
        fprintf(out, "%s\n  {\"what\": ", n ? "," : "");
        print_quoted(out, rows[n].what, true);
        fprintf(out, ", \"workers\": %u, \"runs\": %u", rows[n].workers, rows[n].runs);
        for (unsigned i = 0; i < COLUMNS; i++)
            fprintf(out, ", \"%s\": %.10g", columns[i].name, columns[i].value(&rows[n]));
        fprintf(out, ", \"steals\": {");
        for (unsigned l = 0; l < HEIST__SIM_LEVELS; l++)
            fprintf(out, "%s\"%s\": %.10g", l ? ", " : "", heist__sim_level_word(l), rows[n].steals[l]);
        fprintf(out, "}}");
    }
    fprintf(out, "\n]}\n");
}

void heist__sim_print(FILE *out, heist__sim_format format, const char *program, const char *machine,
                      const heist__sim_row *rows, unsigned count)
{
    if (count == 0) return;
    switch (format) {
    case HEIST__SIM_TABLE: print_table(out, program, machine, rows, count); break;
    case HEIST__SIM_CSV: print_csv(out, program, machine, rows, count); break;
    case HEIST__SIM_JSON: print_json(out, program, machine, rows, count); break;
    }
}
