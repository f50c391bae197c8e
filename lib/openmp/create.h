/* The way of a new task up to where others can see it, or through its body: inline, because a task may be as small as a
 * call. */
#ifndef HEIST_OPENMP_CREATE_H
#define HEIST_OPENMP_CREATE_H

#include <string.h>

#include "openmp/aside.h"
#include "openmp/site.h"

/* Tasks run at once within each other before the stack is looked at, unless it is low anyway: if half of it is used, new ones are put off
 * whatever the deque's length. The number is for stacks that the program made itself. */
enum { HEIST__OMP_MANY_NESTED = 256 };

/* A task with more data than this is not run at once on a copy of it on the stack, where others may be. */
enum { HEIST__OMP_LARGE_DATA = 32 << 10 };

static inline bool heist__omp_may_be_deep(const heist__omp_slot *self)
{
    return self->current->nested >= HEIST__OMP_MANY_NESTED || heist__omp_stack_here() < self->stack_mark;
}

/* And how long the deque may become by that: bounds the memory. */
enum { HEIST__OMP_MOST_QUEUED = 1 << 20 };

/* Unfinished children with which a task still puts off another one with dependences: as many as a cache holds. */
enum { HEIST__OMP_MOST_DEPENDENT = 1 << 11 };

/* Depth of tasks that are taken to be made in one loop for all threads, not each by another one of its kind. */
enum { HEIST__OMP_SHALLOW = 2 };

static inline bool heist__omp_is_deep(heist__omp_slot *self)
{
    return heist__omp_may_be_deep(self) && heist__omp_stack_is_low(self);
}

/* Something was stolen, if the deque's top is not where it was. */
static inline void heist__omp_notice_thefts(heist__omp_slot *self, uint64_t top)
{
    if (top == self->top_seen) return;
    self->top_seen = top;
    self->enough = self->most_enough;
}

/* There is not enough to steal. Of what was set aside, thieves are to see as much as that. False: there is none. The top only goes up,
 * so that is more than they see now: what they once saw the owner must not take back without a fence (A2). */
__attribute__((noinline)) static bool heist__omp_show_enough(heist__omp_slot *self)
{
    /* relaxed: its own */
    uint64_t bottom = heist__load_relaxed(&self->deque->bottom), tail = heist__load_relaxed(&self->tail);
    if (bottom == tail) return false;
    uint64_t top = heist__load_relaxed(&self->deque->top); /* relaxed: a hint */
    heist__omp_notice_thefts(self, top);
    uint64_t wanted = top + (uint64_t)self->enough;
    heist__omp_aside_show(self, (int64_t)(tail - wanted) > 0 ? wanted : tail);
    heist__omp_wake_one(self->team);
    return true;
}

/* Whether a task created now had better run at once: there is enough to steal. That is up to four tasks, and
 * fewer, down to one, while what was put off comes back. A loop that makes many tasks puts off more of them, since
 * they may be long, and nobody else can make the rest. What was set aside is shown first, the oldest of it. */
static inline bool heist__omp_crowded(heist__omp_slot *self)
{
    const heist_deque *deque = heist__omp_deque_of(self);
    /* relaxed: the bottom is our own, the rest are hints */
    int64_t length = (int64_t)(heist__load_relaxed(&deque->bottom) - heist__load_relaxed(&deque->top));
    if (length < self->enough && (self->held || !heist__omp_show_enough(self))) return false;
    if (__builtin_expect(heist__omp_is_deep(self), 0)) return length >= HEIST__OMP_MOST_QUEUED;
    return heist__load_relaxed(&self->current->depth) >= HEIST__OMP_SHALLOW || length >= self->plenty;
}

/* What becomes of a new task, as far as can be said without a call. */
static inline uint32_t heist__omp_fate(heist__omp_slot *self, uintptr_t function)
{
    const heist_deque *deque = heist__omp_deque_of(self);
    const heist__omp_task *parent = self->current;
    /* relaxed: as above */
    int64_t length = (int64_t)(heist__load_relaxed(&deque->bottom) - heist__load_relaxed(&deque->top));
    if (length < self->enough || heist__omp_may_be_deep(self) ||
        heist__load_relaxed(&parent->depth) < HEIST__OMP_SHALLOW)
        return HEIST__SITE_ASK;
    return heist__omp_site_says(self, function);
}

