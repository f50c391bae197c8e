/* Snapshots of the counters, and their printing at the end of a pool, or of a process that has not ended its pools. */
#include "schedule/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/stats_text.h"
#include "schedule/default_pool.h"
#include "schedule/error.h"
#include "schedule/pool.h"
#include "schedule/registry.h"

/* Sums the counters of workers first .. last - 1 into a struct of the caller's size. */
static int read_workers(heist_pool *pool, unsigned first, unsigned last, heist_stats *stats)
{
    if (stats && stats->size == 0) stats->size = sizeof *stats;
    if (!stats || stats->size < sizeof stats->size || stats->size > 65536)
        return heist__fail(-EINVAL, "heist_stats: size must be sizeof(heist_stats), or 0");
    heist_stats sum;
    memset(&sum, 0, sizeof sum);
    for (unsigned i = first; i < last; i++) {
        heist__worker *w = pool->workers[i];
        /* relaxed: a counter */
        heist__counters_add(&sum, &w->counters, heist__load_relaxed(&w->tasks.face.joins_inline));
        sum.parks += heist__load_relaxed(&w->sleeper.parks); /* relaxed: a counter */
    }
    sum.workers = last - first;
    sum.size = stats->size;
    size_t known = stats->size < sizeof sum ? stats->size : sizeof sum;
    memset(stats, 0, stats->size);
    memcpy(stats, &sum, known);
    stats->size = sum.size;
    return 0;
}

int heist_stats_read(heist_pool *pool, heist_stats *stats)
{
    if (!pool) pool = heist__default_if_made();
    if (!pool) return heist__fail(-EINVAL, "heist_stats_read: there is no pool");
    return read_workers(pool, 0, pool->running, stats);
}

int heist_stats_read_worker(heist_pool *pool, unsigned number, heist_stats *stats)
{
    if (!pool) pool = heist__default_if_made();
    if (!pool || number >= pool->running)
        return heist__fail(-EINVAL, "heist_stats_read_worker: there is no such worker");
    return read_workers(pool, number, number + 1, stats);
}

bool heist__stats_wanted(void)
{
    const char *text = secure_getenv("HEIST_STATS");
    if (!text || !*text || strcmp(text, "0") == 0) return false;
    if (strcmp(text, "1") == 0) return true;
    heist__passed_over("HEIST_STATS", text, "1 or 0");
    return false;
}

void heist__stats_print(heist_pool *pool)
{
    heist_stats s = {.size = sizeof s};
    fprintf(stderr, "heist: pool %s, %u workers\n", pool->settings.name, pool->running);
    heist__stats_text_head();
    for (unsigned i = 0; i < pool->running; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        heist_stats_read_worker(pool, i, &s);
        heist__stats_text_row(name, &s);
    }
    heist_stats_read(pool, &s);
    heist__stats_text_row("all", &s);
    heist__stats_text_distances(&s);
}

static void print_if_wanted(heist_pool *pool)
{
    if (heist__stats_wanted()) heist__stats_print(pool);
}

/* Prints pools that were not freed. Runs after all exit handlers, which may free some. Workers may still run: the
 * counters are single words. */
__attribute__((destructor)) static void print_the_rest(void)
{
    heist__registry_visit(print_if_wanted);
}
