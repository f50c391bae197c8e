/* The deque of fork/join tasks; frames.h says what it is, DEQUE.md why it is right. */
#include "deque/frames.h"

#include <errno.h>
#include <sys/mman.h>

#include "idle/backoff.h"
#include "platform/barrier.h"

/* Fewest slots worth having. */
#define LEAST_SLOTS 1024

/* How long a thief waits for an answer before it pays for the heavy barrier, in pauses: about a microsecond, a tenth of
 * the barrier's price. */
#define PATIENCE 64

/* Memory that stays when a crowd has gone, in slots. */
#define KEPT_SLOTS 8192

static uint32_t number_of(uint64_t word)
{
    return (uint32_t)word;
}

/* The same word with another number and the next tag. */
static uint64_t renumbered(uint64_t word, uint32_t number)
{
    return ((word >> 32) + 1) << 32 | number;
}

int heist__frames_init(heist__frames *f, size_t capacity, bool fenced)
{
    if (capacity > UINT32_MAX - 2) capacity = UINT32_MAX - 2;
    void *memory = MAP_FAILED;
    for (; capacity >= LEAST_SLOTS; capacity /= 2) {
        f->bytes = (capacity + 2) * sizeof(heist_slot);
        memory = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) break;
    }
    if (memory == MAP_FAILED) return -ENOMEM;
    madvise(memory, f->bytes, MADV_NOHUGEPAGE); /* a few slots are in use; refusal costs memory only */
    f->slots = (heist_slot *)memory + 1; /* the one before stays empty: joining a child without a slot looks there */
    f->end = f->slots + capacity;
    f->fenced = fenced;
    f->pop_gate = fenced ? &f->fenced_pop_gate : &f->face.pop_gate;
    f->push_gate = fenced ? &f->fenced_push_gate : &f->face.push_gate;
    /* relaxed throughout: the worker is not running yet, starting its thread publishes all this */
    heist__store_relaxed(&f->face.pop_gate, HEIST__POP_SHUT);
    heist__store_relaxed(&f->face.push_gate, HEIST__PUSH_SHUT);
    heist__store_relaxed(f->pop_gate, f->slots);
    heist__store_relaxed(f->push_gate, f->end);
    heist__store_relaxed(&f->face.bottom, f->slots);
    heist__store_relaxed(&f->top, 0);
    heist__store_relaxed(&f->published, 0);
    return 0;
}

void heist__frames_destroy(heist__frames *f)
{
    if (f->slots) munmap(f->slots - 1, f->bytes);
    f->slots = NULL;
}

/* Owner: moves the end of the public part to `number`, opening the gate down to it. False: a thief has published meanwhile,
 * and the gate is shut. */
static bool move_published(heist__frames *f, uint64_t published, uint32_t number)
{
    /* D4: before the tag. A thief that shut the gate before this store read the old tag, and its CAS fails. */
    heist__store_relaxed(f->pop_gate, f->slots + number);
    if (heist__cas_acq_rel(&f->published, &published, renumbered(published, number))) return true; /* D4, D5 */
    heist__store_relaxed(f->pop_gate, HEIST__POP_SHUT); /* relaxed: for this thread's next pop */
    return false;
}

void heist__frames_renew(heist__frames *f)
{
    uint64_t top = heist__load_relaxed(&f->top); /* relaxed: the CAS checks it */
    while (!heist__cas_acq_rel(&f->top, &top, renumbered(top, number_of(top)))) {
    } /* D6, J4 */
}

bool heist__frames_claim(heist__frames *f, heist_slot *slot)
{
    if (f->fenced) {
        heist__fence_seq_cst(); /* D2, fence mode: the store of bottom comes before the load of the gate */
        if (heist__load_relaxed(f->pop_gate) <= slot) return true; /* relaxed: the fence orders it */
    }
    uint32_t mine = heist__frames_number(f, slot);
    for (;;) {
        uint64_t published = heist__load_relaxed(&f->published); /* relaxed: the CAS checks it */
        uint32_t stolen =
            number_of(heist__load_acquire(&f->top)); /* pairs with heist__frames_take: it has read its slot */
        if (number_of(published) <= mine) {
            /* Private, but a thief has asked: half of what is older becomes public. */
            uint32_t offer = mine > stolen ? stolen + (mine - stolen + 1) / 2 : 0;
            if (offer < number_of(published)) offer = number_of(published);
            if (move_published(f, published, offer)) return true;
        } else {
            /* Public: take half of the public part back, then shut out the thieves that saw it longer. */
            uint32_t kept = mine > stolen ? stolen + (mine - stolen) / 2 : mine;
            if (!move_published(f, published, kept)) continue;
            heist__frames_renew(f);
            stolen = number_of(heist__load_relaxed(&f->top)); /* relaxed: no thief can reach past `mine` now */
            /* Those that were faster may have gone beyond `kept`: neither the gate nor published may stay below what they
             * took. relaxed: the CAS checks it */
            while (stolen > number_of(published = heist__load_relaxed(&f->published)) &&
                   !move_published(f, published, stolen)) {
            }
            return stolen <= mine;
        }
    }
}