/* The same for who was told to ask. */
static inline uint32_t heist__omp_fate_asked(heist__omp_slot *self, uintptr_t function)
{
    return heist__omp_crowded(self) ? heist__omp_site_says(self, function) : HEIST__SITE_ASK;
}

/* heist__omp_crowded for a task of this priority: one that has one waits for its turn, unless very many do. */
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
    task->site = 0;
    /* relaxed: the store of the id below publishes them (L1) */
    heist__store_relaxed(&task->parent, parent);
    heist__store_relaxed(&task->parent_id, heist__load_relaxed(&parent->id));
    heist__store_relaxed(&task->depth, heist__load_relaxed(&parent->depth) + 1);
    heist__store_release(&task->id, ++self->next_id); /* L1 */
}

/* Whether the current task has so many children that one more with dependences had better wait for those here. Not
 * where there are events: what it would wait for may be for its creator to fulfil, later. */
static inline bool heist__omp_many_children(const heist__omp_slot *self)
{
    const heist__omp_task *task = self->current;
    int64_t here = task->spawned - task->done_here;
    /* relaxed: an estimate; the flag, this thread's own or a hint */
    return here + heist__load_relaxed(&task->away) >= HEIST__OMP_MOST_DEPENDENT &&
           !heist__load_relaxed(&self->team->events);
}

/* heist__omp_crowded for a task with dependences. Short ones are not worth handing over, and those that wait for
 * others are in no deque: their number is bounded here. */
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

/* memcpy, mostly of a few words. */
static inline void heist__omp_copy(char *to, const char *from, size_t size)
{
    switch (size) {
    case 40: memcpy(to + 32, from + 32, 8); /* fall through */
    case 32: memcpy(to + 24, from + 24, 8); /* fall through */
    case 24: memcpy(to + 16, from + 16, 8); /* fall through */
    case 16: memcpy(to + 8, from + 8, 8);   /* fall through */
    case 8: memcpy(to, from, 8); break;
    case 0: break; /* from nowhere */
    default: memcpy(to, from, size);
    }
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
    } else {
        heist__omp_copy(room, data, size);
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
    heist__omp_notice_thefts(self, heist__load_relaxed(&self->deque->top)); /* relaxed: a hint */
    heist__omp_aside_show_all(self);
    if (__builtin_expect(task->priority > 0 || heist_deque_push(self->deque, task) < 0, 0))
        heist__omp_queue(self->team, task);
    heist__store_release(&self->tail, heist__load_relaxed(&self->deque->bottom)); /* A1; relaxed: its own */
    heist__omp_wake_one(self->team);
}

/* Ready to run: set aside, or, if its fate is still HEIST__SITE_ASK, visible. */
static inline void heist__omp_task_put(heist__omp_slot *self, heist__omp_task *task, uint32_t fate)
{
    if (fate > HEIST__SITE_ASK) task->site = fate;
    if (fate == HEIST__SITE_ASK || __builtin_expect(!heist__omp_aside_push(self, task), 0))
        heist__omp_task_push(self, task);
}

/* The body begins, as the thread's current task. `nested`: how many have been run at once then. */
static inline void heist__omp_task_begin(heist__omp_slot *self, heist__omp_task *task, uint32_t nested)
{
    task->nested = nested;
    task->base = heist__load_relaxed(&self->tail); /* relaxed: its own */
    self->current = task;
}

/* It has ended, and its thread goes on with `outer`. */
static inline void heist__omp_task_end(heist__omp_slot *self, heist__omp_task *outer)
{
    self->current = outer;
    if (__builtin_expect(outer->icvs != self->icvs, 0)) heist__omp_icvs_install(self, outer->icvs);
}

/* A task without an event, of which nobody knows any more but its children. */
static inline void heist__omp_task_gone(heist__omp_slot *self, heist__omp_task *task)
{
    if (task->spawned != 0) {
        if (__builtin_expect(task->spawned != task->done_here || task->table, 0)) {
            heist__omp_task_left(self, task);
            return;
        }
        /* All children were run here: the rest is blank. */
        task->spawned = 0;
        task->done_here = 0;
    }
    heist__omp_record_give(self, task);
}

static inline void heist__omp_task_call(heist__omp_slot *self, heist__omp_task *outer, heist__omp_task *task,
                                        heist__omp_body *fn, void *data, uint32_t nested)
{
    heist__omp_task_begin(self, task, nested);
    fn(data);
    heist__omp_task_end(self, outer);
}

#endif
