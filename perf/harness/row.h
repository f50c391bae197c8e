/* A row: the result of a cell, the same in every format. */
#ifndef HEIST_PERF_ROW_H
#define HEIST_PERF_ROW_H

#include <stdio.h>

#include "harness/cell.h"

struct perf_row {
    const struct perf_cell *cell;
    bool timed; /* there was a right run: the figures below are valid where they are not 0 */
    uint64_t min_ns, median_ns;
    double ns_per_task, speedup, vs_serial, gflops;
    double cores;      /* cores that it used in its fastest run; 0: not known */
    double wanted;     /* cores that its workers could have used */
    bool denied;       /* it had clearly fewer cores than that, while other programs used some: that alone may make
                        * it slow */
    double efficiency; /* for tables: vs_serial, or else speedup, for each core that the workers have */
};

struct perf_rows {
    struct perf_row *rows;
    size_t count;
};

/* The rows of all started cells. */
void perf_make_rows(struct perf_rows *rows, const struct perf_plan *plan, const struct perf_command *command);

/* table.c, csv.c: the columns that the problems add, in the order of their first appearance. */
struct perf_columns {
    char **names;
    size_t count;
};
void perf_more_columns(struct perf_columns *columns, const struct perf_rows *rows);

/* The text of a documented column of a row, "" where it does not apply; and the text of an added column. */
enum { PERF_CHECK = 13, PERF_CPU_NS, PERF_OTHERS, PERF_PROMISED };
extern const char *const perf_promised[PERF_PROMISED];
void perf_row_text(const struct perf_row *row, int column, char *text, size_t room);
void perf_row_more(const struct perf_row *row, const char *name, char *text, size_t room);

void perf_print_table(FILE *to, const struct perf_rows *rows, const struct perf_command *command);
void perf_print_csv(FILE *to, const struct perf_rows *rows);
void perf_print_json(FILE *to, const struct perf_rows *rows, const struct perf_command *command);

#endif
