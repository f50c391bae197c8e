/* A pool for a problem; see pool.h. */
#include "harness/pool.h"

#include <errno.h>
#include <stdio.h>

int perf_pool_open_with(struct perf_pool *p, const heist_options *options, char *error, size_t room)
{
    *p = (struct perf_pool){heist_pool_new(options), 0};
    if (p->pool) return 0;
    int failure = errno ? -errno : -ENOMEM;
    snprintf(error, room, "no pool of %u: %s", options->workers, heist_explain());
    return failure;
}

int perf_pool_open(struct perf_pool *p, unsigned workers, char *error, size_t room)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    return perf_pool_open_with(p, &options, error, room);
}

void perf_pool_tell(struct perf_pool *p, struct perf_outcome *outcome)
{
    heist_stats stats = {.size = sizeof stats};
    if (heist_stats_read(p->pool, &stats)) return;
    uint64_t steals = 0;
    for (int level = 0; level < HEIST_LEVELS; level++) steals += stats.steal_got[level];
    outcome->has_steals = true;
    outcome->steals = steals - p->steals;
    p->steals = steals;
}

void perf_pool_close(struct perf_pool *p)
{
    heist_pool_free(p->pool);
    p->pool = NULL;
}
