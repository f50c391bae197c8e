/* The deque of fork/join tasks. task_deque.h describes it, DEQUE.md has the proof. */
#include "deque/task_deque.h"

#include <errno.h>

#include "platform/barrier.h"
#include "platform/pause.h"

/* Fewest slots worth having. */
#define LEAST_SLOTS 1024

/* How many pauses a thief waits for an answer before it pays for the heavy barrier: about a microsecond, a tenth of the
 * barrier's price. */
#define PATIENCE 64

/* Bytes of slots that are usable from the start, and that a trim keeps. */
#define FIRST_BYTES ((size_t)64 << 10)

static uint32_t number_of(uint64_t word)
{
    return (uint32_t)word;
}

/* The same word with another number and the next tag. */
static uint64_t renumbered(uint64_t word, uint32_t number)
{
    return ((word >> 32) + 1) << 32 | number;
}

/* Sets the end to the end of the usable memory or of the capacity. */
static void set_end(heist__task_deque *f)
{
    size_t slots = f->memory.usable / sizeof(heist_slot) - 2;
    f->end = f->slots + (slots < f->capacity ? slots : f->capacity);
}

int heist__task_deque_init(heist__task_deque *f, size_t capacity, bool fenced)
{
    if (capacity > UINT32_MAX - 2) capacity = UINT32_MAX - 2;
    int error = -ENOMEM;
    for (; capacity >= LEAST_SLOTS && error; capacity /= 2) {
        f->capacity = capacity;
        error = heist__reserve_make(&f->memory, (capacity + 2) * sizeof(heist_slot), FIRST_BYTES);
    }
    if (error) return error;
    /* The slot before the first one stays empty: the join of a child without a slot reads it. */
    f->slots = (heist_slot *)(void *)f->memory.start + 1;
    set_end(f);
    f->fenced = fenced;
    f->pop_gate = fenced ? &f->fenced_pop_gate : &f->face.pop_gate;
    f->push_gate = fenced ? &f->fenced_push_gate : &f->face.push_gate;
    /* relaxed throughout: the worker is not running yet, and the start of its thread publishes all this */
    heist__store_relaxed(&f->face.pop_gate, HEIST__POP_SHUT);
    heist__store_relaxed(&f->face.push_gate, HEIST__PUSH_SHUT);
    heist__store_relaxed(f->pop_gate, f->slots);
    heist__store_relaxed(f->push_gate, f->end);
    heist__store_relaxed(&f->face.bottom, f->slots);
    heist__store_relaxed(&f->top, 0);
    heist__store_relaxed(&f->published, 0);
    heist__store_relaxed(&f->wanted_at, 0);
    return 0;
}

void heist__task_deque_destroy(heist__task_deque *f)
{
    heist__reserve_free(&f->memory);
    f->slots = NULL;
}

bool heist__task_deque_grow(heist__task_deque *f)
{
    heist_slot *before = f->end;
    if (before >= f->slots + f->capacity || !heist__reserve_grow(&f->memory)) return false;
    set_end(f);
    /* relaxed: no thread reads anything because of this value. A gate that was shut meanwhile stays shut (I2), and the
     * next push opens it. */
    heist__cas_relaxed(f->push_gate, &before, f->end);
    return true;
}

/* Owner: moves the end of the public part to `number`, and opens the gate down to it. False: a thief has published
 * meanwhile, and the gate is shut. */
static bool move_published(heist__task_deque *f, uint64_t published, uint32_t number)
{
    /* D4: before the tag. A thief that shut the gate before this store read the old tag, and its CAS fails. */
    heist__store_relaxed(f->pop_gate, f->slots + number);
    if (heist__cas_acq_rel(&f->published, &published, renumbered(published, number))) return true; /* D4, D5 */
    heist__store_relaxed(f->pop_gate, HEIST__POP_SHUT); /* relaxed: for this thread's next pop */
    return false;
}

void heist__task_deque_renew(heist__task_deque *f)
{
    uint64_t top = heist__load_relaxed(&f->top); /* relaxed: the CAS checks it */
    while (!heist__cas_acq_rel(&f->top, &top, renumbered(top, number_of(top)))) {
    } /* D6, J4 */
}

