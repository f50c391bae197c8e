/* A taskgroup: the tasks created in it and, unless these open groups of their own, in them.
 *
 * Each thread counts what it created and what it finished, in a cell of its own, with plain stores; the sums are
 * compared by the one who waits, finished before created, as lib/quiescence does. The counts never go back: when a
 * group is over the sums are equal, and the next use of its memory begins there. */
#ifndef HEIST_OPENMP_GROUP_H
#define HEIST_OPENMP_GROUP_H

#include "openmp/team.h"

typedef struct heist__omp_cell {
    /* Written by: the thread whose cell it is; the last one, by anybody outside the team (add). Read by: the owner. */
    _Alignas(64) HEIST__ATOMIC(uint64_t) created;
    HEIST__ATOMIC(uint64_t) finished;
} heist__omp_cell;

struct heist__omp_group {
    heist__omp_group *prev; /* the group around it, or the next free one */
    uintptr_t *reductions;  /* registered for it, as the compiler laid them out; those of groups around it follow */
    heist__omp_slot *owner; /* whose thread waits for it */
    uint64_t owed;          /* what the owner had created but not finished, from earlier uses. Owner only. */
    bool workshare;         /* belongs to a loop, sections or scope with task reductions */
    bool counted;           /* false: the region's, which the barrier waits for */
    HEIST__ATOMIC(uint32_t) cancelled; /* Written by: its tasks. Read by: who begins or creates one. */
    /* Whether another thread has had to do with it. Written by: that thread. Read by: the owner. */
    HEIST__ATOMIC(uint32_t) shared;
    heist__omp_cell cells[]; /* one for each thread of the team, and one for those outside */
};

/* A group with no tasks, in memory of its own. NULL: no memory. */
heist__omp_group *heist__omp_group_new(unsigned threads);

#endif
