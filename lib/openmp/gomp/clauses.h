/* depend clauses as gcc lays them out. */
#ifndef HEIST_OPENMP_GOMP_CLAUSES_H
#define HEIST_OPENMP_GOMP_CLAUSES_H

#include <stdint.h>

#include "depend/depend.h"

/* ---- clauses.c ---- */
heist__depend_use heist__gomp_use_at(const void *depend, size_t i, void **address);

/* `depend`: the compiler's array of words. It must last as long as the result. */
static inline heist__depend_clauses heist__gomp_clauses(void **depend)
{
    size_t count = (size_t)(uintptr_t)(depend[0] ? depend[0] : depend[1]); /* see clauses.c */
    return (heist__depend_clauses){depend, count, heist__gomp_use_at};
}

#endif
