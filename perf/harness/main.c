/* heist-perf: measures problems on heist and on other runtimes. It reads the command line (command.c), makes a list of
 * cells (plan.c), measures each in a process of its own (measure.c, process.c, serve.c) and prints the results (row.c,
 * print_*.c). app.h defines a problem; perf/meson.build lists the problems. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "harness/cell.h"
#include "harness/output.h"
#include "harness/protocol.h"
#include "harness/row.h"

static int tell(struct perf_output *output, const struct perf_plan *plan, const struct perf_command *command)
{
    struct perf_rows rows;
    perf_make_rows(&rows, plan, command);
    if (rows.count == 0 && !perf_caught_signal()) {
        perf_complain("nothing of this can be measured on this machine");
        return -1;
    }
    FILE *to = perf_output_open(output);
    if (!to) return -1;
    switch (command->format) {
    case PERF_TABLE: perf_print_table(to, &rows, command); break;
    case PERF_CSV: perf_print_csv(to, &rows); break;
    case PERF_JSON: perf_print_json(to, &rows, command); break;
    }
    return perf_output_close(output, to);
}

int main(int argc, char **argv)
{
    struct perf_command command;
    static struct perf_output output;
    struct perf_plan plan;
    if (argc == 3 && strcmp(argv[1], PERF_SERVE) == 0) return perf_serve(argv[2]);
    switch (perf_read_command(&command, argc, argv)) {
    case PERF_GO_ON: break;
    case PERF_ANSWERED: return perf_output_close(&output, stdout) ? 2 : 0;
    case PERF_BAD: return 2;
    }
    if (perf_make_plan(&plan, &command) || perf_output_try(&output, command.out)) return 2;
    perf_catch_signals();
    int status = perf_measure(&plan, &command);
    if (tell(&output, &plan, &command)) return 2;
    return perf_caught_signal() ? 128 + perf_caught_signal() : status;
}
