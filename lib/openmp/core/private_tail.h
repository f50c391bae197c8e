/* The private tail of a thread's deque: tasks that the owner has set aside, and that thieves do not see yet.
 *
 *      top             bottom           tail
 *       v                v                v
 *       | seen by thieves | the private tail |
 *
 * Thieves see the deque up to its own bottom. Above the bottom, in the same ring, up to the slot's `tail`, are the
 * tasks that were set aside. The owner takes one back without a fence. When thieves have taken the tasks that they
 * see, the owner shows them the oldest of the private tail at its next call: it raises the bottom. Indices do not
 * change, so the descendants of a waiting task are still above the index at which that task began (find.h).
 *
 * The owner may not call for a long time, or may wait in the program's own way for another thread to run such a task.
 * So a thief that has found nothing for a while, or that is about to sleep, forces a task out: it counts itself in
 * the owner's `forced`, passes a heavy barrier, and steals from the deque up to the tail.
 *
 * A1: the contents of a task before the tail that covers it; and pushes before a lowered tail, too.
 * A2: the owner lowers the tail, then reads `forced`. The thief raises `forced`, passes the heavy barrier, then reads
 *     the tail. Either the thief sees the lower tail, or the owner sees the thief; then the owner takes the task as
 *     one that all can see, with the deque's fence and CAS. An owner that sees that a thief has left sees also how
 *     far the thief moved the top.
 *
 * Where the kernel has no heavy barrier, nothing is set aside in a team of more than one thread. */
#ifndef HEIST_OPENMP_CORE_PRIVATE_TAIL_H
#define HEIST_OPENMP_CORE_PRIVATE_TAIL_H

#include "openmp/core/slot.h"

/* Sets a task aside. False: the ring is full. */
static inline bool heist__omp_tail_push(heist__omp_slot *self, heist__omp_task *task)
{
    heist_deque *deque = heist__omp_deque_of(self);
    uint64_t tail = heist__load_relaxed(&self->tail);      /* relaxed: only this thread writes it */
    heist__ring *ring = heist__load_relaxed(&deque->ring); /* relaxed: only this thread writes it */
    uint64_t top = heist__load_acquire(&deque->top);       /* R4: as in heist_deque_push */
    if (__builtin_expect((int64_t)(tail - top) > (int64_t)ring->mask, 0)) return false;
    heist__store_relaxed(&ring->slots[tail & ring->mask], task); /* relaxed: A1, or R1 when it is shown */
    heist__store_release(&self->tail, tail + 1);                 /* A1. Pairs with A1 in private_tail.c. */
    return true;
}

/* Lets thieves see the deque up to index `end`. */
static inline void heist__omp_tail_show(heist__omp_slot *self, uint64_t end)
{
    heist__store_release(&heist__omp_deque_of(self)->bottom, end); /* R1: as in heist_deque_push */
}

static inline void heist__omp_tail_show_all(heist__omp_slot *self)
{
    uint64_t tail = heist__load_relaxed(&self->tail); /* relaxed: only this thread writes it, and the bottom */
    if (heist__load_relaxed(&heist__omp_deque_of(self)->bottom) != tail) heist__omp_tail_show(self, tail);
}

/* ---- private_tail.c ---- */
/* The youngest task of the deque, which thieves may see; NULL: a thief has it. `tail`: its index. The slot's tail is
 * at that index already. */
heist__omp_task *heist__omp_tail_pop_slow(heist__omp_slot *self, uint64_t tail);
/* Forces the oldest task out of another thread's private tail. For a thread that has found nothing else for a while.
 * NULL: there is none. `within`: only a descendant of the current task. */
heist__omp_task *heist__omp_find_private(heist__omp_slot *self, bool within);

/* The youngest task of the private tail, which is not empty. NULL: a thief has forced it out. */
static inline heist__omp_task *heist__omp_tail_pop(heist__omp_slot *self)
{
    const heist_deque *deque = heist__omp_deque_of(self);
    const heist__ring *ring = heist__load_relaxed(&deque->ring); /* relaxed: only this thread writes it, and the next */
    uint64_t tail = heist__load_relaxed(&self->tail) - 1;        /* relaxed: as the ring */
    heist__store_release(&self->tail, tail);                     /* A1 */
    heist__compiler_barrier(); /* A2: the light half. Pairs with A2 in private_tail.c. */
    /* A2. relaxed: if no thief was there since, the top is that of its last visit, or newer */
    if (__builtin_expect(heist__load_acquire(&self->forced) == 0, 1) &&
        __builtin_expect((int64_t)(tail - heist__load_relaxed(&deque->top)) >= 0, 1))
        return heist__load_relaxed(&ring->slots[tail & ring->mask]); /* relaxed: written by this thread */
    return heist__omp_tail_pop_slow(self, tail);
}

static inline bool heist__omp_has_private(heist__omp_slot *slot)
{
    /* relaxed: for the owner its own words; for others hints */
    return heist__load_relaxed(&slot->tail) != heist__load_relaxed(&heist__omp_deque_of(slot)->bottom);
}

/* The youngest task of the private tail, if there is one and it is a child of the current task, as it mostly is. */
static inline heist__omp_task *heist__omp_tail_pop_child(heist__omp_slot *self)
{
    if (!heist__omp_has_private(self)) return NULL;
    const heist__ring *ring = heist__load_relaxed(&heist__omp_deque_of(self)->ring); /* relaxed: as above */
    uint64_t tail = heist__load_relaxed(&self->tail) - 1;                            /* relaxed: as above */
    heist__omp_task *task = heist__load_relaxed(&ring->slots[tail & ring->mask]); /* relaxed: written by this thread */
    /* relaxed: if a thief has forced it out, this may be another task's parent; heist__omp_tail_pop says so then */
    return heist__load_relaxed(&task->parent) == self->current ? heist__omp_tail_pop(self) : NULL;
}

#endif