void heist__frames_answer(heist__frames *f)
{
    if (heist__load_relaxed(f->pop_gate) != HEIST__POP_SHUT) return; /* relaxed: a request seen late is answered late */
    uint64_t published = heist__load_relaxed(&f->published);         /* relaxed: the CAS checks it */
    uint32_t stolen = number_of(heist__load_acquire(&f->top)); /* pairs with heist__frames_take: it has read its slot */
    uint32_t bottom = heist__frames_number(f, heist__load_relaxed(&f->face.bottom)); /* relaxed: this thread wrote it */
    uint32_t offer = bottom > stolen ? stolen + (bottom - stolen + 1) / 2 : 0;
    if (offer > number_of(published)) move_published(f, published, offer);
}

void heist__frames_publish(heist__frames *f)
{
    uint32_t bottom = heist__frames_number(f, heist__load_relaxed(&f->face.bottom)); /* relaxed: this thread wrote it */
    uint64_t published;
    do {
        published = heist__load_relaxed(&f->published); /* relaxed: the CAS checks it */
    } while (number_of(published) < bottom && !move_published(f, published, bottom));
}

bool heist__frames_take_out(heist__frames *f, heist_slot *slot, heist_slot *bottom)
{
    heist__store_release(&f->face.bottom, slot); /* D2 */
    heist__compiler_barrier();                   /* D2 */
    bool mine =
        heist__load_relaxed(&f->face.pop_gate) <= slot || heist__frames_claim(f, slot); /* relaxed: D2 orders it */
    if (mine) {
        /* relaxed: nobody else looks at slots from `slot` on until bottom is raised */
        heist_task *youngest = heist__load_relaxed(--bottom);
        heist__store_relaxed(slot, youngest);
        heist__store_relaxed(&youngest->state, (uintptr_t)slot);
    }
    heist__store_release(&f->face.bottom, bottom); /* D1 */
    return mine;
}

heist_slot *heist__frames_absorb(heist__frames *f, heist_slot *bottom)
{
    uint32_t end = heist__frames_number(f, bottom);
    uint32_t stolen = number_of(heist__load_acquire(&f->top)); /* pairs with heist__frames_take: it has read its slot */
    /* Bottom goes down before top does: at no moment may the joined child's slot lie between them. */
    heist__store_release(&f->face.bottom, end > stolen ? f->slots : bottom - 1); /* D2, D7 */
    if (end > stolen) {
        /* Younger siblings are still here. All are withdrawn, so that one can change its place. */
        heist__compiler_barrier();        /* D2 */
        heist__frames_claim(f, f->slots); /* the gate is never open down to a stolen slot: always needed */
        stolen = number_of(heist__load_relaxed(&f->top)); /* relaxed: thieves are shut out */
        if (end > stolen) {
            heist_task *youngest = heist__load_relaxed(bottom - 1); /* relaxed: as in take_out */
            heist__store_relaxed(&f->slots[stolen - 1], youngest);
            heist__store_relaxed(&youngest->state, (uintptr_t)&f->slots[stolen - 1]);
        }
    }
    /* D7: published first. A thief that sees the new top sees no public part beyond it. */
    while (!move_published(f, heist__load_relaxed(&f->published), stolen - 1)) {
    } /* relaxed: the CAS checks it */
    heist__store_release(&f->top, renumbered(heist__load_relaxed(&f->top), stolen - 1)); /* D7; relaxed: nobody's CAS
                                                                                            can succeed with none public */
    heist__store_release(&f->face.bottom, bottom - 1);                                   /* D1 */
    return bottom - 1;
}

void heist__frames_trim(heist__frames *f)
{
    size_t kept = KEPT_SLOTS * sizeof(heist_slot);
    if (f->bytes <= kept) return;
    /* A thief still looking at these slots reads zeros, and its CAS fails. */
    madvise((char *)(f->slots - 1) + kept, f->bytes - kept, MADV_DONTNEED);
}

uint64_t heist__frames_look(heist__frames *f)
{
    return heist__load_acquire(&f->top); /* D6, D7, J4 */
}

/* Thief: nothing is public. Asks the owner, then does its work if it does not answer. GOT: something was published. */
static heist_steal ask(heist__frames *f, uint32_t stolen, uint64_t published)
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
    uint32_t offer = stolen + (heist__frames_number(f, bottom) - stolen + 1) / 2;
    return heist__cas_acq_rel(&f->published, &published, renumbered(published, offer)) /* D4, D5 */
               ? HEIST_STEAL_GOT
               : HEIST_STEAL_LOST;
}

heist_steal heist__frames_offer(heist__frames *f, uint64_t seen, uint32_t floor)
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

heist_steal heist__frames_take(heist__frames *f, uint64_t seen, heist_task **task)
{
    *task = heist__load_relaxed(&f->slots[number_of(seen)]); /* relaxed: D5 published it; what is stale fails below */
    return heist__cas_acq_rel(&f->top, &seen, seen + 1) ? HEIST_STEAL_GOT : HEIST_STEAL_LOST; /* D6 */
}

size_t heist__frames_size(heist__frames *f)
{
    /* relaxed: an estimate */
    ptrdiff_t size =
        heist__load_relaxed(&f->face.bottom) - f->slots - (ptrdiff_t)number_of(heist__load_relaxed(&f->top));
    return size > 0 ? (size_t)size : 0;
}
