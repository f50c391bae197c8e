/* The command line, read and checked: the measurements to make. */
#ifndef HEIST_PERF_COMMAND_H
#define HEIST_PERF_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/registry.h"

#define PERF_MOST_OPTIONS 16
#define PERF_MOST_RUNTIMES 16

enum perf_format { PERF_TABLE, PERF_CSV, PERF_JSON };

/* Values from a list with commas, each once. */
struct perf_list {
    char **items;
    size_t count;
};

/* One workload with its sizes, and for each of its options the values. */
struct perf_job {
    const struct perf_workload *workload;
    struct perf_list sizes;
    struct perf_list values[PERF_MOST_OPTIONS];
    struct perf_list workers; /* checked to be numbers */
};

struct perf_command {
    struct perf_job *jobs;
    size_t job_count;
    bool runtimes[PERF_MOST_RUNTIMES]; /* wanted? by place in perf_runtimes */
    long runs;
    long limit; /* seconds for one run */
    enum perf_format format;
    const char *out;    /* NULL: standard output */
    long usual_workers; /* default size of a pool on this machine */
};

enum perf_reading { PERF_GO_ON, PERF_ANSWERED, PERF_BAD = 2 /* also the exit status */ };

/* Reads the command line. PERF_ANSWERED: it was a question (--help ...), answered on stdout. PERF_BAD: one line is on
 * stderr. */
enum perf_reading perf_read_command(struct perf_command *command, int argc, char **argv);

/* The place of a runtime in perf_runtimes; -1: unknown. */
int perf_runtime_place(const char *name);
const struct perf_workload *perf_find_workload(const char *name);
const struct perf_offer *perf_find_offer(const struct perf_workload *workload, const char *runtime);

/* Whether an option matters to a runtime at a size. */
bool perf_option_matters(const struct perf_option *option, const char *runtime, const char *size);

/* help.c: the answers to --help. */
void perf_help(void);
void perf_help_peers(void);
void perf_help_workload(const struct perf_workload *workload);

/* One line on stderr. Returns PERF_BAD. */
enum perf_reading perf_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints one line on stderr and ends the program. */
_Noreturn void perf_give_up(const char *why);

/* Zeroed memory that lasts until the program ends; without memory, the program ends at once. perf_release frees all of
 * it: at exit, and between commands where one process reads many. */
void *perf_allocate(size_t count, size_t size);
char *perf_copy(const char *text, size_t length);
void perf_release(void);

#endif
