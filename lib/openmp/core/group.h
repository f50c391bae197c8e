/* A taskgroup: the tasks created in it and, unless these open groups of their own, in them.
 *
 * Each thread counts the tasks of the group that it created and finished, in a cell of its own, with plain stores.
 * The thread that waits compares the sums, finished before created, as lib/quiescence does. The counts never go back:
 * when a group is over the sums are equal, and the next use of its memory begins there.
 *
 * C2: `shared` is set before another thread's first task of the group can be seen, so before the owner can finish
 *     such a task. While it is not set, the owner compares two words of its own.
 * C3: a task is counted as created before it can be seen, and as finished after all that it did. */
#ifndef HEIST_OPENMP_CORE_GROUP_H
#define HEIST_OPENMP_CORE_GROUP_H

#include "openmp/core/slot.h"

typedef struct heist__omp_cell {
    /* Written by: the cell's thread; of the last cell, threads outside the team (add). Read by: the group's owner. */
    _Alignas(64) HEIST__ATOMIC(uint64_t) created;
    HEIST__ATOMIC(uint64_t) finished;
} heist__omp_cell;

struct heist__omp_group {
    heist__omp_group *prev; /* the group around it, or the next free one */
    uintptr_t *reductions;  /* registered for it, as the compiler laid them out; those of groups around it follow */
    heist__omp_slot *owner; /* the slot whose thread waits for it */
    uint64_t owed;          /* created less finished in the owner's cell, from earlier uses. Owner only. */
    bool workshare;         /* belongs to a loop, sections or scope with task reductions */
    bool counted;           /* false: the region's, which the barrier waits for */
    HEIST__ATOMIC(uint32_t) cancelled; /* Written by: its tasks. Read by: threads that begin or create a task of it. */
    /* 1: another thread created or finished a task of it. Written by: that thread. Read by: the owner. */
    HEIST__ATOMIC(uint32_t) shared;
    heist__omp_cell cells[]; /* one for each thread of the team, and one for threads outside */
};

/* ---- group.c ---- */
/* A group without tasks, in memory of its own. NULL: no memory. */
heist__omp_group *heist__omp_group_new(unsigned threads);
/* Begins a group of the current task. NULL: no memory; then tasks run at once up to heist__omp_group_end, which must be
 * called in any case. */
heist__omp_group *heist__omp_group_begin(heist__omp_slot *self);
/* Waits for the tasks of the group that was begun last, and ends it. */
void heist__omp_group_end(heist__omp_slot *self);
/* Gives up the group that was begun last, in which there is no task yet: as if there had been no memory for it. */
void heist__omp_group_do_without(heist__omp_slot *self);
/* A task of the group was created, or finished. `self` may be NULL in the latter: outside the team. */
void heist__omp_group_created(heist__omp_slot *self, heist__omp_group *group);
void heist__omp_group_finished(heist__omp_slot *self, heist__omp_group *group);

#endif
