/* schedule/stats.h: the counters of a pool's workers, printed. */
#ifndef HEIST_SCHEDULE_STATS_H
#define HEIST_SCHEDULE_STATS_H

#include <stdbool.h>

#include <heist/pool.h>

/* Whether the environment variable HEIST_STATS asks for printing. */
bool heist__stats_wanted(void);
void heist__stats_print(heist_pool *pool);

/* For fork(): no thread writes the statistics' file between the two. Taken after the registry's lock. */
void heist__stats_lock(void);
void heist__stats_unlock(void);

#endif
