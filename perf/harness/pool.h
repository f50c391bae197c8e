/* What all problems share on heist: a pool of so many workers, and the steals since the last count. */
#ifndef HEIST_PERF_POOL_H
#define HEIST_PERF_POOL_H

#include <heist/heist.h>

#include "harness/app.h"

struct perf_pool {
    heist_pool *pool;
    uint64_t steals; /* up to the last count */
};

/* Makes a pool. Returns 0, or a negative errno with a sentence. The environment (HEIST_STEAL ...) sets the rest. */
int perf_pool_open(struct perf_pool *p, unsigned workers, char *error, size_t room);

/* The same with further options; `workers` in them counts. */
int perf_pool_open_with(struct perf_pool *p, const heist_options *options, char *error, size_t room);

/* Fills in the steals of this run. */
void perf_pool_tell(struct perf_pool *p, struct perf_outcome *outcome);

void perf_pool_close(struct perf_pool *p);

#endif
