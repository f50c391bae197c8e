/* ring_deque.c: the ring deque behind heist/deque.h. The owner works at the bottom with plain stores and one full fence
 * in pop. Thieves work at the top with a CAS. That CAS also decides between the owner and a thief about the last
 * element. The owner frees outgrown rings, and the thieves pay for that: a thief counts itself in one of two counters
 * while it reads a ring. DEQUE.md explains the edges R1 to R7, and what breaks without each. */
#include "deque/ring_deque.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "deque/amounts.h"

enum { DEFAULT_CAPACITY = 256, LEAST_CAPACITY = 2, BOTH_SIDES = 3 };

/* 2^49 bytes: more than the address space of a process, and far from where arithmetic on sizes would wrap. */
#define MOST_CAPACITY ((uint64_t)1 << 46)

/* ThreadSanitizer does not understand fences. In its builds the accesses around a fence carry the order instead. */
#if defined(__SANITIZE_THREAD__)
#define FENCES 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FENCES 0
#endif
#endif
#ifndef FENCES
#define FENCES 1
#endif

/* Elements from top to bottom. Signed: a pop from an empty deque moves the bottom below the top for a moment. The
 * subtraction is unsigned and its result is converted, so the length is right when either index wraps. */
static int64_t length_between(uint64_t top, uint64_t bottom)
{
    return (int64_t)(bottom - top);
}

static uint64_t capacity_of(const heist__ring *ring)
{
    return ring->mask + 1;
}

static uint64_t power_of_two_from(uint64_t wanted)
{
    uint64_t capacity = LEAST_CAPACITY;
    while (capacity < wanted) {
        capacity *= 2;
    }
    return capacity;
}

/* --- rings ------------------------------------------------------------------------------------------------------ */

/* Every slot starts as NULL, not only the slots that a copy will fill. A thief that lags behind may read a slot of a
 * ring that is newer than the thief's index. Only the failure of its CAS tells that thief that it read no element. */
static heist__ring *ring_new(const heist_deque *deque, uint64_t capacity)
{
    if (capacity > MOST_CAPACITY) {
        return NULL;
    }
    heist__ring *ring = deque->allocate(1, sizeof *ring + (size_t)capacity * sizeof ring->slots[0]);
    if (ring) {
        ring->mask = capacity - 1;
        ring->shrink_below = capacity > deque->floor ? (int64_t)((capacity + 7) / 8) : 0;
    }
    return ring;
}

/* A ring in the memory of the deque's maker is freed by that maker. */
static void ring_free(const heist_deque *deque, heist__ring *ring)
{
    if (ring != deque->lent) {
        free(ring);
    }
}

static void *slot_read(const heist__ring *ring, uint64_t index)
{
    return heist__load_relaxed(&ring->slots[index & ring->mask]); /* relaxed: R1 (R2) came before, R4 comes after */
}

static void slot_write(heist__ring *ring, uint64_t index, void *element)
{
    heist__store_relaxed(&ring->slots[index & ring->mask], element); /* relaxed: R4 came before, R1 (R2) comes after */
}

/* --- giving rings back ------------------------------------------------------------------------------------------ */

unsigned heist__deque_enter(heist_deque *deque)
{
    /* relaxed: either side protects. The owner only steers new thieves away from the side that it waits for. */
    unsigned side = heist__load_relaxed(&deque->side);
    /* R6: before the ring is loaded. Pairs with R6 in ring_replace. */
    heist__add_seq_cst(&deque->readers[side].count, 1);
    return side;
}

void heist__deque_leave(heist_deque *deque, unsigned side)
{
    /* R7: after the last touch of any ring. Pairs with R7 in sides_idle_now. (Its acquire half is not needed.) */
    heist__add_acq_rel(&deque->readers[side].count, -1);
}

static unsigned sides_idle_now(const heist_deque *deque)
{
    unsigned idle = 0;
    for (unsigned side = 0; side < 2; side++) {
        /* R6: after the ring was replaced. Pairs with R6 in heist__deque_enter, and as an acquire with R7 in _leave. */
        if (heist__load_seq_cst(&deque->readers[side].count) == 0) {
            idle |= 1u << side;
        }
    }
    return idle;
}

/* Frees every retired ring for which each counter was seen at 0 since the ring retired; the two times may differ. A
 * thief that held the ring had entered before it retired, and has left by then. Thieves may come without a pause. So
 * new thieves are sent to the side that was just seen idle, and the other side drains. */
