/* An OpenMP task: its record, from creation to the end of its last child.
 *
 * A record has 256 bytes. It comes from chunks that stay mapped as long as the program runs. So a thief may read a
 * record that it does not own; at worst it sees the record of a later task (ancestry.h). Data of up to
 * HEIST__OMP_INLINE bytes lies in the record; larger data lies in a block of its own (block.h).
 *
 * Children are counted in three words, so that a task whose children run in its own thread touches nothing shared.
 * `spawned` and `done_here` belong to the thread that runs the task. Other threads count `away` down. All children
 * are complete when spawned - done_here + away is 0. If the body of a task ends before its children do, the number of
 * unfinished children is added to `away`, and the thread that brings `away` to 0 gives the record back.
 *
 * Fields marked "blank" are 0 in a free record. Most tasks run at once and put no child off: such a task never writes
 * the blank fields. Every other task sets them to 0 before its record is given back. */
#ifndef HEIST_OPENMP_CORE_TASK_H
#define HEIST_OPENMP_CORE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

#include "depend/depend.h"
#include "openmp/preload/front_end.h"

typedef struct heist__omp_slot heist__omp_slot;
typedef struct heist__omp_group heist__omp_group;
typedef struct heist__omp_icvs heist__omp_icvs;
typedef struct heist__omp_task heist__omp_task;

#define HEIST__OMP_INLINE 128

typedef enum {
    HEIST__OMP_TASK_FINAL = 1 << 0,
    HEIST__OMP_TASK_NOW = 1 << 1,    /* runs within the call that created it; its parent does not count it */
    HEIST__OMP_TASK_COPIED = 1 << 2, /* its data was constructed; the body must run to destruct it */
    HEIST__OMP_TASK_ENDED = 1 << 3,  /* the body has ended with children left. Read by: the thread that ran it. */
    HEIST__OMP_TASK_EVENT = 1 << 4,  /* has an event to be fulfilled */
    HEIST__OMP_TASK_IMPLICIT = 1 << 5,
    HEIST__OMP_TASK_ALONE = 1 << 7, /* created in a taskgroup for which there was no memory: see group.c */
    HEIST__OMP_TASK_GROUP = 1 << 16 /* added for each such group that is open in the task: a number from this bit on */
} heist__omp_task_flags;

/* Flags of tasks whose children all run at once. Bits 8 to 15 belong to the front end. */
#define HEIST__OMP_TASK_CALLS (HEIST__OMP_TASK_FINAL | HEIST__OMP_TASK_ALONE | ~(uint32_t)(HEIST__OMP_TASK_GROUP - 1))

struct heist__omp_task {
    heist__omp_body *fn;
    void *data;
    heist__omp_slot *home; /* the slot whose thread runs the parent */
    heist__omp_group *group;
    /* Identity of the task and of its parent. Written by: the creator. Read by: any thread, see ancestry.h. */
    HEIST__ATOMIC(uint64_t) id; /* 0: the fields are being written */
    HEIST__ATOMIC(heist__omp_task *) parent;
    HEIST__ATOMIC(uint64_t) parent_id;
    /* Blank. Written by: threads that finished a child elsewhere; the runner, when the body ends. Read by: both. Not
     * on the next line, which the runner uses for every child. */
    HEIST__ATOMIC(int64_t) away;

    heist__omp_icvs *icvs; /* control variables; NULL: those of the region. Runner only. */
    union {
        heist__omp_task *next; /* in the list that has the task, before it begins and after its end */
        uint64_t base;         /* index, in its runner's deque, of the first task that descends from it. Runner only. */
    };
    HEIST__ATOMIC(uint32_t) depth; /* as `id` */
    uint32_t flags;
    union {
        int32_t priority; /* before the task begins */
        uint32_t nested;  /* number of tasks run at once within each other, up to this one. Runner only. */
    };
    union {
        HEIST__ATOMIC(uint32_t) event; /* of a task with an event: see event.c */
        uint32_t site;                 /* of other tasks: see creation_site.h */
    };
    int64_t spawned;            /* Blank. Written and read by: the thread that runs the task. */
    int64_t done_here;          /* Blank. As `spawned`. */
    heist__depend_table *table; /* Blank. Dependences among the task's children. Runner only. */
    heist__depend_node *node;   /* Blank. The task's own dependences. */

    _Alignas(HEIST__LINE) char room[HEIST__OMP_INLINE];
};

/* Runs a task that was taken from a deque or queue, and finishes it. */
void heist__omp_task_run(heist__omp_slot *self, heist__omp_task *task);
/* The same for a task that was just created. It counts as one of the tasks run at once within each other. */
void heist__omp_task_run_within(heist__omp_slot *self, heist__omp_task *task);
/* The task is complete: tells the threads that wait for it. `self` is NULL outside the team. */
void heist__omp_task_complete(heist__omp_slot *self, heist__omp_task *task);
/* A child of `parent`, or something that counts as a child, is complete. `home`: the slot whose thread runs the
 * parent. */
void heist__omp_tell_parent(heist__omp_slot *self, heist__omp_task *parent, heist__omp_slot *home);
/* Drops one of the reasons to keep the record. */
void heist__omp_task_drop(heist__omp_slot *self, heist__omp_task *task);
/* The body of a task that ran within its creating call has ended. Waits for the task's event, if it has one. */
void heist__omp_task_left(heist__omp_slot *self, heist__omp_task *task);
/* Runs the task within the creating call, on `data`. */
void heist__omp_task_now(heist__omp_slot *self, heist__omp_task *task, void *data);
/* Runs a body as part of the current task: there is no memory for a record. `flags`: final or not. */
void heist__omp_task_merged(heist__omp_slot *self, heist__omp_body *fn, void *data, uint32_t flags);
/* Makes a task visible that is ready to run. `self` is NULL outside the team. */
void heist__omp_task_ready(heist__omp_slot *self, heist__omp_task *task);

#endif
