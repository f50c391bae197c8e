/* A region on its way to libomp's threads. */
#ifndef HEIST_OPENMP_KMP_REGION_H
#define HEIST_OPENMP_KMP_REGION_H

#include "openmp/core/team.h"

typedef struct heist__kmp_copy_set heist__kmp_copy_set;

typedef struct heist__kmp_region {
    /* Every thread reads these fields as it enters: they lie together. */
    heist__kmp_micro *micro;
    void **arguments; /* `few`, or an array for more */
    int32_t count;    /* of arguments */
    bool served;      /* false: libomp's own */
    bool within;      /* a thread of another region of heist's starts it */
    /* A team for as many threads as the region will have if it is like the last one, or NULL. */
    unsigned expected_threads;
    heist__omp_team *expected;
    void *few[4];
    /* The team if there are more threads. NULL until the first thread comes; heist__kmp_no_team if there is no memory
     * for one. Written by: that thread, under the lock of parallel.c. Read by: the others. */
    HEIST__ATOMIC(heist__omp_team *) team;
    /* reduction(task, ...) of the region and of a work-sharing construct in it, and how many threads had to do
     * without memory for it before there was one. Under the lock of reduction.c. */
    heist__kmp_copy_set *reductions[2];
    unsigned without[2];
} heist__kmp_region;

static inline heist__kmp_region *heist__kmp_region_of(const heist__omp_slot *self)
{
    return self->team->region.data;
}

/* ---- parallel.c ---- */
/* Stands for the team of a region without one: the region's threads are libomp's. */
extern heist__omp_team heist__kmp_no_team;
/* The calling thread is in libomp, between an entry of heist's and the program's function. Written by: the thread
 * itself. */
extern __thread bool heist__kmp_forking;
/* A team for the region; heist__kmp_no_team: no memory. */
heist__omp_team *heist__kmp_team_take(heist__kmp_region *region, unsigned threads);
/* The calling thread enters the region. `gtid`: libomp's number of the thread. */
void heist__kmp_slot_enter(heist__omp_slot *slot, int32_t gtid, unsigned threads);

#endif
