/* Writing words that mostly have their new value already. Other threads have such a line in their caches, and keep it
 * if it does not change: regions of the same kind follow each other, and each thread reads the team's words as it
 * enters. */
#ifndef HEIST_OPENMP_CORE_KEEP_H
#define HEIST_OPENMP_CORE_KEEP_H

#include <heist/detail/atomic.h>

#define HEIST__OMP_KEEP(field, value)                                                                                  \
    do {                                                                                                               \
        if ((field) != (value)) (field) = (value);                                                                     \
    } while (0)
#define HEIST__OMP_KEEP_RELAXED(field, value)                                                                          \
    do {                                                                                                               \
        if (heist__load_relaxed(field) != (value)) heist__store_relaxed(field, value);                                 \
    } while (0)

#endif