bool heist__task_deque_claim(heist__task_deque *f, heist_slot *slot)
{
    if (f->fenced) {
        heist__fence_seq_cst(); /* D2, fence mode: the store of bottom is ordered before the load of the gate */
        if (heist__load_relaxed(f->pop_gate) <= slot) return true; /* relaxed: the fence orders it */
    }
    uint32_t mine = heist__task_deque_number(f, slot);
    for (;;) {
        uint64_t published = heist__load_relaxed(&f->published); /* relaxed: the CAS checks it */
        /* acquire: pairs with the CAS in heist__task_deque_take, whose thief has read its slot */
        uint32_t stolen = number_of(heist__load_acquire(&f->top));
        if (number_of(published) <= mine) {
            /* `slot` is private, but a thief has asked: half of the older tasks become public. */
            uint32_t offer = heist__offer_end(stolen, mine);
            if (offer < number_of(published)) offer = number_of(published);
            if (move_published(f, published, offer)) return true;
        } else {
            /* `slot` is public: take half of the public part back, then shut out thieves that saw the longer part. */
            uint32_t kept = heist__kept_end(stolen, mine);
            if (!move_published(f, published, kept)) continue;
            heist__task_deque_renew(f);
            stolen = number_of(heist__load_relaxed(&f->top)); /* relaxed: no thief can reach past `mine` now */
            /* Thieves that were faster may have gone beyond `kept`. Neither the gate nor `published` may stay below
             * the slots that they took. relaxed: the CAS checks it */
            while (stolen > number_of(published = heist__load_relaxed(&f->published)) &&
                   !move_published(f, published, stolen)) {
            }
            return stolen <= mine;
        }
    }
}

bool heist__task_deque_pop(heist__task_deque *f, heist_slot *slot)
{
    heist__store_release(&f->face.bottom, slot); /* D2 */
    heist__compiler_barrier();                   /* D2 */
    return heist__load_relaxed(&f->face.pop_gate) <= slot ||
           heist__task_deque_claim(f, slot); /* relaxed: D2 orders it */
}

void heist__task_deque_answer(heist__task_deque *f)
{
    uint64_t published = heist__load_relaxed(&f->published); /* relaxed: the CAS checks it */
    /* acquire: pairs with the CAS in heist__task_deque_take, whose thief has read its slot */
    uint32_t stolen = number_of(heist__load_acquire(&f->top));
    uint32_t bottom =
        heist__task_deque_number(f, heist__load_relaxed(&f->face.bottom)); /* relaxed: this thread wrote it */
    uint32_t offer = heist__offer_end(stolen, bottom);
    if (offer > number_of(published)) move_published(f, published, offer);
}

void heist__task_deque_publish(heist__task_deque *f)
{
    uint32_t bottom =
        heist__task_deque_number(f, heist__load_relaxed(&f->face.bottom)); /* relaxed: this thread wrote it */
    uint64_t published;
    do {
        published = heist__load_relaxed(&f->published); /* relaxed: the CAS checks it */
    } while (number_of(published) < bottom && !move_published(f, published, bottom));
}

bool heist__task_deque_take_out(heist__task_deque *f, heist_slot *slot, heist_slot *bottom)
{
    bool mine = heist__task_deque_pop(f, slot);
    if (mine) {
        /* relaxed: no other thread reads slots from `slot` on until bottom is raised */
        heist_task *youngest = heist__load_relaxed(--bottom);
        heist__store_relaxed(slot, youngest);
        heist__store_relaxed(&youngest->state, (uintptr_t)slot);
    }
    heist__store_release(&f->face.bottom, bottom); /* D1 */
    return mine;
}

heist_slot *heist__task_deque_absorb(heist__task_deque *f, heist_slot *bottom)
{
    uint32_t end = heist__task_deque_number(f, bottom);
    /* acquire: pairs with the CAS in heist__task_deque_take, whose thief has read its slot */
    uint32_t stolen = number_of(heist__load_acquire(&f->top));
    /* Bottom goes down before top does: the joined child's slot must never lie between top and bottom. */
    heist__store_release(&f->face.bottom, end > stolen ? f->slots : bottom - 1); /* D2, D7 */
    if (end > stolen) {
        /* Younger siblings are in the deque. The owner withdraws all of them, so that one can change its slot. */
        heist__compiler_barrier();            /* D2 */
        heist__task_deque_claim(f, f->slots); /* the gate is never open down to a stolen slot: always needed */
        stolen = number_of(heist__load_relaxed(&f->top)); /* relaxed: thieves are shut out */
        if (end > stolen) {
            heist_task *youngest = heist__load_relaxed(bottom - 1); /* relaxed: as in take_out */
            heist__store_relaxed(&f->slots[stolen - 1], youngest);
            heist__store_relaxed(&youngest->state, (uintptr_t)&f->slots[stolen - 1]);
        }
    }
    /* D7: published first. A thief that sees the new top sees no public part beyond it. The load of top is relaxed: no
     * thief's CAS can succeed while no slot is public. */
    while (!move_published(f, heist__load_relaxed(&f->published), stolen - 1)) {
    } /* relaxed: the CAS checks it */
    heist__store_release(&f->top, renumbered(heist__load_relaxed(&f->top), stolen - 1)); /* D7 */
    heist__store_release(&f->face.bottom, bottom - 1);                                   /* D1 */
    return bottom - 1;
}

