/* fib(n) by its definition, each call a task: measures the cost of a task and nothing else. No cut-off in any
 * runtime. */
#ifndef HEIST_PERF_FIB_H
#define HEIST_PERF_FIB_H

#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every implementation's state begins with it. */
struct fib {
    int n, result;
};

int fib_prepare(const struct perf_input *input, struct fib *fib, char *error, size_t room);
void fib_check(const struct fib *fib, struct perf_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
