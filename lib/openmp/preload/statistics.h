/* The statistics that heist-omp --stats prints when the program ends, or writes to the file of HEIST_STATS. */
#ifndef HEIST_OPENMP_PRELOAD_STATISTICS_H
#define HEIST_OPENMP_PRELOAD_STATISTICS_H

#include "openmp/core/slot.h"

/* Reads HEIST_OMP_STATS and HEIST_STATS, and so whether statistics are wanted, and where. Call when the library is
 * loaded. */
void heist__omp_statistics_begin(void);
/* Adds a slot's counts of a region in which its thread created `made` tasks, and put off `put_off` of them. */
void heist__omp_statistics_add(const heist__omp_counters *counters, uint64_t made, uint64_t put_off);

#endif
