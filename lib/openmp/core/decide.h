/* The decision for a new task: run at once by its creator, set aside (private_tail.h), or put off, where thieves see
 * it. Inline, because a task may be as small as a call.
 *
 * A thread runs new tasks at once while its deque is long enough to feed thieves: `enough` tasks, from 4 down to 1
 * while tasks that were put off come back unstolen. A loop that creates many tasks puts off up to `plenty`, because its
 * tasks may be long, and no other thread can create the rest. Tasks that would run at once are set aside instead where
 * their creation site is followed by another (creation_site.h). */
#ifndef HEIST_OPENMP_CORE_DECIDE_H
#define HEIST_OPENMP_CORE_DECIDE_H

#include "openmp/core/creation_site.h"
#include "openmp/core/depend.h"
#include "openmp/core/private_tail.h"
#include "openmp/core/stack.h"
#include "openmp/core/team.h"
#include "openmp/core/wait.h"

/* Tasks run at once within each other before the stack is checked, unless it is low anyway. If half of it is used,
 * new tasks are put off whatever the deque's length. The number is for stacks that the program made itself. */
enum { HEIST__OMP_MANY_NESTED = 256 };

/* A task with more data does not run at once on a copy on the stack, where other tasks' copies may be. */
enum { HEIST__OMP_LARGE_DATA = 32 << 10 };

/* The longest deque: bounds the memory. */
enum { HEIST__OMP_MOST_QUEUED = 1 << 20 };

/* Data that the tasks of a deque may hold, if they are many: see heist__omp_holds_too_much. */
enum { HEIST__OMP_MOST_BYTES = 16 << 20, HEIST__OMP_MANY_HELD = 64 };

/* Unfinished children with which a task still puts off another one with dependences: as many as a cache holds. */
enum { HEIST__OMP_MOST_DEPENDENT = 1 << 11 };

/* Tasks of smaller depth are taken to be created in one loop for all threads, and not each by another one of its
 * kind. */
enum { HEIST__OMP_SHALLOW = 2 };

static inline bool heist__omp_may_be_deep(const heist__omp_slot *self)
{
    return self->current->nested >= HEIST__OMP_MANY_NESTED || heist__omp_stack_here() < self->stack_mark;
}

static inline bool heist__omp_is_deep(heist__omp_slot *self)
{
    return heist__omp_may_be_deep(self) && heist__omp_stack_is_low(self);
}

/* If the deque's top has moved, thieves have been there: they want more. */
static inline void heist__omp_notice_thefts(heist__omp_slot *self, uint64_t top)
{
    if (top == self->top_seen) return;
    self->top_seen = top;
    self->enough = self->most_enough;
}

/* Thieves see fewer tasks than enough: shows them as many of the private tail. False: the tail is empty. The top only
 * rises, so the new bottom is above the old one: the owner must not take back without a fence a task that thieves once
 * saw (A2). */
__attribute__((noinline)) static bool heist__omp_show_enough(heist__omp_slot *self)
{
    /* relaxed: its own */
    uint64_t bottom = heist__load_relaxed(&self->deque->bottom), tail = heist__load_relaxed(&self->tail);
    if (bottom == tail) return false;
    uint64_t top = heist__load_relaxed(&self->deque->top); /* relaxed: a hint */
    heist__omp_notice_thefts(self, top);
    uint64_t wanted = top + (uint64_t)self->enough;
    heist__omp_tail_show(self, (int64_t)(tail - wanted) > 0 ? wanted : tail);
    heist__omp_wake_one(self->team);
    return true;
}

/* Whether thieves have enough to steal, so that a task created now may run at once. Shows the private tail first. */
static inline bool heist__omp_has_enough(heist__omp_slot *self)
{
    const heist_deque *deque = heist__omp_deque_of(self);
    /* relaxed: the bottom is this thread's own, the top a hint */
    int64_t length = (int64_t)(heist__load_relaxed(&deque->bottom) - heist__load_relaxed(&deque->top));
    if (length < self->enough && (self->lock_depth || !heist__omp_show_enough(self))) return false;
    if (__builtin_expect(heist__omp_is_deep(self), 0)) return length >= HEIST__OMP_MOST_QUEUED;
    /* relaxed: the thread runs the task */
    return heist__load_relaxed(&self->current->depth) >= HEIST__OMP_SHALLOW || length >= self->plenty;
}

/* The decision for a task without clauses, as far as it takes no call. HEIST__PUT_OFF: ask heist__omp_decide_fully. */
static inline uint32_t heist__omp_decide_quickly(heist__omp_slot *self, uintptr_t function)
{
    const heist_deque *deque = heist__omp_deque_of(self);
    const heist__omp_task *parent = self->current;
    /* relaxed: as above */
    int64_t length = (int64_t)(heist__load_relaxed(&deque->bottom) - heist__load_relaxed(&deque->top));
    if (length < self->enough || heist__omp_may_be_deep(self) ||
        heist__load_relaxed(&parent->depth) < HEIST__OMP_SHALLOW)
        return HEIST__PUT_OFF;
    return heist__omp_site_decides(self, function);
}

