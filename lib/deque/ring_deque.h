/* ring_deque.h: the inside of the ring deque, for lib/deque/ring_deque.c, the worker that holds one, and the tests. A
 * theft is divided into steps here, so that a test can hold a thief between any two of them while the owner goes on.
 * heist_deque_steal is these steps in order. */
#ifndef HEIST_DEQUE_INTERNAL_H
#define HEIST_DEQUE_INTERNAL_H

#include <heist/deque.h>
#include <heist/detail/atomic.h>
#include <stdint.h>

/* An array of 2^n slots; element i is in slot i mod 2^n. After it is published only its slots change. After it is
 * retired only `older` and `idle_seen` change, which only the owner reads. */
typedef struct heist__ring {
    uint64_t mask;                 /* capacity - 1. Written by: owner, before R2. Read by: owner, thieves. */
    int64_t shrink_below;          /* length at which pop considers a smaller ring; 0: never. Owner only. */
    struct heist__ring *older;     /* next in the list of retired rings. Owner only. */
    unsigned idle_seen;            /* bit s: readers[s] was 0 at some time since this ring retired. Owner only. */
    HEIST__ATOMIC(void *) slots[]; /* Written by: owner. Read by: owner, thieves. */
} heist__ring;

typedef struct heist__readers {
    _Alignas(HEIST__LINE) HEIST__ATOMIC(int64_t) count;
} heist__readers;

struct heist_deque {
    /* Index of the oldest element; only ever goes up. Written by: thieves, and the owner for the last element, all by
     * CAS. Read by: owner, thieves. Indices are unsigned so that they may wrap; only their difference has a sign. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) top;

    /* Index after the youngest element. Written by: owner. Read by: owner, thieves. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) bottom;
    HEIST__ATOMIC(heist__ring *) ring; /* Written by: owner. Read by: owner, thieves. */
    HEIST__ATOMIC(unsigned) side;      /* which of `readers` newcomers take. Written by: owner. Read by: all. */
    heist__ring *retired;              /* rings that a thief may still read, youngest first. Owner only. */
    heist__ring *lent;                 /* the ring in the maker's memory, NULL: none. Owner only, constant. */
    uint64_t floor;                    /* least capacity. Owner only, constant. */
    void *(*allocate)(size_t count, size_t size); /* calloc; a test may refuse. Owner only. */

    /* Thieves between heist__deque_enter and _leave, by side. Written by: thieves, by RMW. Read by: owner. */
    heist__readers readers[2];
};

typedef struct heist__theft {
    uint64_t top;   /* the index to steal */
    int64_t length; /* elements seen by the look; at least 1 if it returned HEIST_STEAL_GOT */
    void *item;     /* the element that was read; the thief's own only after settle returned HEIST_STEAL_GOT */
} heist__theft;

/* heist_deque_new with the index of the first element, to come near a wrap-around without 2^63 pushes. */
heist_deque *heist__deque_new_at(size_t capacity_hint, uint64_t first_index);

/* A deque in the caller's memory: HEIST__DEQUE_ROOM bytes, aligned as heist_deque is. It is for callers that choose the
 * place of the memory, such as its NUMA node. Larger rings come from malloc. heist_deque_free leaves the memory to its
 * maker. */
enum { HEIST__LENT_CAPACITY = 256 };
#define HEIST__DEQUE_ROOM (sizeof(heist_deque) + sizeof(heist__ring) + HEIST__LENT_CAPACITY * sizeof(void *))
heist_deque *heist__deque_new_in(void *memory);

/* From enter to leave no ring that this thief reads is freed. `side`: the result of enter. */
unsigned heist__deque_enter(heist_deque *deque);
void heist__deque_leave(heist_deque *deque, unsigned side);

/* look: finds an element to take, and returns HEIST_STEAL_GOT or _EMPTY. read: reads that element, between enter and
 * leave. settle: tries to take it, and returns HEIST_STEAL_GOT or _LOST. */
heist_steal heist__deque_look(const heist_deque *deque, heist__theft *theft);
void heist__deque_read(const heist_deque *deque, heist__theft *theft);
heist_steal heist__deque_settle(heist_deque *deque, const heist__theft *theft);

/* The number of slots in the current ring and in all retired rings. Call from: the owner. */
size_t heist__deque_slots_held(const heist_deque *deque);

/* Owner: the youngest element, which a thief may have taken or take now: a hint. The deque has had an element. */
void *heist__deque_youngest(const heist_deque *deque);

#endif
