/* Snapshots of the counters, and their printing when a pool ends, or the process before it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/worker.h"

static uint64_t value(heist__counter *c)
{
    return heist__load_relaxed(c); /* relaxed: a counter */
}

static void add_worker(heist_stats *sum, heist__worker *w)
{
    heist__counters *c = &w->counters;
    uint64_t inlined =
        heist__load_relaxed(&w->frames.face.joins_inline) + value(&c->joins_slow); /* relaxed: a counter */
    sum->joins_inline += inlined;
    sum->joins_stolen += value(&c->joins_stolen);
    sum->spawns_called += value(&c->spawns_called);
    sum->detached += value(&c->detached);
    sum->leapfrogs += value(&c->leapfrogs);
    sum->spawns += inlined + value(&c->joins_stolen); /* a call for want of slots has been joined as well */
    sum->tasks += inlined + value(&c->stolen_run) + value(&c->detached);
    for (int level = 0; level < HEIST_LEVELS; level++) {
        sum->steal_got[level] += value(&c->steals[level][HEIST_STEAL_GOT]);
        sum->steal_empty[level] += value(&c->steals[level][HEIST_STEAL_EMPTY]);
        sum->steal_lost[level] += value(&c->steals[level][HEIST_STEAL_LOST]);
    }
    sum->parks += value(&c->parks);
    sum->wakes += value(&c->wakes);
}

/* Workers first .. last - 1, in a struct of the caller's size. */
static int read_workers(heist_pool *pool, unsigned first, unsigned last, heist_stats *stats)
{
    if (!stats || stats->size < sizeof stats->size || stats->size > 65536)
        return heist__fail(-EINVAL, "heist_stats: size must be sizeof(heist_stats)");
    heist_stats sum;
    memset(&sum, 0, sizeof sum);
    for (unsigned i = first; i < last; i++) add_worker(&sum, pool->workers[i]);
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

static void print_row(const char *name, const heist_stats *s)
{
    uint64_t got = 0, empty = 0, lost = 0;
    for (int level = 0; level < HEIST_LEVELS; level++) {
        got += s->steal_got[level];
        empty += s->steal_empty[level];
        lost += s->steal_lost[level];
    }
    fprintf(stderr,
            "%-8s %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %10" PRIu64
            " %8" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n",
            name, s->tasks, s->spawns, s->joins_inline, s->joins_stolen, s->detached, got, empty, lost, s->leapfrogs,
            s->parks, s->wakes);
}

void heist__stats_print(heist_pool *pool)
{
    heist_stats s = {.size = sizeof s};
    fprintf(stderr, "heist: pool %s, %u workers\n", pool->settings.name, pool->running);
    fprintf(stderr, "%-8s %14s %14s %14s %10s %10s %8s %10s %8s %9s %8s %8s\n", "worker", "tasks", "spawns",
            "joined inline", "stolen", "detached", "steals", "empty", "lost", "leapfrogs", "parks", "wakes");
    for (unsigned i = 0; i < pool->running; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        heist_stats_read_worker(pool, i, &s);
        print_row(name, &s);
    }
    heist_stats_read(pool, &s);
    print_row("all", &s);
    for (int level = 0; level < HEIST_LEVELS; level++) {
        if (s.steal_got[level] + s.steal_empty[level] + s.steal_lost[level] == 0) continue;
        fprintf(stderr, "steals at level %-8s got %" PRIu64 ", empty %" PRIu64 ", lost %" PRIu64 "\n",
                heist__level_word((heist__level)level), s.steal_got[level], s.steal_empty[level], s.steal_lost[level]);
    }
}

static void print_if_wanted(heist_pool *pool)
{
    if (heist__stats_wanted()) heist__stats_print(pool);
}

/* Pools that nobody has freed. After all exit handlers, which may free some; workers may still run: the counters are single
 * words. */
__attribute__((destructor)) static void print_the_rest(void)
{
    heist__registry_visit(print_if_wanted);
}
