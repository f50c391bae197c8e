/* Control variables that belong to a task's data environment. The runtime keeps them in its own task, and here it
 * knows only the implicit one. When a task sets one, all of them are noted. The note goes with the task, and with the
 * children that it creates from then on. When a thread begins or resumes a task whose note is not the one that the
 * runtime has, the variables are set again. Most programs never set one, and pay one comparison a task. */
#ifndef HEIST_OPENMP_CORE_CONTROL_VARIABLES_H
#define HEIST_OPENMP_CORE_CONTROL_VARIABLES_H

#include "openmp/core/slot.h"

/* Makes the runtime's control variables those of `icvs`. NULL: those of the region. */
void heist__omp_icvs_install(heist__omp_slot *self, heist__omp_icvs *icvs);
/* Frees the slot's notes, at the end of a region. */
void heist__omp_icvs_free(heist__omp_slot *self);

/* The values themselves, to carry them from one thread to another that is in no region. */
typedef struct heist__omp_icv_values {
    int threads, dynamic, levels, schedule, chunk, device;
} heist__omp_icv_values;
void heist__omp_icvs_read(heist__omp_icv_values *values);
void heist__omp_icvs_write(const heist__omp_icv_values *values);

#endif
