/* A row: what is told of a cell, in every format the same. */
#ifndef HEIST_PERF_ROW_H
#define HEIST_PERF_ROW_H

#include <stdio.h>

#include "harness/cell.h"

struct perf_row {
    const struct perf_cell *cell;
    bool timed; /* there was a right run: the figures below hold, where they are not 0 */
    uint64_t min_ns, median_ns;
    double ns_per_task, speedup, vs_serial, gflops;
    double cores;      /* that it had in its fastest run; 0: not known */
    double wanted;     /* that its workers could have had */
    bool denied;       /* it had clearly fewer than that, while others had some: it may be slow for that alone */
    double efficiency; /* for tables: vs_serial, or else speedup, for each core that the workers have */
};

struct perf_rows {
    struct perf_row *rows;
    size_t count;
};

/* The rows of all cells that were begun. */
void perf_make_rows(struct perf_rows *rows, const struct perf_plan *plan, const struct perf_command *command);

/* table.c, csv.c: the columns that the problems add, in the order of their first appearance. */
struct perf_columns {
    char **names;
    size_t count;
};
void perf_more_columns(struct perf_columns *columns, const struct perf_rows *rows);

/* The text of one promised column of a row, "" where it does not apply; and of an added one. */
enum { PERF_CHECK = 13, PERF_CPU_NS, PERF_OTHERS, PERF_PROMISED };
extern const char *const perf_promised[PERF_PROMISED];
void perf_row_text(const struct perf_row *row, int column, char *text, size_t room);
void perf_row_more(const struct perf_row *row, const char *name, char *text, size_t room);

void perf_print_table(FILE *to, const struct perf_rows *rows, const struct perf_command *command);
void perf_print_csv(FILE *to, const struct perf_rows *rows);
void perf_print_json(FILE *to, const struct perf_rows *rows, const struct perf_command *command);

#endif