void heist__task_deque_trim(heist__task_deque *f)
{
    /* A thief that still looks at these slots reads zeros, and its CAS fails. */
    heist__reserve_trim(&f->memory, FIRST_BYTES);
}

uint64_t heist__task_deque_look(heist__task_deque *f)
{
    return heist__load_acquire(&f->top); /* D6, D7, J4 */
}

/* Thief: nothing is public. Asks the owner to publish. If the owner does not answer, the thief publishes by itself.
 * GOT: something was published. */
static heist_steal ask(heist__task_deque *f, uint32_t stolen, uint64_t published)
{
    if (heist__load_acquire(&f->face.bottom) <= f->slots + stolen) return HEIST_STEAL_EMPTY;
    /* relaxed: after the acquiring load of `published` (D4), and ordered by the barrier below (D2, D3) */
    heist__store_relaxed(f->pop_gate, HEIST__POP_SHUT);
    heist__store_relaxed(f->push_gate, HEIST__PUSH_SHUT);
    for (int i = 0; i < PATIENCE; i++) {
        if (heist__load_relaxed(&f->published) != published)
            return HEIST_STEAL_GOT; /* relaxed: the caller reads again */
        heist__pause();
    }
    if (!heist__heavy_barrier(f->fenced)) return HEIST_STEAL_LOST;
    heist_slot *bottom = heist__load_acquire(&f->face.bottom); /* D1, D2 */
    if (bottom <= f->slots + stolen) return HEIST_STEAL_EMPTY;
    uint32_t offer = heist__offer_end(stolen, heist__task_deque_number(f, bottom));
    return heist__cas_acq_rel(&f->published, &published, renumbered(published, offer)) /* D4, D5 */
               ? HEIST_STEAL_GOT
               : HEIST_STEAL_LOST;
}

heist_steal heist__task_deque_offer(heist__task_deque *f, uint64_t seen, uint32_t floor)
{
    uint32_t oldest = number_of(seen);
    if (oldest < floor) return HEIST_STEAL_EMPTY;
    uint64_t published = heist__load_acquire(&f->published); /* D4, D5, D6 */
    if (number_of(published) > oldest) return HEIST_STEAL_GOT;
    heist_steal asked = ask(f, oldest, published);
    if (asked != HEIST_STEAL_GOT) return asked;
    published = heist__load_acquire(&f->published); /* D5 */
    return number_of(published) > oldest ? HEIST_STEAL_GOT : HEIST_STEAL_LOST;
}

bool heist__task_deque_want_next(heist__task_deque *f, int64_t now)
{
    if (heist__load_relaxed(f->push_gate) == HEIST__PUSH_SHUT) return false; /* relaxed: all of this is a hint */
    int64_t before = heist__load_relaxed(&f->wanted_at);
    if (!heist__want_is_due(now, before) || !heist__cas_relaxed(&f->wanted_at, &before, now)) return false;
    /* D8: pairs with the exchange in heist__notice. No thief relies on this order: an owner that does not see the shut
     * gate goes on as before, and the thief asks (D2, D3) when it finds something. */
    heist__store_release(f->push_gate, HEIST__PUSH_SHUT);
    return true;
}

heist_steal heist__task_deque_take(heist__task_deque *f, uint64_t seen, heist_task **task)
{
    *task = heist__load_relaxed(&f->slots[number_of(seen)]); /* relaxed: D5 published it; if stale, the CAS fails */
    return heist__cas_acq_rel(&f->top, &seen, seen + 1) ? HEIST_STEAL_GOT : HEIST_STEAL_LOST; /* D6 */
}

size_t heist__task_deque_used(heist__task_deque *f, size_t ready)
{
    size_t used = 0, unused = ready; /* slots below `used` were used, those from `unused` on were not */
    while (used < unused) {
        const size_t middle = used + (unused - used) / 2;
        if (heist__load_relaxed(&f->slots[middle])) /* relaxed: only whether there was anything */
            used = middle + 1;
        else
            unused = middle;
    }
    return used;
}

size_t heist__task_deque_size(heist__task_deque *f)
{
    /* relaxed: an estimate */
    ptrdiff_t size =
        heist__load_relaxed(&f->face.bottom) - f->slots - (ptrdiff_t)number_of(heist__load_relaxed(&f->top));
    return size > 0 ? (size_t)size : 0;
}
