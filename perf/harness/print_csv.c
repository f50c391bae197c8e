/* The rows as comma-separated values: the documented columns, then those that the problems add. */
#include <string.h>

#include "harness/row.h"

static void print_field(FILE *to, const char *text, bool first)
{
    if (!first) fputc(',', to);
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

void perf_print_csv(FILE *to, const struct perf_rows *rows)
{
    struct perf_columns more;
    static char text[sizeof rows->rows->cell->outcome.more];
    perf_more_columns(&more, rows);
    for (int c = 0; c < PERF_PROMISED; c++) print_field(to, perf_promised[c], c == 0);
    for (size_t c = 0; c < more.count; c++) print_field(to, more.names[c], false);
    fputc('\n', to);
    for (size_t i = 0; i < rows->count; i++) {
        for (int c = 0; c < PERF_PROMISED; c++) {
            perf_row_text(&rows->rows[i], c, text, sizeof text);
            print_field(to, text, c == 0);
        }
        for (size_t c = 0; c < more.count; c++) {
            perf_row_more(&rows->rows[i], more.names[c], text, sizeof text);
            print_field(to, text, false);
        }
        fputc('\n', to);
    }
}
