/* Facts that are known once the library is loaded. */
#ifndef HEIST_OPENMP_PRELOAD_LOAD_H
#define HEIST_OPENMP_PRELOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

/* 1: the program uses tasks, and regions from now on are heist's. Written by: heist__omp_activate. */
extern HEIST__ATOMIC(uint32_t) heist__omp_active;
/* The program has called an entry that creates tasks. */
void heist__omp_activate(void);
/* Tasks never run at once for being many. Constant once the library is loaded. */
extern bool heist__omp_puts_all_off;
/* The program calls taskyield: a task may wait, by that, for what its creator does later. Constant likewise. */
extern bool heist__omp_yields;
/* The program is left alone here, and the other library, preloaded behind this one, knows why. */
bool heist__omp_other_library_serves(void);

#endif
