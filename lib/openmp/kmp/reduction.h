/* Task reductions, as clang lays them out. */
#ifndef HEIST_OPENMP_KMP_REDUCTION_H
#define HEIST_OPENMP_KMP_REDUCTION_H

#include "openmp/kmp/region.h"

typedef struct heist__kmp_reduction heist__kmp_reduction;

/* The registration of the current task's group, which is about to end, or NULL. */
heist__kmp_reduction *heist__kmp_reduction_of_group(const heist__omp_slot *self);
/* That group has ended: combines the copies, and frees the registration. */
void heist__kmp_reduction_end(heist__omp_slot *self, heist__kmp_reduction *reduction);
/* Frees the registrations that a cancelled region left. */
void heist__kmp_reductions_drop(heist__kmp_region *region);

#endif
