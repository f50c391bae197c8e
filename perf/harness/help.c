/* The answers to --help. */
#include <stdio.h>
#include <string.h>

#include "harness/command.h"

/* The names behind --against: runtimes that have a program for `workload`, or all (NULL). */
static void list_rivals(const struct perf_workload *workload, bool peers)
{
    const char *separator = "";
    for (const struct perf_runtime *r = perf_runtimes; r->name; r++) {
        if (strcmp(r->name, "heist") == 0 || (workload && !perf_find_offer(workload, r->name))) continue;
        printf("%s%s%s", separator, r->name, !peers && strcmp(r->name, "serial") == 0 ? " (default)" : "");
        separator = ", ";
    }
    if (*separator)
        printf("; all%s: every one in\n                   this build; none\n", peers ? " (default)" : "");
    else
        puts("nothing: no other runtime has this workload");
}

/* `peers` has its own size for each problem and by default measures all runtimes. */
static void list_options(const struct perf_workload *workload, bool peers)
{
    puts("Common options:");
    if (workload && workload->least_workers > 1)
        printf("  --workers LIST   numbers of workers, at least %u, each measured (default: %s)\n",
               workload->least_workers, workload->workers ? workload->workers : "one for each CPU");
    else if (workload && workload->workers)
        printf("  --workers LIST   numbers of workers, each measured (default: %s)\n", workload->workers);
    else
        puts("  --workers LIST   numbers of workers, each measured (default: 1, 2, 4 ... up to one for each CPU)");
    if (!peers) puts("  --size LIST      sizes of the problem, each measured");
    printf("  --quick          small sizes, for a first impression\n"
           "  --against LIST   beside heist: ");
    list_rivals(workload, peers);
    puts("  --runs K         runs of each, 1 to 999, after a warm-up run (default: 7; with --quick 2)\n"
         "  --limit SECONDS  a run that takes longer is ended and counts as failed (default: 300)\n"
         "  --format NAME    table, csv or json\n"
         "  --out FILE       write the results to FILE, which appears whole or not at all\n");
}

static void list_runtimes(const struct perf_workload *workload)
{
    const char *separator = "Runtimes:";
    for (const struct perf_runtime *r = perf_runtimes; r->name; r++) {
        if (workload && !perf_find_offer(workload, r->name)) continue;
        if (r->missing) continue;
        printf("%s %s", separator, r->name);
        separator = ",";
    }
    puts("");
    for (const struct perf_runtime *r = perf_runtimes; r->name && !workload; r++)
        if (r->missing) printf("Not in this build: %s (%s)\n", r->name, r->missing);
}

void perf_help(void)
{
    puts("usage: heist-perf WORKLOAD [OPTION...]\n"
         "       heist-perf WORKLOAD --help | --help | --list | --version\n\n"
         "Measures heist beside the serial program and other runtimes. Runs are interleaved, and each result is\n"
         "checked. The table shows the least and the median time. The status is 1 if a result was wrong or heist\n"
         "failed, and 2 for a bad command line. The failure of a peer is reported, but is not an error.\n\n"
         "Workloads:");
    for (const struct perf_workload *const *w = perf_workloads; *w; w++)
        printf("  %-10s %s\n", (*w)->name, (*w)->summary);
    puts("  peers      all workloads that other runtimes support, against every runtime in this build, in one table\n");
    list_options(NULL, false);
    list_runtimes(NULL);
}

void perf_help_peers(void)
{
    puts("usage: heist-perf peers [OPTION...]\n\n"
         "All workloads that other runtimes support, against every runtime in this build:");
    for (const struct perf_contest *c = perf_contests; c->workload; c++) {
        const struct perf_workload *w = perf_find_workload(c->workload);
        printf("  %-10s %s; size %s\n", w->name, w->summary, c->sizes ? c->sizes : w->sizes);
    }
    puts("");
    list_options(NULL, true);
    list_runtimes(NULL);
}

void perf_help_workload(const struct perf_workload *workload)
{
    printf("usage: heist-perf %s [OPTION...]\n\n%s: %s.\n", workload->name, workload->name, workload->summary);
    if (workload->help) {
        size_t length = strlen(workload->help);
        printf("%s%s", workload->help, length && workload->help[length - 1] == '\n' ? "" : "\n");
    }
    printf("Sizes: %s; with --quick: %s\n\n", workload->sizes, workload->quick_sizes);
    if (workload->options) puts("Options of this workload:");
    for (const struct perf_option *o = workload->options; o && o->name; o++)
        printf("  --%s %s%s\n        %s (%s)\n", o->name, o->value, o->list ? "[,...]" : "", o->help, o->preset);
    if (workload->options) puts("");
    list_options(workload, false);
    list_runtimes(workload);
}
