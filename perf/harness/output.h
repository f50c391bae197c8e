/* Where results go: standard output, or a file that appears whole or not at all. */
#ifndef HEIST_PERF_OUTPUT_H
#define HEIST_PERF_OUTPUT_H

#include <stdio.h>

struct perf_output {
    const char *name; /* as the user said; NULL: standard output */
    char *path;       /* behind links; what is renamed to */
    char *temporary;  /* NULL: written directly, since it is no regular file */
};

/* Whether results can go there: tried, and nothing left behind. Returns 0, or -1 with one line on stderr. */
int perf_output_try(struct perf_output *output, const char *name);

/* Opens it; then the results are written; then it is closed, and only now the file is there under its name.
 * NULL and -1: one line on stderr. */
FILE *perf_output_open(struct perf_output *output);
int perf_output_close(struct perf_output *output, FILE *file);

#endif
