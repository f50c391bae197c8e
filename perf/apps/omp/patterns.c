/* The names, the counters and the check of omp, the same for every runtime. */
#include "apps/omp/patterns.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MOST_THREADS 512
#define LINE 128

static const char *const names[] = {[OMP_FLAT] = "flat",
                                    [OMP_NESTED] = "nested",
                                    [OMP_TASKGROUP] = "taskgroup",
                                    [OMP_TASKLOOP] = "taskloop",
                                    [OMP_DEPEND] = "depend"};

static struct {
    _Alignas(LINE) atomic_long count; /* Written by: one thread. Read by: the check, after the region. */
} counters[MOST_THREADS];
static atomic_int taken;
static _Thread_local atomic_long *mine;

int omp_patterns_size(const char *size, char *error, size_t room)
{
    long n;
    return perf_number(size, "tasks:", 1, 100000000, &n, error, room);
}

int omp_patterns_name(const char *name, char *error, size_t room)
{
    return perf_word(name, "flat,nested,taskgroup,taskloop,depend", error, room);
}

int omp_patterns_prepare(const struct perf_input *input, struct omp_patterns *patterns, char *error, size_t room)
{
    const char *name = perf_setting(input, "pattern");
    if (input->workers > MOST_THREADS) {
        snprintf(error, room, "no more than %d workers", MOST_THREADS);
        return -ENOTSUP;
    }
    patterns->pattern = OMP_FLAT;
    while (strcmp(names[patterns->pattern], name) != 0) patterns->pattern++;
    return perf_number(input->size, "tasks:", 1, 100000000, &patterns->tasks, error, room);
}

void omp_patterns_task(void)
{
    if (!mine) mine = &counters[atomic_fetch_add(&taken, 1) % MOST_THREADS].count;
    /* relaxed, and no read-modify-write: the line is this thread's own */
    atomic_store_explicit(mine, atomic_load_explicit(mine, memory_order_relaxed) + 1, memory_order_relaxed);
}

void omp_patterns_check(struct omp_patterns *patterns, struct perf_outcome *outcome)
{
    long ran = 0;
    for (int i = 0; i < MOST_THREADS; i++) ran += atomic_exchange(&counters[i].count, 0);
    outcome->tasks = (uint64_t)patterns->tasks;
    snprintf(outcome->more, sizeof outcome->more, "\"pattern\":\"%s\"", names[patterns->pattern]);
    if (patterns->pattern == OMP_DEPEND && patterns->chain != patterns->tasks)
        perf_expect(outcome, "links of the chain", patterns->chain, patterns->tasks);
    else
        perf_expect(outcome, "tasks run", ran, patterns->tasks);
    patterns->chain = 0;
}
