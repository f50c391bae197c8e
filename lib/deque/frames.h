/* The deque of fork/join tasks: a Chase-Lev deque whose elements are records in their spawners' frames.
 *
 * Slots lie in one line of reserved memory, not in a ring, so that the owner carries the address of the first free slot
 * in a register and pays neither a mask nor a load for it. `top` says how many of the oldest have been stolen. It goes
 * back when the owner has joined a stolen child: slots and unjoined children always correspond one to one, and a frame's
 * register stays right whatever thieves did. Since `top` is not monotone it carries a tag that changes with every step
 * back.
 *
 * Between top and `published` thieves take with one CAS. Between published and bottom lies the owner's own part, where
 * it pushes and pops without a fence. A thief that finds nothing published asks (a gate that the owner reads anyway); an
 * owner that does not answer, because it sits in a long task, has its part published for it by the thief, after a heavy
 * barrier. DEQUE.md has the edges D1 to D7 and the proof.
 *
 *            push  pop/claim  steal  look,size      X: the owner's thread only   -: any thread
 * push        X       X         -        -
 * pop/claim   X       X         -        -
 * steal       -       -         -        -                                                                         */
#ifndef HEIST_DEQUE_FRAMES_H
#define HEIST_DEQUE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/deque.h>
#include <heist/task.h>

typedef struct heist__frames {
    heist_worker face; /* first: tasks see only this part. bottom and the gates. */

    /* Tag (high half) and number of stolen slots. Written by: thieves (CAS), owner. Read by: both. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) top;
    /* Tag and end of the public part; none if not above top. Written by: owner, thieves (CAS). Read by: both. */
    HEIST__ATOMIC(uint64_t) published;

    /* Constant after heist__frames_init. */
    _Alignas(HEIST__LINE) heist_slot *slots;
    heist_slot *end;                         /* no slot is filled beyond it; slots[-1] and *end exist, too */
    HEIST__ATOMIC(heist_slot *) * pop_gate;  /* face.pop_gate, or fenced_pop_gate in fence mode */
    HEIST__ATOMIC(heist_slot *) * push_gate; /* likewise */
    bool fenced; /* fence mode: face's gates stay shut, every push and pop comes to the library and has a fence there */
    size_t bytes;

    /* The gates proper in fence mode. Written by: as the face's. Read by: owner. */
    HEIST__ATOMIC(heist_slot *) fenced_pop_gate;
    HEIST__ATOMIC(heist_slot *) fenced_push_gate;
} heist__frames;

/* Reserves room for `capacity` unjoined children, or as many as can be had down to a small number.
 * Returns 0 or -ENOMEM. Memory is touched only as it is used. */
int heist__frames_init(heist__frames *f, size_t capacity, bool fenced);
void heist__frames_destroy(heist__frames *f);

/* Owner: after lowering bottom to `slot` with the gate shut: is everything from `slot` on the owner's? Answers waiting
 * thieves on the way. False: the task at `slot` has been stolen. */
bool heist__frames_claim(heist__frames *f, heist_slot *slot);

/* Owner: publishes up to half if a thief has asked. */
void heist__frames_answer(heist__frames *f);

/* Owner: publishes everything, asked or not: for tasks that are meant for others. */
void heist__frames_publish(heist__frames *f);

/* Owner: takes `slot`, which is not the youngest (`bottom` ends the deque); the youngest moves into it. False: stolen, and
 * nothing has changed. Afterwards bottom is one lower. */
bool heist__frames_take_out(heist__frames *f, heist_slot *slot, heist_slot *bottom);

/* Owner: a stolen child has been joined; its slot goes. Returns the new bottom, one lower. */
heist_slot *heist__frames_absorb(heist__frames *f, heist_slot *bottom);

/* Owner: thieves that looked before this call take nothing after it. */
void heist__frames_renew(heist__frames *f);

/* Owner, with nothing in the deque: gives memory of a past crowd back. */
void heist__frames_trim(heist__frames *f);

/* Thief: what top says now; for the two below. */
uint64_t heist__frames_look(heist__frames *f);

/* Thief: sees to it that the oldest task can be taken if top is still `seen` and its slot's number (the lower half of
 * `seen`) at least `floor`. GOT: take it. */
heist_steal heist__frames_offer(heist__frames *f, uint64_t seen, uint32_t floor);

/* Thief, after an offer: takes it. LOST: top is no longer `seen`. */
heist_steal heist__frames_take(heist__frames *f, uint64_t seen, heist_task **task);

/* Anybody: about how many tasks there are. Owner only: exact. */
size_t heist__frames_size(heist__frames *f);

static inline uint32_t heist__frames_number(const heist__frames *f, const heist_slot *slot)
{
    return (uint32_t)(slot - f->slots);
}

/* The value of a shut gate: above, or below, every slot. */
#define HEIST__POP_SHUT ((heist_slot *)~(uintptr_t)0)
#define HEIST__PUSH_SHUT ((heist_slot *)0)

#endif
