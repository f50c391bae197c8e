/* Tasks set aside: the upper part of a thread's deque, which its owner keeps to itself.
 *
 * The deque's own bottom ends what thieves see; above it, in the same ring, up to the slot's `tail`, are tasks
 * that were set aside. To take one back the owner needs no fence. When thieves have taken what they could see, the
 * owner shows them the oldest of these at its next call: it raises the bottom. Indices stay what they were, so
 * what descends from a waiting task is still above the index at which that began (find.c).
 *
 * But the owner may be long in coming, or wait in the program's own way for another thread to run such a task. So
 * a thief that has found nothing for a while, and whoever is about to sleep, forces it: it counts itself in the
 * owner's `forced`, passes a heavy barrier, and steals up to the tail.
 *
 * A1: what a task is, before the tail that says that it is there; pushes before the lowered tail, too.
 * A2: tail lowered, `forced` read; `forced` raised, heavy barrier, tail read. Either the thief sees the lower
 *     tail, or the owner sees the thief, and then takes the task as one that all can see, with the deque's fence
 *     and CAS. An owner that sees a thief gone sees also how far the top is by then.
 *
 * Where the kernel has no heavy barrier nothing is set aside in a team of more than one. */
#ifndef HEIST_OPENMP_ASIDE_H
#define HEIST_OPENMP_ASIDE_H

#include "openmp/team.h"

/* False: the ring is full. */
static inline bool heist__omp_aside_push(heist__omp_slot *self, heist__omp_task *task)
{
    heist_deque *deque = heist__omp_deque_of(self);
    uint64_t tail = heist__load_relaxed(&self->tail);      /* relaxed: only this thread writes it */
    heist__ring *ring = heist__load_relaxed(&deque->ring); /* relaxed: only this thread writes it */
    uint64_t top = heist__load_acquire(&deque->top);       /* R4: as in heist_deque_push */
    if (__builtin_expect((int64_t)(tail - top) > (int64_t)ring->mask, 0)) return false;
    heist__store_relaxed(&ring->slots[tail & ring->mask], task); /* relaxed: A1, or R1 when it is shown */
    heist__store_release(&self->tail, tail + 1);                 /* A1. Pairs with A1 in find.c. */
    return true;
}

/* Lets thieves see more, up to index `end`. */
static inline void heist__omp_aside_show(heist__omp_slot *self, uint64_t end)
{
    heist__store_release(&heist__omp_deque_of(self)->bottom, end); /* R1 */
}

static inline void heist__omp_aside_show_all(heist__omp_slot *self)
{
    uint64_t tail = heist__load_relaxed(&self->tail); /* relaxed: only this thread writes it, and the next */
    if (heist__load_relaxed(&heist__omp_deque_of(self)->bottom) != tail) heist__omp_aside_show(self, tail);
}

/* ---- find.c ---- */
/* The youngest task of the deque, whoever else can see it; NULL: a thief has it. `tail`: its index, which is in the slot. */
heist__omp_task *heist__omp_aside_pop_slow(heist__omp_slot *self, uint64_t tail);

/* The youngest task of those set aside; NULL: a thief has forced it. There is one. */
static inline heist__omp_task *heist__omp_aside_pop(heist__omp_slot *self)
{
    const heist_deque *deque = heist__omp_deque_of(self);
    const heist__ring *ring = heist__load_relaxed(&deque->ring); /* relaxed: only this thread writes it, and the next */
    uint64_t tail = heist__load_relaxed(&self->tail) - 1;        /* relaxed: as the ring */
    heist__store_release(&self->tail, tail);                     /* A1 */
    heist__compiler_barrier();                                   /* A2: the light half. Pairs with A2 in find.c. */
    /* A2; relaxed: if no thief was there since, the top is that of its last visit or a newer one */
    if (__builtin_expect(heist__load_acquire(&self->forced) == 0, 1) &&
        __builtin_expect((int64_t)(tail - heist__load_relaxed(&deque->top)) >= 0, 1))
        return heist__load_relaxed(&ring->slots[tail & ring->mask]); /* relaxed: written by this thread */
    return heist__omp_aside_pop_slow(self, tail);
}

static inline bool heist__omp_has_aside(heist__omp_slot *slot)
{
    /* relaxed: its own; for others hints */
    return heist__load_relaxed(&slot->tail) != heist__load_relaxed(&heist__omp_deque_of(slot)->bottom);
}

/* The youngest task of those set aside, if there is one and it is a child of the current task, as it mostly is. */
static inline heist__omp_task *heist__omp_aside_pop_child(heist__omp_slot *self)
{
    if (!heist__omp_has_aside(self)) return NULL;
    const heist__ring *ring = heist__load_relaxed(&heist__omp_deque_of(self)->ring); /* relaxed: as above */
    uint64_t tail = heist__load_relaxed(&self->tail) - 1;                            /* relaxed: as above */
    heist__omp_task *task = heist__load_relaxed(&ring->slots[tail & ring->mask]); /* relaxed: written by this thread */
    /* relaxed: if a thief has forced it this may be of another task, and the next says so */
    return heist__load_relaxed(&task->parent) == self->current ? heist__omp_aside_pop(self) : NULL;
}

#endif
