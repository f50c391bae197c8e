/* Many empty tasks from one loop, all of them outstanding at once; each returns its number, and the numbers are
 * added. */
#ifndef HEIST_PERF_WIDE_H
#define HEIST_PERF_WIDE_H

#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wide {
    long n;
    long *results; /* one for each task, where the runtime has no place for them */
    long sum;      /* the result */
};

int wide_size(const char *size, char *error, size_t room);
int wide_prepare(const struct perf_input *input, struct wide *wide, char *error, size_t room);
void wide_check(const struct wide *wide, struct perf_outcome *outcome);

/* The computation of each task: opaque to the compiler. */
long wide_one(long i);

#ifdef __cplusplus
}
#endif

#endif
