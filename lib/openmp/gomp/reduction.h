/* Task reductions, as gcc lays them out. */
#ifndef HEIST_OPENMP_GOMP_REDUCTION_H
#define HEIST_OPENMP_GOMP_REDUCTION_H

#include "openmp/core/slot.h"

/* The thread has begun a work-sharing construct with these task reductions. NULL: with none. `self` may be NULL. */
void heist__gomp_workshare_reductions(heist__omp_slot *self, uintptr_t *reductions);

#endif
