/* An OpenMP task: its record, from creation to the end of its last child.
 *
 * A record is 256 bytes, taken from chunks that are never given back while the program runs. So a thief may look at a
 * record that it does not own, and see that of a later task at worst (lineage.c). Data of up to HEIST__OMP_INLINE bytes
 * lies in the record, more in a block of its own.
 *
 * Children are counted in three parts, so that a task whose children ran where it runs touches nothing shared:
 * `spawned` and `done_here` belong to the thread that runs the task, `away` is for all others, who count down. All
 * children are done when spawned - done_here + away is 0. When the task's body ends with children left, their number is
 * added to `away`, and whoever brings that to 0 gives the record back.
 *
 * Fields marked "blank" are 0 in a free record. A task that is run at once and puts no child off, as most are, leaves
 * them so, and nobody has to write them; everybody else does before giving a record back. */
#ifndef HEIST_OPENMP_TASK_H
#define HEIST_OPENMP_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/atomic.h>

#include "openmp/front.h"

typedef struct heist__omp_slot heist__omp_slot;
typedef struct heist__omp_group heist__omp_group;
typedef struct heist__omp_icvs heist__omp_icvs;
typedef struct heist__omp_node heist__omp_node;
typedef struct heist__omp_table heist__omp_table;
typedef struct heist__omp_task heist__omp_task;

#define HEIST__OMP_INLINE 128

typedef enum {
    HEIST__TASK_FINAL = 1 << 0,
    HEIST__TASK_NOW = 1 << 1,    /* runs within the call that created it: its parent does not count it */
    HEIST__TASK_COPIED = 1 << 2, /* its data was constructed, and must be destructed by the body */
    HEIST__TASK_ENDED = 1 << 3,  /* the body has ended with children left. Read by: the thread that ran it. */
    HEIST__TASK_EVENT = 1 << 4,  /* has an event to be fulfilled */
    HEIST__TASK_IMPLICIT = 1 << 5,
    HEIST__TASK_BODY_LATER = 1 << 6, /* ended by its event: see event.c */
    HEIST__TASK_ALONE = 1 << 7,      /* created in a taskgroup for which there was no memory, see group.c */
    HEIST__TASK_GROUP = 1 << 16      /* once for each such group that is open in it: from here on a number */
} heist__omp_task_flags;

/* Of tasks whose children all run at once. */
#define HEIST__TASK_CALLS (HEIST__TASK_FINAL | HEIST__TASK_ALONE | ~(uint32_t)(HEIST__TASK_GROUP - 1))

struct heist__omp_task {
    heist__omp_body *fn;
    void *data;
    heist__omp_slot *home; /* runs the parent */
    heist__omp_group *group;
    /* Who it is, and who its parent is. Written by: the creator. Read by: anybody, see lineage.c. */
    HEIST__ATOMIC(uint64_t) id; /* never 0 for a task that is one */
    HEIST__ATOMIC(heist__omp_task *) parent;
    HEIST__ATOMIC(uint64_t) parent_id;
    /* Blank. Written by: threads that finished a child elsewhere, the runner at the end. Read by: both. Not on the line that
     * follows, which the runner uses for every child. */
    HEIST__ATOMIC(int64_t) away;

    heist__omp_icvs *icvs; /* control variables, NULL: those of the region. Runner only. */
    union {
        heist__omp_task *next; /* in whichever list it is, before it begins and after its end */
        uint64_t base;         /* index, in its runner's deque, of the first task that descends from it. Runner only. */
    };
    HEIST__ATOMIC(uint32_t) depth; /* as `id` */
    uint32_t flags;
    union {
        int32_t priority; /* before it begins */
        uint32_t nested;  /* tasks run at once within each other, up to this one. Runner only. */
    };
    union {
        HEIST__ATOMIC(uint32_t) event; /* of one that has an event: see event.c */
        uint32_t site;                 /* of others: what is to be learned, or its last child's place: site.h */
    };
    int64_t spawned;         /* Blank. Written and read by: the thread that runs the task. */
    int64_t done_here;       /* The same. */
    heist__omp_table *table; /* Blank. Dependences among its children. Runner only. */
    heist__omp_node *node;   /* Blank. Its own dependences. */

    _Alignas(HEIST__LINE) char room[HEIST__OMP_INLINE];
};

/* ---- record.c ---- */
heist__omp_task *heist__omp_record_take_slow(heist__omp_slot *self);
void heist__omp_record_give_slow(heist__omp_slot *self, heist__omp_task *task);
/* From a thread that is in no team. */
void heist__omp_record_give_outside(heist__omp_task *task);

