/* Threads of a team that share a CPU while another CPU is idle: one of them migrates (platform/migrate.h). */
#ifndef HEIST_OPENMP_CORE_SPREAD_THREADS_H
#define HEIST_OPENMP_CORE_SPREAD_THREADS_H

#include "openmp/core/slot.h"

/* The calling thread is starting a region of heist's, for which the runtime may make threads: see
 * preload/pthread_create.c. Written by: the thread itself. */
extern __thread bool heist__omp_starting_region __attribute__((tls_model("initial-exec")));

/* Notes where the slot's thread is, and returns that CPU. */
int32_t heist__omp_note_cpu(heist__omp_slot *self);
/* The slot's thread has nothing to do: if it shares its CPU with another thread of the team, it migrates. */
void heist__omp_spread(heist__omp_slot *self);
/* The same as it begins a region, if it shares its CPU with the region's first thread. */
void heist__omp_spread_at_begin(heist__omp_slot *self);

#endif
