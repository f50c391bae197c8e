/* Snapshots of counters as lines of a table. */
#include "observe/stats_text.h"

#include <inttypes.h>

#include "topology/machine.h"

void heist__stats_text_head(FILE *out)
{
    fprintf(out, "%-8s %14s %14s %14s %10s %10s %8s %10s %8s %9s %8s %8s\n", "worker", "tasks", "spawns",
            "joined inline", "stolen", "detached", "steals", "empty", "lost", "leapfrogs", "parks", "wakes");
}

void heist__stats_text_row(FILE *out, const char *name, const heist_stats *s)
{
    uint64_t got = 0, empty = 0, lost = 0;
    for (int level = 0; level < HEIST_LEVELS; level++) {
        got += s->steal_got[level];
        empty += s->steal_empty[level];
        lost += s->steal_lost[level];
    }
    fprintf(out,
            "%-8s %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %10" PRIu64
            " %8" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n",
            name, s->tasks, s->spawns, s->joins_inline, s->joins_stolen, s->detached, got, empty, lost, s->leapfrogs,
            s->parks, s->wakes);
}

void heist__stats_text_distances(FILE *out, const heist_stats *s)
{
    for (int level = 0; level < HEIST_LEVELS; level++) {
        if (s->steal_got[level] + s->steal_empty[level] + s->steal_lost[level] == 0) continue;
        fprintf(out, "steals at level %-8s got %" PRIu64 ", empty %" PRIu64 ", lost %" PRIu64 "\n",
                heist__level_word((heist__level)level), s->steal_got[level], s->steal_empty[level],
                s->steal_lost[level]);
    }
}
