/* The answers to --help. */
#include <stdio.h>
#include <string.h>

#include "harness/command.h"

/* The names behind --against: those that have a program for `workload`, or all (NULL). */
static void list_rivals(const struct perf_workload *workload, bool peers)
{
    const char *separator = "";
    for (const struct perf_runtime *r = perf_runtimes; r->name; r++) {
        if (strcmp(r->name, "heist") == 0 || (workload && !perf_find_offer(workload, r->name))) continue;
        printf("%s%s%s", separator, r->name, !peers && strcmp(r->name, "serial") == 0 ? " (usual)" : "");
        separator = ", ";
    }
    if (*separator)
        printf("; all%s: every one that is\n                   here; none\n", peers ? " (usual)" : "");
    else
        puts("nothing, since nobody else can do this");
}

/* `peers` has sizes of its own for each problem, and is measured beside everything unless it is told otherwise. */
static void list_options(const struct perf_workload *workload, bool peers)
{
    puts("Options:");
    if (workload && workload->least_workers > 1)
        printf("  --workers LIST   numbers of workers, at least %u, each measured (usually %s)\n",
               workload->least_workers, workload->workers ? workload->workers : "what the machine has");
    else
        puts("  --workers LIST   numbers of workers, each measured (usually 1, 2, 4 ... up to what the machine has)");
    if (!peers) puts("  --size LIST      sizes of the problem, each measured");
    printf("  --quick          the small sizes, for a first look\n"
           "  --against LIST   beside heist: ");
    list_rivals(workload, peers);
    puts("  --runs K         runs of each, 1 to 999, after one to warm up (7; with --quick 2)\n"
         "  --limit SECONDS  a run that takes longer is ended and counts as failed (300)\n"
         "  --format NAME    table, csv or json\n"
         "  --out FILE       write there; it appears whole or not at all\n");
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
         "Measures heist beside the serial program and other runtimes. Runs are interleaved, each result is checked; "
         "the\n"
         "least and the median time are shown. The status is 1 when a result was wrong, or heist failed; 2 for a bad "
         "command\n"
         "line. A peer that fails is told, and no error.\n\n"
         "Workloads:");
    for (const struct perf_workload *const *w = perf_workloads; *w; w++)
        printf("  %-10s %s\n", (*w)->name, (*w)->summary);
    puts("  peers      those of them that other runtimes can do, against everything found, in one table\n");
    list_options(NULL, false);
    list_runtimes(NULL);
}

void perf_help_peers(void)
{
    puts("usage: heist-perf peers [OPTION...]\n\nEverything that other runtimes can do, against everything found:");
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
    if (workload->options) puts("Its own options:");
    for (const struct perf_option *o = workload->options; o && o->name; o++)
        printf("  --%s %s%s\n        %s (%s)\n", o->name, o->value, o->list ? "[,...]" : "", o->help, o->preset);
    if (workload->options) puts("");
    list_options(workload, false);
    list_runtimes(workload);
}
