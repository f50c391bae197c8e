/* inbox_builtin.c: the built-in inbox, a ring whose slots carry sequence numbers. A producer claims a position by
 * moving the tail, fills the slot, then publishes it by its sequence number. A consumer does not claim a position: it
 * goes from the head to the tail and takes the first published slot by a CAS on the sequence number itself. So a slot
 * claimed but not yet filled is passed over, and cannot hide the finished ones behind it.
 *
 * The edges; each half of both has a mutant that the model checker kills (test/model, harness_inbox.c):
 *   Q1  put's store of i+1 (release) -> take's load of it (acquire): the parcel and the data it points to. Without it a
 *       consumer gets the parcel of a lap ago, or one whose contents are not there yet. The release also fails
 *       each_item_is_taken_once_with_its_contents under ThreadSanitizer. The acquire does not: ThreadSanitizer is
 *       content with the one in the CAS, which comes too late for the item itself.
 *   Q2  take's CAS from i+1 to i+capacity (release) -> put's load of that (acquire): the consumer has read the item
 *       before the next lap's producer writes it. Without it the consumer of lap n returns the item of lap n+1. No test
 *       on x86 shows it: x86 does not reorder a load with a later CAS, and both accesses are atomic.
 * Atomicity alone decides which producer gets a position (the CAS of the tail) and which consumer gets an item (the CAS
 * of the number). */
#include "schedule/inbox.h"

#if HEIST__INBOX_LIBLFDS
typedef int heist__inbox_builtin_is_not_used; /* an empty translation unit is not C */
#else

#include <errno.h>
#include <stdlib.h>

#define MOST_CAPACITY ((size_t)1 << 24)

static uint64_t power_of_two_from(uint64_t wanted)
{
    uint64_t capacity = 2; /* with 1, "free for the next lap" and "full in this one" would be the same number */
    while (capacity < wanted) {
        capacity *= 2;
    }
    return capacity;
}

static heist__inbox_slot *slot_of(const heist__inbox *inbox, uint64_t position)
{
    return &inbox->slots[position & inbox->mask];
}

/* How far a slot's sequence number is ahead of the expected one. The difference has a sign, so it is right across a
 * wrap. */
static int64_t ahead_of(uint64_t sequence, uint64_t expected)
{
    return (int64_t)(sequence - expected);
}

int heist__inbox_init(heist__inbox *inbox, size_t capacity)
{
    inbox->slots = NULL;
    if (capacity == 0 || capacity > MOST_CAPACITY) {
        return -EINVAL;
    }
    uint64_t rounded = power_of_two_from(capacity);
    size_t lines = (rounded * sizeof *inbox->slots + HEIST__LINE - 1) / HEIST__LINE;
    inbox->slots = aligned_alloc(HEIST__LINE, lines * HEIST__LINE);
    if (!inbox->slots) {
        return -ENOMEM;
    }
    inbox->mask = rounded - 1;
    /* relaxed: the step that gives the inbox to another thread publishes all of it */
    for (uint64_t position = 0; position < rounded; position++) {
        heist__store_relaxed(&inbox->slots[position].sequence, position);
        heist__store_relaxed(&inbox->slots[position].function, NULL);
        heist__store_relaxed(&inbox->slots[position].content, NULL);
        heist__store_relaxed(&inbox->slots[position].scope, NULL);
    }
    heist__store_relaxed(&inbox->tail, 0);
    heist__store_relaxed(&inbox->head, 0);
    return 0;
}

void heist__inbox_destroy(heist__inbox *inbox)
{
    free(inbox->slots);
    inbox->slots = NULL;
}

bool heist__inbox_put(heist__inbox *inbox, const heist__parcel *parcel)
{
    uint64_t tail = heist__load_relaxed(&inbox->tail); /* relaxed: the slot's number tells whether it is current */
    for (;;) {
        heist__inbox_slot *slot = slot_of(inbox, tail);
        /* Q2: the item of the last lap has been read. Pairs with Q2 in try_take. */
        int64_t ahead = ahead_of(heist__load_acquire(&slot->sequence), tail);
        if (ahead < 0) {
            return false; /* the last lap's item, or its producer, is still there */
        }
        if (ahead > 0) {
            tail = heist__load_relaxed(&inbox->tail); /* relaxed: as above; another producer has moved it since */
        } else if (heist__cas_relaxed(&inbox->tail, &tail, tail + 1)) { /* relaxed: Q1 publishes; this only claims */
            /* relaxed: Q2 came before, Q1 comes after */
            heist__store_relaxed(&slot->function, parcel->function);
            heist__store_relaxed(&slot->content, parcel->content);
            heist__store_relaxed(&slot->scope, parcel->scope);
            /* Q1: makes the parcel visible. Pairs with Q1 in try_take. */
            heist__store_release(&slot->sequence, tail + 1);
            return true;
        }
    }
}

