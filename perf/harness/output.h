/* Destination of the results: standard output, or a file that appears whole or not at all. */
#ifndef HEIST_PERF_OUTPUT_H
#define HEIST_PERF_OUTPUT_H

#include <stdio.h>

struct perf_output {
    const char *name; /* as the user gave it; NULL: standard output */
    char *path;       /* with links resolved: the target of the rename */
    char *temporary;  /* NULL: written directly, because it is not a regular file */
};

/* Checks that results can be written there, and leaves nothing behind. Returns 0, or -1 with one line on stderr. */
int perf_output_try(struct perf_output *output, const char *name);

/* Opens the output. The caller writes the results and closes it; only then the file appears under its name. On failure
 * NULL or -1, with one line on stderr. */
FILE *perf_output_open(struct perf_output *output);
int perf_output_close(struct perf_output *output, FILE *file);

#endif
