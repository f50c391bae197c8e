/* A task as clang lays it out.
 *
 * The compiler asks for a task's memory, fills it in, and then submits the task. That memory lies in the task's record,
 * in its room or in a block, behind a head of heist's:
 *
 *   head | kmp_task_t | private data | addresses of shared data
 *
 * A task that libomp made, for GOMP_task and similar entries, has no head; the mark tells. */
#ifndef HEIST_OPENMP_KMP_TASK_H
#define HEIST_OPENMP_KMP_TASK_H

#include "openmp/core/slot.h"

typedef struct heist__kmp_head {
    uintptr_t mark; /* see heist__kmp_mark */
    heist__omp_task *task;
    size_t size, shareds; /* bytes asked for */
} heist__kmp_head;

/* Flags of a record, beside those of core/task.h. */
enum {
    HEIST__KMP_TASK_DESTRUCT = 1 << 8, /* has destructors to be called */
    HEIST__KMP_TASK_PRIORITY = 1 << 9, /* says its priority */
    HEIST__KMP_TASK_AGAIN = 1 << 10,   /* untied: has another part */
    HEIST__KMP_TASK_ENDING = 1 << 11,  /* if0.c: the earlier value of the thread's ending_group */
    HEIST__KMP_TASK_SPECIAL = 1 << 12, /* its body is not only a call: untied, or with destructors */
    HEIST__KMP_TASK_AT_ONCE = 1 << 13, /* the record, or its data, is of the reserve: it must not be put off */
    HEIST__KMP_TASK_ASK = 1 << 14,     /* the quick decision does not suffice when it is submitted */
    HEIST__KMP_TASK_BLOCK = 1 << 15,   /* its data is in a block */
};

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

/* The record of a task. NULL: libomp made the task. */
static inline heist__omp_task *heist__kmp_record_of(heist__kmp_task *task)
{
    heist__kmp_head *head = heist__kmp_head_of(task);
    return __builtin_expect(head->mark == heist__kmp_mark(head), 1) ? head->task : NULL;
}

/* ---- task.c ---- */
/* A new child of the current task, not yet filled in by the program. */
heist__kmp_task *heist__kmp_task_new(heist__omp_slot *self, int32_t flags, size_t size, size_t shareds,
                                     heist__kmp_routine *routine);
/* Runs a task that has been filled in, sets it aside, or puts it off. `clauses`: of depend, or NULL. `must`: it runs at
 * once. */
void heist__kmp_task_submit(heist__omp_slot *self, heist__omp_task *task, const heist__depend_clauses *clauses,
                            bool must);
/* The body of most tasks: the program's, and nothing else. */
heist__omp_body heist__kmp_run_plain;
/* Calls the parts of an untied task that are left, and then its destructors, if it has any. */
void heist__kmp_run_rest(heist__omp_slot *self, heist__omp_task *record, heist__kmp_task *task);
/* The body of a task that ran within the call that created it has ended. */
void heist__kmp_task_ended(heist__omp_slot *self, heist__omp_task *task);
/* The task is not run after all. */
void heist__kmp_task_discard(heist__omp_slot *self, heist__omp_task *task);
/* Runs a task that libomp made for GOMP_task, in a region of heist's: no thread here looks into libomp's own queue. */
void heist__kmp_run_foreign(void *loc, int32_t gtid, heist__kmp_task *task);

#endif
