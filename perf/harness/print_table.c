/* The rows for people: times in suitable units, aligned, without columns that are empty in all rows. */
#include <string.h>

#include "harness/machine.h"
#include "harness/row.h"

#define MOST_COLUMNS 80
#define MOST_TEXT 260
#define WIDEST_ADDED 24
#define MOST_LINE 1000
#define MOST_DENIED_TOLD 4

enum { ADDED = -1, SETTINGS = -2, EFFICIENCY = -3 };

/* A time with three to four digits. */
static void time_text(const char *ns, char *text, size_t room)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = 0;
    int unit = 0;
    text[0] = '\0';
    if (!ns[0]) return;
    sscanf(ns, "%lf", &value);
    while (value >= 1000 && unit < 3) {
        value /= 1000;
        unit++;
    }
    snprintf(text, room, unit ? "%.*f %s" : "%.*f %s",
             unit == 0     ? 0
             : value < 10  ? 3
             : value < 100 ? 2
                           : 1,
             value, units[unit]);
}

static void fewer_digits(char *text, size_t room)
{
    double value;
    if (sscanf(text, "%lf", &value) == 1) snprintf(text, room, value < 100 ? "%.2f" : "%.1f", value);
}

static void cell_text(const struct perf_row *row, int column, char *text, size_t room)
{
    char exact[MOST_TEXT];
    if (column == PERF_CPU_NS) { /* beside the time stands the number of CPUs used */
        text[0] = '\0';
        if (row->cores > 0) snprintf(text, room, "%.2f", row->cores);
        return;
    }
    perf_row_text(row, column, exact, sizeof exact);
    if (column == 5 || column == 6) {
        time_text(exact, text, room);
        return;
    }
    snprintf(text, room, "%s", exact);
    if (column >= 8 && column <= 11) fewer_digits(text, room);
}

/* Names on the left, figures on the right. */
static bool is_left(int column)
{
    return column <= 2 || column == PERF_CHECK;
}

struct column {
    const char *title;
    int promised; /* or ADDED, SETTINGS, EFFICIENCY */
    size_t width; /* 0: not shown */
};

/* Whether two rows of the same runtime differ in this setting. */
static bool differ(const struct perf_cell *a, const struct perf_cell *b, size_t option)
{
    return a->workload == b->workload && a->offer == b->offer && strcmp(a->settings[option], b->settings[option]) != 0;
}

/* The values of the settings in which the rows of a workload differ. */
static void settings_text(const struct perf_row *row, const struct perf_rows *rows, char *text, size_t room)
{
    const struct perf_option *options = row->cell->workload->options;
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; options && options[k].name; k++) {
        bool told = false;
        for (size_t i = 0; i < rows->count; i++) told = told || differ(row->cell, rows->rows[i].cell, k);
        if (told && used < room)
            used += (size_t)snprintf(text + used, room - used, "%s%s %s", used ? ", " : "", options[k].name,
                                     row->cell->settings[k]);
    }
}

static void column_text(const struct perf_row *row, const struct perf_rows *rows, const struct column *column,
                        char *text, size_t room)
{
    if (column->promised == SETTINGS) {
        settings_text(row, rows, text, room);
        return;
    }
    if (column->promised == EFFICIENCY) {
        text[0] = '\0';
        if (row->efficiency > 0) snprintf(text, room, "%.1f%%", 100 * row->efficiency);
        return;
    }
    if (column->promised >= 0) {
        cell_text(row, column->promised, text, room);
        return;
    }
    static char whole[sizeof row->cell->outcome.more];
    perf_row_more(row, column->title, whole, sizeof whole);
    /* Lists are for programs; a summary for people stands below the table. */
    snprintf(text, room, "%.*s", MOST_TEXT - 1, whole[0] == '[' || whole[0] == '{' ? "" : whole);
}

static bool several_workloads(const struct perf_rows *rows)
{
    for (size_t i = 1; i < rows->count; i++)
        if (rows->rows[i].cell->workload != rows->rows[0].cell->workload) return true;
    return false;
}

/* All columns with their widths; `check` comes last. Members that several workloads add would fill columns for some
 * rows only: one column for the settings replaces them. */