/* ---- task.c ---- */
/* Runs a task that was taken from a deque, and finishes it. */
void heist__omp_task_run(heist__omp_slot *self, heist__omp_task *task);
/* The same for a task that was just created, as one of those that are run at once within each other. */
void heist__omp_task_run_within(heist__omp_slot *self, heist__omp_task *task);
/* The task is complete: tells those who wait. `self` is NULL outside the team. */
void heist__omp_task_complete(heist__omp_slot *self, heist__omp_task *task);
/* A child of `parent` is complete, or what counts as one. `home`: whose thread runs the parent. */
void heist__omp_tell_parent(heist__omp_slot *self, heist__omp_task *parent, heist__omp_slot *home);
/* One thing less for which the record is kept. */
void heist__omp_task_drop(heist__omp_slot *self, heist__omp_task *task);
/* Of a task that was run within the call that created it: it is over. */
void heist__omp_task_left(heist__omp_slot *self, heist__omp_task *task);
/* Runs it here and now, on `data`. */
void heist__omp_task_now(heist__omp_slot *self, heist__omp_task *task, void *data);
/* When there is no memory for a record: runs the body as part of the current task. `flags`: final or not. */
void heist__omp_task_merged(heist__omp_slot *self, heist__omp_body *fn, void *data, uint32_t flags);
/* Room for data outside the record. NULL: no memory. */
char *heist__omp_block(heist__omp_slot *self, size_t size, size_t align);
void heist__omp_block_free(heist__omp_slot *self, void *data);
/* The same in memory that the caller has: how much that takes, and where in it the room is. */
size_t heist__omp_block_bytes(size_t size, size_t align);
char *heist__omp_block_in(void *memory, size_t align);
/* Ready to run, and visible. `self` is NULL outside the team. */
void heist__omp_task_ready(heist__omp_slot *self, heist__omp_task *task);
/* Waits, helping, for the children of the current task: see heist__omp_taskwait in team.h. */
void heist__omp_taskwait_slow(heist__omp_slot *self);
/* Runs a descendant of the current task, if there is one. */
void heist__omp_taskyield(heist__omp_slot *self);

/* ---- lineage.c ---- */
/* Whether `task`, seen in somebody's deque, descends from `ancestor`. What it says is true if the task was still in
 * that deque afterwards. */
bool heist__omp_descends(heist__omp_task *task, heist__omp_task *ancestor);

/* ---- depend.c ---- */
/* Kinds of use, the strongest first: out and inout; mutexinoutset; inoutset; in. */
typedef enum { HEIST__USE_OUT, HEIST__USE_MUTEX, HEIST__USE_SET, HEIST__USE_IN } heist__omp_use;
/* How many uses the clauses name that came with a task, and the i-th of them; an address of NULL, with
 * HEIST__USE_OUT, is omp_all_memory. Each runtime's compiler lays clauses out in its own way. */
size_t heist__omp_use_count(const void *clauses);
heist__omp_use heist__omp_use_at(const void *clauses, size_t i, void **address);
/* Gets all the memory that entering the task among its siblings takes. False: there is none, and nothing has changed. */
bool heist__omp_depend_prepare(heist__omp_slot *self, heist__omp_task *task, const void *clauses);
/* It is not to be entered after all. */
void heist__omp_depend_forget(heist__omp_slot *self, heist__omp_task *task);
/* Enters a task that was prepared: it will be made ready by the last that it waits for, or is already. */
void heist__omp_depend(heist__omp_slot *self, heist__omp_task *task, const void *clauses);
/* Whether all that they name is over now. It may say no where it is. */
bool heist__omp_depend_over(heist__omp_slot *self, const void *clauses);
/* Waits, helping, until what the clauses name is over. */
void heist__omp_depend_wait(heist__omp_slot *self, const void *clauses);
/* The task is complete: makes those ready that waited for it alone. */
void heist__omp_depend_release(heist__omp_slot *self, heist__omp_task *task);
/* The task creates no more children. */
void heist__omp_table_free(heist__omp_slot *self, heist__omp_table *table);

/* ---- event.c ---- */
void heist__omp_event_attach(heist__omp_task *task, void *detach, void *data);
/* The body has ended. True: the event was fulfilled before, so the task is complete. */
bool heist__omp_event_body_ended(heist__omp_task *task);
bool heist__omp_event_fulfilled(heist__omp_task *task);

#endif