enum visit { VISIT_TAKEN_BEFORE, VISIT_NOT_READY, VISIT_GOT };

static enum visit try_take(heist__inbox *inbox, uint64_t position, heist__parcel *parcel)
{
    heist__inbox_slot *slot = slot_of(inbox, position);
    /* Q1: before the parcel is read. Pairs with Q1 in heist__inbox_put. */
    uint64_t sequence = heist__load_acquire(&slot->sequence);
    int64_t ahead = ahead_of(sequence, position + 1);
    if (ahead != 0) {
        return ahead < 0 ? VISIT_NOT_READY : VISIT_TAKEN_BEFORE;
    }
    /* relaxed: Q1 came before, Q2 comes after; wrong only if the CAS fails */
    parcel->function = heist__load_relaxed(&slot->function);
    parcel->content = heist__load_relaxed(&slot->content);
    parcel->scope = heist__load_relaxed(&slot->scope);
    /* Q2: after the parcel was read (release). Pairs with Q2 in heist__inbox_put. (Its acquire half is not needed.) */
    if (heist__cas_acq_rel(&slot->sequence, &sequence, position + inbox->mask + 1)) {
        return VISIT_GOT;
    }
    return VISIT_TAKEN_BEFORE;
}

/* The position where a search begins: items a whole lap or more below the tail were taken, or the tail could not be
 * there. */
static uint64_t first_position(const heist__inbox *inbox, uint64_t tail)
{
    /* relaxed: below any value it ever had, all items were taken; an old value costs a longer walk */
    uint64_t head = heist__load_relaxed(&inbox->head);
    uint64_t lap_ago = tail - (inbox->mask + 1);
    return ahead_of(head, lap_ago) < 0 ? lap_ago : head;
}

static void raise_head(heist__inbox *inbox, uint64_t position)
{
    uint64_t head = heist__load_relaxed(&inbox->head); /* relaxed: a hint, see first_position */
    while (ahead_of(head, position) < 0 && !heist__cas_relaxed(&inbox->head, &head, position)) {
    }
}

/* One walk suffices for the promise: an item put before it began lies below the tail it read, and each such slot was
 * seen taken, or its item is one of those taken here. */
size_t heist__inbox_take(heist__inbox *inbox, heist__parcel *parcels, size_t most)
{
    /* relaxed: a put that happened before this call has moved the tail that this call sees */
    uint64_t tail = heist__load_relaxed(&inbox->tail);
    uint64_t position = first_position(inbox, tail);
    uint64_t taken_below = position; /* everything from the head to here was taken */
    size_t got = 0;
    while (got < most && ahead_of(position, tail) < 0) {
        enum visit visit = try_take(inbox, position, &parcels[got]);
        got += visit == VISIT_GOT;
        if (visit != VISIT_NOT_READY && taken_below == position) {
            taken_below++;
        }
        position++;
    }
    raise_head(inbox, taken_below);
    return got;
}

size_t heist__inbox_size(const heist__inbox *inbox)
{
    uint64_t tail = heist__load_relaxed(&inbox->tail); /* relaxed: a hint */
    int64_t count = ahead_of(tail, first_position(inbox, tail));
    return count > 0 ? (size_t)count : 0; /* takers may have passed that tail meanwhile */
}

bool heist__inbox_looks_empty(const heist__inbox *inbox)
{
    uint64_t tail = heist__load_relaxed(&inbox->tail); /* relaxed: as in heist__inbox_take */
    for (uint64_t position = first_position(inbox, tail); ahead_of(position, tail) < 0; position++) {
        /* relaxed: nothing is read on the strength of it */
        if (heist__load_relaxed(&slot_of(inbox, position)->sequence) == position + 1) {
            return false;
        }
    }
    return true;
}

#endif