static int layout(struct column *columns, const struct perf_rows *rows)
{
    static const char *const titles[PERF_PROMISED] = {"workload", "size",  "runtime", "workers", "runs",      "least",
                                                      "median",   "tasks", "ns/task", "speedup", "vs serial", "GFLOP/s",
                                                      "steals",   "check", "cores",   "others"};
    struct perf_columns more;
    char text[MOST_TEXT];
    int count = 0;
    perf_more_columns(&more, rows);
    bool several = several_workloads(rows);
    for (int c = 0; c < PERF_PROMISED; c++) {
        if (c == PERF_CHECK || c == PERF_OTHERS) continue; /* comes last, below */
        columns[count++] = (struct column){titles[c], c, 0};
        if (strcmp(perf_promised[c], "vs_serial") == 0) columns[count++] = (struct column){"efficiency", EFFICIENCY, 0};
    }
    for (size_t c = 0; c < more.count && !several; c++) columns[count++] = (struct column){more.names[c], ADDED, 0};
    if (several) columns[count++] = (struct column){"settings", SETTINGS, 0};
    columns[count++] = (struct column){titles[PERF_CHECK], PERF_CHECK, 0};
    for (int c = 0; c < count; c++) {
        for (size_t i = 0; i < rows->count; i++) {
            column_text(&rows->rows[i], rows, &columns[c], text, sizeof text);
            if (columns[c].promised < 0 && strlen(text) > WIDEST_ADDED) text[WIDEST_ADDED] = '\0';
            if (strlen(text) > columns[c].width) columns[c].width = strlen(text);
        }
        if (columns[c].width && columns[c].width < strlen(columns[c].title))
            columns[c].width = strlen(columns[c].title);
    }
    return count;
}

static void print_line(FILE *to, const struct perf_row *row, const struct perf_rows *rows, const struct column *columns,
                       int count)
{
    char text[MOST_TEXT];
    const char *separator = "";
    for (int c = 0; c < count; c++) {
        if (!columns[c].width) continue;
        if (row)
            column_text(row, rows, &columns[c], text, sizeof text);
        else
            snprintf(text, sizeof text, "%s", columns[c].title);
        if (c == count - 1)
            fprintf(to, "%s%s\n", separator, text); /* no padding after the last column */
        else if (columns[c].promised == SETTINGS || (columns[c].promised >= 0 && is_left(columns[c].promised)))
            fprintf(to, "%s%-*s", separator, (int)columns[c].width, text);
        else
            fprintf(to, "%s%*.*s", separator, (int)columns[c].width, (int)columns[c].width, text);
        separator = "  ";
    }
}

/* The lines about rows that no column holds; equal lines once. */
static void print_below(FILE *to, const struct perf_rows *rows)
{
    const char **told = perf_allocate(rows->count + 1, sizeof *told);
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct perf_cell *cell = rows->rows[i].cell;
        char line[MOST_LINE];
        if (!cell->workload->below || !cell->workload->below(cell->size, &cell->outcome, line, sizeof line)) continue;
        bool known = false;
        for (size_t k = 0; k < count && !known; k++) known = strcmp(told[k], line) == 0;
        if (known) continue;
        fprintf(to, "%s%s\n", count ? "" : "\n", line);
        told[count++] = perf_copy(line, strlen(line));
    }
}

/* Names the rows that were short of cores, so that readers do not take them for slow. On a busy machine that may be all
 * rows: the first few are named. */
static void print_denied(FILE *to, const struct perf_rows *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct perf_row *row = &rows->rows[i];
        const struct perf_cell *cell = row->cell;
        char settings[MOST_TEXT];
        if (!row->denied || count++ >= MOST_DENIED_TOLD) continue;
        settings_text(row, rows, settings, sizeof settings);
        fprintf(to,
                "%sCores: %s %s, %s%s%s, %u worker%s had %.2f of %.0f in the fastest run, other programs %.2f: that "
                "alone may make it slow.\n",
                count == 1 ? "\n" : "", cell->workload->name, cell->size, cell->offer->runtime, settings[0] ? ", " : "",
                settings, cell->workers, cell->workers > 1 ? "s" : "", row->cores, row->wanted, cell->others);
    }
    if (count > MOST_DENIED_TOLD) fprintf(to, "Cores: likewise %zu more rows.\n", count - MOST_DENIED_TOLD);
}

/* The reference figures of the workloads. */
static void print_notes(FILE *to, const struct perf_rows *rows)
{
    const struct perf_workload *before = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const struct perf_workload *w = rows->rows[i].cell->workload;
        if (w != before && w->note) fprintf(to, "\n%s%s", w->note, w->note[strlen(w->note) - 1] == '\n' ? "" : "\n");
        before = w;
    }
}

void perf_print_table(FILE *to, const struct perf_rows *rows, const struct perf_command *command)
{
    struct column columns[MOST_COLUMNS];
    perf_machine_text(to, command->usual_workers);
    fputc('\n', to);
    int count = layout(columns, rows);
    print_line(to, NULL, rows, columns, count);
    for (size_t i = 0; i < rows->count; i++) {
        const struct perf_cell *cell = rows->rows[i].cell, *before = i ? rows->rows[i - 1].cell : cell;
        if (cell->workload != before->workload || cell->size != before->size) fputc('\n', to);
        print_line(to, &rows->rows[i], rows, columns, count);
    }
    print_below(to, rows);
    print_denied(to, rows);
    print_notes(to, rows);
}
