/* The way of a new task up to where others can see it, or through its body: inline, because a task may be as small as a
 * call. */
#ifndef HEIST_OPENMP_CREATE_H
#define HEIST_OPENMP_CREATE_H

#include <string.h>

#include "openmp/team.h"

/* Tasks run at once within each other before the stack is looked at: if half of it is used, new ones are put off whatever
 * the deque's length. */
enum { HEIST__OMP_MANY_NESTED = 256 };

/* And how long the deque may become by that: bounds the memory. */
enum { HEIST__OMP_MOST_QUEUED = 1 << 20 };

/* Unfinished children with which a task still puts off another one with dependences: as many as a cache holds. */
enum { HEIST__OMP_MOST_DEPENDENT = 1 << 11 };

/* Depth of tasks that are taken to be made in one loop for all threads, not each by another one of its kind. */
enum { HEIST__OMP_SHALLOW = 2 };

/* Whether a task created now had better run at once: there is enough to steal. That is up to four tasks, and fewer, down to
 * one, while what was put off comes back. A loop that makes many tasks puts off more of them, since they may be long, and nobody
 * else can make the rest. */
static inline bool heist__omp_crowded(heist__omp_slot *self)
{
    const heist_deque *deque = heist__omp_deque_of(self);
    /* relaxed: the bottom is our own, the rest are hints */
    int64_t length = (int64_t)(heist__load_relaxed(&deque->bottom) - heist__load_relaxed(&deque->top));
    if (length < self->enough) return false;
    if (__builtin_expect(self->current->nested >= HEIST__OMP_MANY_NESTED, 0) && heist__omp_stack_is_low())
        return length >= HEIST__OMP_MOST_QUEUED;
    return heist__load_relaxed(&self->current->depth) >= HEIST__OMP_SHALLOW || length >= self->plenty;
}

/* The same for a task of this priority: one that has one waits for its turn, unless very many do. */
static inline bool heist__omp_crowded_for(heist__omp_slot *self, int32_t priority)
{
    if (priority > 0) return heist__load_relaxed(&self->team->queued) >= self->plenty; /* relaxed: a hint */
    return heist__omp_crowded(self);
}

/* What a record says of a new child of `parent`, which the thread runs. */
static inline void heist__omp_task_born(heist__omp_slot *self, heist__omp_task *parent, heist__omp_task *task,
                                        uint32_t flags)
{
    heist__store_relaxed(&task->id, 0); /* relaxed: the fence follows */
    heist__fence_release();             /* L1: the id goes before the fields change. Pairs with L1 in lineage.c. */
    task->group = parent->group;
    task->flags = flags;
    task->icvs = parent->icvs;
    /* relaxed: the store of the id below publishes them (L1) */
    heist__store_relaxed(&task->parent, parent);
    heist__store_relaxed(&task->parent_id, heist__load_relaxed(&parent->id));
    heist__store_relaxed(&task->depth, heist__load_relaxed(&parent->depth) + 1);
    heist__store_release(&task->id, ++self->next_id); /* L1 */
}

/* Whether the current task has so many children that one more with dependences had better wait for those here. Not where
 * there are events: what it would wait for may be for its creator to fulfil, later. */
static inline bool heist__omp_many_children(const heist__omp_slot *self)
{
    const heist__omp_task *task = self->current;
    int64_t here = task->spawned - task->done_here;
    /* relaxed: an estimate; the flag, this thread's own or a hint */
    return here + heist__load_relaxed(&task->away) >= HEIST__OMP_MOST_DEPENDENT &&
           !heist__load_relaxed(&self->team->events);
}

/* heist__omp_crowded for a task with dependences. Short ones are not worth handing over, and those that wait for others are
 * in no deque: their number is bounded here. */
static inline bool heist__omp_crowded_dependent(heist__omp_slot *self, int32_t priority)
{
    if (heist__omp_crowded_for(self, priority)) return true;
    if (self->plenty >= HEIST__OMP_MOST_QUEUED) return false;
    bool brief = priority == 0 && !self->held && heist__load_relaxed(&self->team->brief); /* relaxed: see brief.c */
    return brief || heist__omp_many_children(self);
}

/* What a child has of its parent's flags. */
static inline uint32_t heist__omp_inherited(const heist__omp_task *parent)
{
    uint32_t final = parent->flags & HEIST__TASK_FINAL;
    return parent->flags & (HEIST__TASK_CALLS & ~(uint32_t)HEIST__TASK_FINAL) ? final | HEIST__TASK_ALONE : final;
}

/* A new record as child of the current task; NULL: no memory. */
static inline heist__omp_task *heist__omp_task_new(heist__omp_slot *self, heist__omp_body *fn, uint32_t flags)
{
    heist__omp_task *task = heist__omp_record_take(self);
    if (!task) return NULL;
    heist__omp_record_fetch(self->record[1 - HEIST__OMP_AHEAD]); /* one that is taken soon, if there are many */
    heist__omp_task_born(self, self->current, task, flags);
    task->fn = fn;
    task->home = self;
    task->priority = 0;
    return task;
}

/* Its data copied into it. False: no memory. */
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
        task->flags |= HEIST__TASK_COPIED;
        copy(room, data);
    } else if (size % 8 == 0 && size <= 64) {
        for (size_t i = 0; i < size; i += 8) memcpy(room + i, (char *)data + i, 8);
    } else {
        memcpy(room, data, size);
    }
    return true;
}

/* Counted by its parent, group and team. */
static inline void heist__omp_task_counted(heist__omp_slot *self, heist__omp_task *task)
{
    self->current->spawned++;
    if (task->group) heist__omp_group_created(self, task->group);
    /* B1: before the task can be seen. Pairs with B1 in barrier.c. */
    heist__store_release(&self->created, heist__load_relaxed(&self->created) + 1); /* relaxed: its own */
}

/* Ready to run, and visible. */
static inline void heist__omp_task_push(heist__omp_slot *self, heist__omp_task *task)
{
    uint64_t top = heist__load_relaxed(&self->deque->top); /* relaxed: a hint */
    if (top != self->top_seen) {                           /* something was stolen */
        self->top_seen = top;
        self->enough = self->most_enough;
    }
    if (__builtin_expect(task->priority > 0 || heist_deque_push(self->deque, task) < 0, 0))
        heist__omp_queue(self->team, task);
    heist__omp_wake_one(self->team);
}

/* The body begins, as the thread's current task. `nested`: how many have been run at once then. */
static inline void heist__omp_task_begin(heist__omp_slot *self, heist__omp_task *task, uint32_t nested)
{
    task->nested = nested;
    task->base = heist__load_relaxed(&heist__omp_deque_of(self)->bottom); /* relaxed: its own */
    self->current = task;
}

/* It has ended, and its thread goes on with `outer`. */
static inline void heist__omp_task_end(heist__omp_slot *self, heist__omp_task *outer)
{
    self->current = outer;
    if (__builtin_expect(outer->icvs != self->icvs, 0)) heist__omp_icvs_install(self, outer->icvs);
}

static inline void heist__omp_task_call(heist__omp_slot *self, heist__omp_task *outer, heist__omp_task *task,
                                        heist__omp_body *fn, void *data, uint32_t nested)
{
    heist__omp_task_begin(self, task, nested);
    fn(data);
    heist__omp_task_end(self, outer);
}

#endif