static void reclaim(heist_deque *deque)
{
    unsigned idle = sides_idle_now(deque);
    heist__ring **link = &deque->retired;
    while (*link) {
        heist__ring *ring = *link;
        ring->idle_seen |= idle;
        if (ring->idle_seen == BOTH_SIDES) {
            *link = ring->older;
            ring_free(deque, ring);
        } else {
            link = &ring->older;
        }
    }
    unsigned other = 1 - heist__load_relaxed(&deque->side); /* relaxed: only this thread writes it */
    if (deque->retired && (idle & (1u << other))) {
        heist__store_relaxed(&deque->side, other); /* relaxed: a thief that sees it late only delays */
    }
}

/* Makes `next` the ring, with elements [top, bottom) of the present ring in it. An element outside that range was
 * taken, or a later push writes it. */
static void ring_replace(heist_deque *deque, heist__ring *ring, heist__ring *next, uint64_t top, uint64_t bottom)
{
    for (uint64_t index = top; index != bottom; index++) {
        slot_write(next, index, slot_read(ring, index));
    }
    /* R2: after the new ring's mask and slots (release). Pairs with R2 in heist__deque_read.
     * R6: before the counters are read (sequentially consistent). Pairs with R6 in heist__deque_enter. */
    heist__store_seq_cst(&deque->ring, next);
    ring->older = deque->retired;
    ring->idle_seen = 0;
    deque->retired = ring;
    reclaim(deque);
}

static heist__ring *grow(heist_deque *deque, heist__ring *ring, uint64_t top, uint64_t bottom)
{
    heist__ring *next = ring_new(deque, 2 * capacity_of(ring));
    if (next) {
        ring_replace(deque, ring, next, top, bottom);
    }
    return next;
}

/* The rare part of pop: frees retired rings, then takes a smaller ring if the deque is mostly empty. The deque does not
 * shrink while a thief holds a retired ring. So since the list was last empty there was at most one shrink. All other
 * retired rings have different sizes below the present one, and memory stays bounded (DEQUE.md). The new ring is
 * between a quarter and a half full: the next change of size is as many operations away as it will cost. */
static void tidy(heist_deque *deque, heist__ring *ring, uint64_t top, uint64_t bottom)
{
    int64_t length = length_between(top, bottom);
    if (deque->retired) {
        reclaim(deque);
    }
    if (deque->retired || length >= ring->shrink_below) {
        return;
    }
    uint64_t wanted = 2 * (uint64_t)length;
    heist__ring *next = ring_new(deque, power_of_two_from(wanted < deque->floor ? deque->floor : wanted));
    if (next) {
        ring_replace(deque, ring, next, top, bottom);
    } else {
        ring->shrink_below = length / 2; /* memory is short: do not ask again at every pop */
    }
}

size_t heist__deque_slots_held(const heist_deque *deque)
{
    size_t held = (size_t)capacity_of(heist__load_relaxed(&deque->ring)); /* relaxed: only the owner writes it */
    for (const heist__ring *ring = deque->retired; ring; ring = ring->older) {
        held += (size_t)capacity_of(ring);
    }
    return held;
}

/* --- life ------------------------------------------------------------------------------------------------------- */

/* Sets all fields but `ring`. `lent` is NULL until the caller sets it. */
static void start(heist_deque *deque, uint64_t floor, uint64_t first_index)
{
    deque->floor = floor;
    deque->allocate = calloc;
    deque->retired = NULL;
    deque->lent = NULL;
    /* relaxed: the step that gives the deque to its first thief publishes all of it */
    heist__store_relaxed(&deque->top, first_index);
    heist__store_relaxed(&deque->bottom, first_index);
    heist__store_relaxed(&deque->side, 0);
    heist__store_relaxed(&deque->readers[0].count, 0);
    heist__store_relaxed(&deque->readers[1].count, 0);
}

heist_deque *heist__deque_new_at(size_t capacity_hint, uint64_t first_index)
{
    if (capacity_hint > MOST_CAPACITY) {
        errno = EINVAL;
        return NULL;
    }
    heist_deque *deque = aligned_alloc(_Alignof(heist_deque), sizeof *deque);
    if (!deque) {
        errno = ENOMEM;
        return NULL;
    }
    start(deque, power_of_two_from(capacity_hint ? capacity_hint : DEFAULT_CAPACITY), first_index);
    heist__ring *ring = ring_new(deque, deque->floor);
    if (!ring) {
        free(deque);
        errno = ENOMEM;
        return NULL;
    }
    heist__store_relaxed(&deque->ring, ring); /* relaxed: as in start */
    return deque;
}

