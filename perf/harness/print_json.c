/* The machine and the rows as JSON. Fields that do not apply are left out. */
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/row.h"

/* The documented columns that are strings. */
static bool is_string(int column)
{
    return column <= 2 || column == PERF_CHECK;
}

static void print_row(FILE *to, const struct perf_row *row)
{
    static char text[1024];
    const char *separator = "{";
    for (int c = 0; c < PERF_PROMISED; c++) {
        perf_row_text(row, c, text, sizeof text);
        if (!text[0]) continue;
        fprintf(to, "%s\"%s\":", separator, perf_promised[c]);
        if (is_string(c))
            perf_json_string(to, text);
        else
            fputs(text, to);
        separator = ",";
    }
    if (row->cell->outcome.more[0]) fprintf(to, ",%s", row->cell->outcome.more);
    fputc('}', to);
}

void perf_print_json(FILE *to, const struct perf_rows *rows, const struct perf_command *command)
{
    fputs("{\"machine\":", to);
    perf_machine_json(to, command->usual_workers);
    fputs(",\n\"rows\":[", to);
    for (size_t i = 0; i < rows->count; i++) {
        fputs(i ? ",\n" : "\n", to);
        print_row(to, &rows->rows[i]);
    }
    fputs("\n]}\n", to);
}
