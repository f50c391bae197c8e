/* What the files of the front end for libomp share.
 *
 * The compiler asks for a task's memory, fills it in, and then says what to do with it. That memory lies in the task's
 * record, in its room or in a block, and has a head of ours before it:
 *
 *   head | kmp_task_t | private data | addresses of shared data
 *
 * A task that libomp made, for GOMP_task and the like, has none; the mark tells. */
#ifndef HEIST_OPENMP_KMP_H
#define HEIST_OPENMP_KMP_H

#include "openmp/group.h"
#include "openmp/real.h"

typedef struct heist__kmp_head {
    uintptr_t mark; /* see heist__kmp_mark */
    heist__omp_task *task;
    size_t size, shareds; /* bytes asked for */
} heist__kmp_head;

/* Flags of a record, beside those of task.h. */
enum {
    HEIST__KMP_TASK_DESTRUCT = 1 << 8, /* has destructors to be called */
    HEIST__KMP_TASK_PRIORITY = 1 << 9, /* says its priority */
    HEIST__KMP_TASK_AGAIN = 1 << 10,   /* untied: has another part */
    HEIST__KMP_TASK_ENDING = 1 << 11,  /* begin_if0: what the thread's ending_group was */
    HEIST__KMP_TASK_SPECIAL = 1 << 12, /* its body is not only a call: untied, or with destructors */
    HEIST__KMP_TASK_AT_ONCE = 1 << 13, /* it, or its data, is of the reserve: it is not to be put off */
    HEIST__KMP_TASK_ASK = 1 << 14,     /* when it is submitted, more than the deque's length is to be asked */
    HEIST__KMP_TASK_BLOCK = 1 << 15,   /* its data is in a block */
};

/* A region, on its way to libomp's threads. */
typedef struct heist__kmp_reduction heist__kmp_reduction;
typedef struct heist__kmp_batch heist__kmp_batch;
typedef struct heist__kmp_region {
    /* What every thread reads as it enters, together. */
    heist__kmp_micro *micro;
    void **arguments; /* `few`, or more */
    int32_t count;    /* of them */
    bool served;      /* false: libomp's own */
    bool within;      /* it is started by a thread in another region of heist's */
    /* A team for as many threads as the region will have if it is like the last one, or NULL. */
    unsigned expected_threads;
    heist__omp_team *expected;
    void *few[4];
    /* The team if there are more. NULL until the first thread comes, and finds or does not find memory for one. Written by: it,
     * under the lock of parallel.c. Read by: the others. */
    HEIST__ATOMIC(heist__omp_team *) team;
    /* reduction(task, ...) of the region and of a work-sharing construct in it, and how many threads had to do without
     * memory for it before there was one. Under the lock of reduction.c. */
    heist__kmp_batch *reductions[2];
    unsigned without[2];
} heist__kmp_region;

static inline uintptr_t heist__kmp_mark(const heist__kmp_head *head)
{
    return (uintptr_t)head ^ (uintptr_t)UINT64_C(0x9e3779b97f4a7c15);
}

static inline heist__kmp_head *heist__kmp_head_of(heist__kmp_task *task)
{
    return (heist__kmp_head *)task - 1;
}

static inline heist__kmp_task *heist__kmp_task_of(heist__kmp_head *head)
{
    return (heist__kmp_task *)(head + 1);
}

/* The record of a task, or NULL: libomp made it. */
static inline heist__omp_task *heist__kmp_record_of(heist__kmp_task *task)
{
    heist__kmp_head *head = heist__kmp_head_of(task);
    return __builtin_expect(head->mark == heist__kmp_mark(head), 1) ? head->task : NULL;
}

static inline heist__kmp_region *heist__kmp_region_of(const heist__omp_slot *self)
{
    return self->team->region.data;
}

/* ---- task.c ---- */
/* A new task of the current one, not yet filled in. */
heist__kmp_task *heist__kmp_task_new(heist__omp_slot *self, int32_t flags, size_t size, size_t shareds,
                                     heist__kmp_routine *routine);
/* What to do with a task that has been filled in. `now`: it has to run at once. */
void heist__kmp_task_submit(heist__omp_slot *self, heist__omp_task *task, const void *clauses, bool now);
/* The body of most tasks: the program's, and nothing else. */
heist__omp_body heist__kmp_run_plain;
/* The body of a task has ended that was run within the call that created it. */
void heist__kmp_task_ended(heist__omp_slot *self, heist__omp_task *task);
/* A task that is not to run after all. */
void heist__kmp_task_discard(heist__omp_slot *self, heist__omp_task *task);

/* ---- reserve.c ---- */
/* The slot is given a reserve, if it has none. False: no memory. */
bool heist__kmp_reserve_make(heist__omp_slot *slot);
/* A record of the reserve, with nothing filled in. NULL: there are no more. By the slot's thread, as are all below. */
heist__omp_task *heist__kmp_reserve_record(heist__omp_slot *self);
/* A block of the reserve. NULL: there is not as much left. */
void *heist__kmp_reserve_take(heist__omp_slot *self, size_t bytes);
void heist__kmp_reserve_give(heist__omp_slot *self, void *block);
/* Whether an address is in one of its blocks. */
bool heist__kmp_reserve_has(const heist__omp_slot *self, const void *memory);

/* ---- reduction.c ---- */
/* The current task's group is about to end: what to call heist__kmp_reduction_end with when it has ended, or NULL. */
heist__kmp_reduction *heist__kmp_reduction_of_group(const heist__omp_slot *self);
void heist__kmp_reduction_end(heist__omp_slot *self, heist__kmp_reduction *reduction);
/* What a cancelled region left. */
void heist__kmp_reductions_drop(heist__kmp_region *region);

#endif
