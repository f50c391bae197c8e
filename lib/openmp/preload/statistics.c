/* Counts of all regions: see statistics.h. */
#include "openmp/preload/statistics.h"

#include <stdio.h>

#include "openmp/preload/load.h"
#include "openmp/preload/runtime_symbols.h"

static bool wanted; /* constant once the library is loaded */

/* Written by: threads that leave regions (add). */
static HEIST__ATOMIC(uint64_t) total_tasks, total_now, total_stolen, total_taskwaits, total_sleeps;

void heist__omp_statistics_begin(void)
{
    wanted = true;
}

void heist__omp_statistics_add(const heist__omp_counters *c, uint64_t made, uint64_t put_off)
{
    if (!wanted) return;
    /* relaxed: statistics order nothing */
    heist__add_relaxed(&total_tasks, made);
    heist__add_relaxed(&total_now, made - put_off);
    heist__add_relaxed(&total_stolen, c->stolen);
    heist__add_relaxed(&total_taskwaits, c->taskwaits);
    heist__add_relaxed(&total_sleeps, c->sleeps);
}

static unsigned long long read_total(HEIST__ATOMIC(uint64_t) * total)
{
    return heist__load_relaxed(total); /* relaxed: as above */
}

/* Where it is not known which runtime a program needs, both libraries are preloaded, and one of them prints nothing. */
__attribute__((destructor)) static void print(void)
{
    if (!wanted || heist__omp_other_library_serves() || !heist__runtime_file()) return;
    fprintf(stderr, "heist-omp: tasks %llu, run at once %llu, stolen %llu, waits that helped %llu, sleeps %llu\n",
            read_total(&total_tasks), read_total(&total_now), read_total(&total_stolen), read_total(&total_taskwaits),
            read_total(&total_sleeps));
}