heist_deque *heist__deque_new_in(void *memory)
{
    memset(memory, 0, HEIST__DEQUE_ROOM); /* slots, too: see ring_new */
    heist_deque *deque = memory;
    start(deque, HEIST__LENT_CAPACITY, 0);
    deque->lent = (heist__ring *)(void *)(deque + 1);
    deque->lent->mask = HEIST__LENT_CAPACITY - 1;
    heist__store_relaxed(&deque->ring, deque->lent); /* relaxed: as in start */
    return deque;
}

heist_deque *heist_deque_new(size_t capacity_hint)
{
    return heist__deque_new_at(capacity_hint, 0);
}

void heist_deque_free(heist_deque *deque)
{
    if (!deque) {
        return;
    }
    while (deque->retired) {
        heist__ring *ring = deque->retired;
        deque->retired = ring->older;
        ring_free(deque, ring);
    }
    ring_free(deque, heist__load_relaxed(&deque->ring)); /* relaxed: no other thread uses the deque any more */
    if (!deque->lent) {
        free(deque);
    }
}

/* --- the owner -------------------------------------------------------------------------------------------------- */

int heist_deque_push(heist_deque *deque, void *element)
{
    uint64_t bottom = heist__load_relaxed(&deque->bottom); /* relaxed: only this thread writes it */
    heist__ring *ring = heist__load_relaxed(&deque->ring); /* relaxed: only this thread writes it */
    /* R4: the thief of the slot's former element has read it. Pairs with R4 in heist__deque_settle. */
    uint64_t top = heist__load_acquire(&deque->top);
    if (length_between(top, bottom) > (int64_t)ring->mask) {
        ring = grow(deque, ring, top, bottom);
        if (!ring) {
            return -ENOMEM;
        }
    }
    slot_write(ring, bottom, element);
    /* R1: makes the slot, and the object that the element points to, visible. Pairs with R1 in read_top_then_bottom. */
    heist__store_release(&deque->bottom, bottom + 1);
    return 0;
}

/* Claims element `bottom` from later thieves, then reads how far the thieves are. Either this load sees the top that a
 * thief stored, or that thief's next look sees the lowered bottom. */
static uint64_t lower_bottom_then_read_top(heist_deque *deque, uint64_t bottom)
{
#if FENCES
    /* R1: release, because a thief that reads this value steals elements of earlier pushes. Pairs with R1 in
     * read_top_then_bottom. */
    heist__store_release(&deque->bottom, bottom);
    heist__fence_seq_cst();                  /* R3: bottom before top. Pairs with R3 in read_top_then_bottom. */
    return heist__load_relaxed(&deque->top); /* relaxed: the fence orders it */
#else
    heist__store_seq_cst(&deque->bottom, bottom); /* R3, R1 */
    return heist__load_seq_cst(&deque->top);      /* R3 */
#endif
}

heist_steal heist_deque_pop(heist_deque *deque, void **out)
{
    uint64_t bottom = heist__load_relaxed(&deque->bottom) - 1; /* relaxed: only this thread writes it */
    heist__ring *ring = heist__load_relaxed(&deque->ring);     /* relaxed: only this thread writes it */
    uint64_t top = lower_bottom_then_read_top(deque, bottom);
    int64_t left = length_between(top, bottom); /* after this pop */
    heist_steal outcome = left < 0 ? HEIST_STEAL_EMPTY : HEIST_STEAL_GOT;
    if (left >= 0) {
        void *element = slot_read(ring, bottom);
        /* R5: the thread whose CAS moves the top gets the last element. Pairs with R5 in heist__deque_settle. */
        if (left == 0 && !heist__cas_seq_cst(&deque->top, &top, top + 1)) {
            outcome = HEIST_STEAL_LOST;
        } else {
            *out = element;
        }
    }
    if (left <= 0) {
        left = 0;
        bottom++; /* the deque is empty, and top has this value, too */
        /* relaxed: no thief can steal anything because of this value */
        heist__store_relaxed(&deque->bottom, bottom);
    }
    if (left < ring->shrink_below || (left == 0 && deque->retired)) {
        tidy(deque, ring, bottom - (uint64_t)left, bottom);
    }
    return outcome;
}