static inline uint32_t heist__omp_decide_fully(heist__omp_slot *self, uintptr_t function)
{
    return heist__omp_has_enough(self) ? heist__omp_site_decides(self, function) : HEIST__PUT_OFF;
}

/* heist__omp_has_enough for a task of this priority. A task with a priority waits for its turn, unless very many do. */
static inline bool heist__omp_has_enough_for(heist__omp_slot *self, int32_t priority)
{
    if (priority > 0) return heist__load_relaxed(&self->team->queued) >= self->plenty; /* relaxed: a hint */
    return heist__omp_has_enough(self);
}

/* Whether the tasks of the deque, if they are like a new one with so many bytes of data, hold more than may be put off:
 * with a lock held, where a thread puts off far more tasks than elsewhere, and where data is too large for the stack.
 * As many tasks as libgomp puts off are put off in any case. */
static inline bool heist__omp_holds_too_much(const heist__omp_slot *self, size_t bytes)
{
    if (bytes <= HEIST__OMP_INLINE) return false;
    if (!self->lock_depth && bytes <= HEIST__OMP_LARGE_DATA) return false;
    /* relaxed: the tail is this thread's own, the top a hint */
    uint64_t length = heist__load_relaxed(&self->tail) - heist__load_relaxed(&self->deque->top);
    uint32_t threads = heist__load_relaxed(&self->team->size); /* relaxed: constant in the region */
    return length >= (uint64_t)HEIST__OMP_MANY_HELD * threads && length >= HEIST__OMP_MOST_BYTES / bytes;
}

/* A request for a new task, beside its body. */
typedef struct heist__omp_request {
    uintptr_t function;                   /* names the creation site */
    const heist__depend_clauses *clauses; /* of depend; NULL: none */
    int32_t priority;                     /* at most the team's highest */
    bool event;                           /* it has one */
    bool must;                            /* it has to run at once: if(0), or its parent's children all do */
    bool large;                           /* its data is too large for a copy on the stack */
    size_t bytes;                         /* of its data */
} heist__omp_request;

/* Whether the current task has so many children that another one with dependences waits for them here. Not where
 * there are events: the creator itself may fulfil, later, the event that it would wait for. */
static inline bool heist__omp_many_children(const heist__omp_slot *self)
{
    const heist__omp_task *task = self->current;
    int64_t here = task->spawned - task->done_here;
    /* relaxed: an estimate; the flag is this thread's own, or a hint */
    return here + heist__load_relaxed(&task->away) >= HEIST__OMP_MOST_DEPENDENT &&
           !heist__load_relaxed(&self->team->events);
}

/* heist__omp_has_enough for a task with dependences. Short ones are not worth handing over. Those that wait for
 * others are in no deque, so their number is bounded here. */
static inline bool heist__omp_has_enough_for_dependent(heist__omp_slot *self, int32_t priority)
{
    if (heist__omp_has_enough_for(self, priority)) return true;
    if (self->plenty >= HEIST__OMP_MOST_QUEUED) return false;
    /* relaxed: see dependent_cost.c */
    bool is_short = priority == 0 && !self->lock_depth && heist__load_relaxed(&self->team->dependents_are_short);
    return is_short || heist__omp_many_children(self);
}

/* Whether the creator would have to wait for others before it could run the task. The creator of very many dependent
 * tasks does wait; but not for a task with an event: the tasks that come after may depend on that task when its body is
 * over. */
static inline bool heist__omp_would_wait(heist__omp_slot *self, const heist__omp_request *r)
{
    if (!r->clauses) return false;
    return r->event || (!heist__omp_depend_over(self, r->clauses) && !heist__omp_many_children(self));
}

/* The decision for any task. A task with dependences that is to run at once waits for its predecessors first. */
static inline uint32_t heist__omp_decide(heist__omp_slot *self, const heist__omp_request *r)
{
    if (r->must) return HEIST__RUN_AT_ONCE;
    if (r->large) return HEIST__PUT_OFF;
    if (!r->clauses && r->priority == 0 && heist__omp_holds_too_much(self, r->bytes)) return HEIST__RUN_AT_ONCE;
    bool enough = r->clauses ? heist__omp_has_enough_for_dependent(self, r->priority)
                             : heist__omp_has_enough_for(self, r->priority);
    if (!enough || heist__omp_would_wait(self, r)) return HEIST__PUT_OFF;
    /* Tasks with dependences, a priority or an event have an order of their own: the site does not decide. */
    if (r->clauses || r->event || r->priority > 0) return HEIST__RUN_AT_ONCE;
    return heist__omp_site_decides(self, r->function);
}

#endif
