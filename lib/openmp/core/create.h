/* The way of a new task up to where other threads can see it. Inline, because a task may be as small as a call. */
#ifndef HEIST_OPENMP_CORE_CREATE_H
#define HEIST_OPENMP_CORE_CREATE_H

#include <string.h>

#include "openmp/core/block.h"
#include "openmp/core/decide.h"
#include "openmp/core/group.h"
#include "openmp/core/queue.h"
#include "openmp/core/record.h"

/* Fills in the record of a new child of `parent`, which the calling thread runs. */
static inline void heist__omp_task_init(heist__omp_slot *self, heist__omp_task *parent, heist__omp_task *task,
                                        uint32_t flags)
{
    heist__store_relaxed(&task->id, 0); /* relaxed: the fence follows */
    heist__fence_release();             /* A3: the id goes before the fields change. Pairs with A3 in ancestry.c. */
    task->group = parent->group;
    task->flags = flags;
    task->icvs = parent->icvs;
    task->site = 0;
    /* relaxed: the store of the id below publishes them (A3) */
    heist__store_relaxed(&task->parent, parent);
    heist__store_relaxed(&task->parent_id, heist__load_relaxed(&parent->id));
    heist__store_relaxed(&task->depth, heist__load_relaxed(&parent->depth) + 1);
    heist__store_release(&task->id, ++self->next_id); /* A3: the fields before the id */
}

/* The flags that a child has from its parent. */
static inline uint32_t heist__omp_inherited(const heist__omp_task *parent)
{
    uint32_t final = parent->flags & HEIST__OMP_TASK_FINAL;
    return parent->flags & (HEIST__OMP_TASK_CALLS & ~(uint32_t)HEIST__OMP_TASK_FINAL) ? final | HEIST__OMP_TASK_ALONE
                                                                                      : final;
}

/* A new record as child of the current task. NULL: no memory. */
static inline heist__omp_task *heist__omp_task_new(heist__omp_slot *self, heist__omp_body *fn, uint32_t flags)
{
    heist__omp_task *task = heist__omp_record_take(self);
    if (!task) return NULL;
    heist__omp_record_fetch(self->record[1 - HEIST__OMP_AHEAD]); /* a record that is taken soon, if there are many */
    heist__omp_task_init(self, self->current, task, flags);
    task->fn = fn;
    task->home = self;
    task->priority = 0;
    return task;
}

/* memcpy, mostly of a few words. */
static inline void heist__omp_copy(char *to, const char *from, size_t size)
{
    switch (size) {
    case 40: memcpy(to + 32, from + 32, 8); /* fall through */
    case 32: memcpy(to + 24, from + 24, 8); /* fall through */
    case 24: memcpy(to + 16, from + 16, 8); /* fall through */
    case 16: memcpy(to + 8, from + 8, 8);   /* fall through */
    case 8: memcpy(to, from, 8); break;
    case 0: break; /* `from` may be NULL */
    default: memcpy(to, from, size);
    }
}

/* Copies the data into the task. False: no memory. */
static inline bool heist__omp_task_data(heist__omp_slot *self, heist__omp_task *task, void *data,
                                        void (*copy)(void *, void *), size_t size, size_t align)
{
    char *room = task->room;
    if (__builtin_expect(size > sizeof task->room || align > _Alignof(heist__omp_task), 0)) {
        room = heist__omp_block(self, size, align < sizeof(void *) ? sizeof(void *) : align);
        if (!room) return false;
    }
    task->data = room;
    if (__builtin_expect(copy != NULL, 0)) {
        task->flags |= HEIST__OMP_TASK_COPIED;
        copy(room, data);
    } else {
        heist__omp_copy(room, data, size);
    }
    return true;
}

/* Counts the task for its parent, group and team. */
static inline void heist__omp_task_counted(heist__omp_slot *self, heist__omp_task *task)
{
    self->current->spawned++;
    if (task->group) heist__omp_group_created(self, task->group);
    /* B1: before the task can be seen. Pairs with B1 in barrier.c. relaxed: its own */
    heist__store_release(&self->created, heist__load_relaxed(&self->created) + 1);
}

/* Makes a task visible that is ready to run. */
static inline void heist__omp_task_push(heist__omp_slot *self, heist__omp_task *task)
{
    heist__omp_notice_thefts(self, heist__load_relaxed(&self->deque->top)); /* relaxed: a hint */
    heist__omp_tail_show_all(self);
    if (__builtin_expect(task->priority > 0 || heist_deque_push(self->deque, task) < 0, 0))
        heist__omp_queue_put(self->team, task);
    heist__store_release(&self->tail, heist__load_relaxed(&self->deque->bottom)); /* A1; relaxed: its own */
    heist__omp_wake_one(self->team);
}

/* A task that is ready to run is set aside, or made visible if the decision is HEIST__PUT_OFF. */
static inline void heist__omp_task_put(heist__omp_slot *self, heist__omp_task *task, uint32_t decision)
{
    if (decision > HEIST__PUT_OFF) task->site = decision;
    if (decision == HEIST__PUT_OFF || __builtin_expect(!heist__omp_tail_push(self, task), 0))
        heist__omp_task_push(self, task);
}

/* A task that does not run at once goes where the decision says. One with dependences was prepared (depend.h). */
static inline void heist__omp_task_submit(heist__omp_slot *self, heist__omp_task *task,
                                          const heist__omp_request *request, uint32_t decision)
{
    task->priority = request->priority;
    heist__omp_task_counted(self, task);
    if (request->clauses) {
        heist__omp_depend_enter(self, task, request->clauses);
    } else {
        heist__omp_task_put(self, task, decision);
    }
}

#endif
