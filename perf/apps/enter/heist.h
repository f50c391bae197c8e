/* Shared by the heist files of enter. */
#ifndef HEIST_PERF_ENTER_HEIST_H
#define HEIST_PERF_ENTER_HEIST_H

#include "apps/enter/enter.h"
#include "harness/pool.h"

/* spawned.c: a turn of tasks that a worker spawns and another worker runs. */
void enter_spawned(struct enter *e, struct perf_pool *pool);

/* Reports an error of that turn, if there was one; otherwise leaves the outcome unchanged. */
void enter_spawned_check(struct perf_outcome *outcome);

/* Ends its thread. */
void enter_spawned_discard(void);

#endif
