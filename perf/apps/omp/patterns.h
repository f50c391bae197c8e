/* The cost of a task at the level of an OpenMP runtime's entry points: tasks that do nearly nothing, created in the
 * ways of real programs. The program of gcc is run with libgomp and again, the same file, with libheist-gomp.so before
 * it. */
#ifndef HEIST_PERF_OMP_PATTERNS_H
#define HEIST_PERF_OMP_PATTERNS_H

#include "harness/app.h"

enum omp_pattern { OMP_FLAT, OMP_NESTED, OMP_TASKGROUP, OMP_TASKLOOP, OMP_DEPEND };

/* Tasks of a taskgroup. */
enum { OMP_GROUP = 16 };

struct omp_patterns {
    enum omp_pattern pattern;
    long tasks;
    long chain; /* OMP_DEPEND: raised by each task, one after another */
};

int omp_patterns_size(const char *size, char *error, size_t room);
int omp_patterns_name(const char *name, char *error, size_t room);
int omp_patterns_prepare(const struct perf_input *input, struct omp_patterns *patterns, char *error, size_t room);

/* The body of a task: counts itself, on a line of its thread. */
void omp_patterns_task(void);

void omp_patterns_check(struct omp_patterns *patterns, struct perf_outcome *outcome);

#endif