void *heist__deque_youngest(const heist_deque *deque)
{
    /* relaxed: only this thread writes them */
    return slot_read(heist__load_relaxed(&deque->ring), heist__load_relaxed(&deque->bottom) - 1);
}

/* --- thieves ---------------------------------------------------------------------------------------------------- */

static uint64_t read_top_then_bottom(const heist_deque *deque, uint64_t *top)
{
#if FENCES
    *top = heist__load_relaxed(&deque->top); /* relaxed: the fence orders it */
    heist__fence_seq_cst();                  /* R3: top before bottom. Pairs with R3 in lower_bottom_then_read_top. */
    /* R1: before the slot is read. Pairs with R1 in heist_deque_push and in lower_bottom_then_read_top. */
    return heist__load_acquire(&deque->bottom);
#else
    *top = heist__load_seq_cst(&deque->top);      /* R3 */
    return heist__load_seq_cst(&deque->bottom);   /* R3, R1 */
#endif
}

heist_steal heist__deque_look(const heist_deque *deque, heist__theft *theft)
{
    uint64_t bottom = read_top_then_bottom(deque, &theft->top);
    theft->length = length_between(theft->top, bottom);
    return theft->length > 0 ? HEIST_STEAL_GOT : HEIST_STEAL_EMPTY;
}

/* The ring is loaded anew for every element, after the bottom: a ring that was loaded earlier may lack the element. */
void heist__deque_read(const heist_deque *deque, heist__theft *theft)
{
    /* R2: before the mask and the slot are read (acquire). Pairs with R2 in ring_replace.
     * R6: after the counter went up (sequentially consistent). Pairs with R6 in ring_replace. */
    heist__ring *ring = heist__load_seq_cst(&deque->ring);
    theft->item = slot_read(ring, theft->top);
}

heist_steal heist__deque_settle(heist_deque *deque, const heist__theft *theft)
{
    uint64_t expected = theft->top;
    /* R4: after the slot was read (release). Pairs with R4 in heist_deque_push.
     * R5: decides between thieves, and with the owner about the last element. Pairs with R5 in heist_deque_pop. */
    return heist__cas_seq_cst(&deque->top, &expected, theft->top + 1) ? HEIST_STEAL_GOT : HEIST_STEAL_LOST;
}

/* The look comes before the thief counts itself, so that a thief that finds nothing writes nothing. */
heist_steal heist_deque_steal(heist_deque *deque, void **out)
{
    heist__theft theft;
    if (heist__deque_look(deque, &theft) == HEIST_STEAL_EMPTY) {
        return HEIST_STEAL_EMPTY;
    }
    unsigned side = heist__deque_enter(deque);
    heist__deque_read(deque, &theft);
    heist_steal outcome = heist__deque_settle(deque, &theft);
    heist__deque_leave(deque, side); /* after the CAS, which should come as soon as possible */
    if (outcome == HEIST_STEAL_GOT) {
        *out = theft.item;
    }
    return outcome;
}

size_t heist_deque_steal_half(heist_deque *deque, void **out, size_t max)
{
    heist__theft theft;
    if (heist__deque_look(deque, &theft) == HEIST_STEAL_EMPTY) {
        return 0;
    }
    size_t attempts = heist__half_of((size_t)theft.length, max);
    size_t taken = 0;
    unsigned side = heist__deque_enter(deque);
    bool more = attempts > 0;
    while (more) {
        heist__deque_read(deque, &theft);
        if (heist__deque_settle(deque, &theft) == HEIST_STEAL_GOT) {
            out[taken++] = theft.item;
        }
        /* A new look for each element: the owner may have popped down to this thief's index since the last look. */
        more = --attempts > 0 && heist__deque_look(deque, &theft) == HEIST_STEAL_GOT;
    }
    heist__deque_leave(deque, side);
    return taken;
}

size_t heist_deque_size(const heist_deque *deque)
{
    uint64_t top = heist__load_relaxed(&deque->top);       /* relaxed: an estimate orders nothing */
    uint64_t bottom = heist__load_relaxed(&deque->bottom); /* relaxed: as above */
    int64_t length = length_between(top, bottom);
    return length > 0 ? (size_t)length : 0;
}
