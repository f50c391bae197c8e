/* The deque of fork/join tasks: a Chase-Lev deque whose elements are records in their spawners' frames.
 *
 * Slots lie in one line of reserved memory, not in a ring. So the owner carries the address of the first free slot in a
 * register, and pays neither a mask nor a load for it. `top` is the number of stolen slots, the oldest ones. It goes
 * back when the owner has joined a stolen child: slots and unjoined children always correspond one to one, and a
 * frame's register stays right whatever thieves did. Because `top` is not monotone, it carries a tag that changes with
 * every step back.
 *
 * Thieves take tasks between `top` and `published` with one CAS. The part between `published` and `bottom` is the
 * owner's own: there it pushes and pops without a fence. A thief that finds nothing public asks the owner: it shuts a
 * gate that the owner reads in any case. An owner in a long task does not answer; then the thief publishes a part of
 * the owner's tasks by itself, after a heavy barrier. DEQUE.md has the edges D1 to D8 and the proof.
 *
 *            push  pop/claim  steal  look,size      X: the owner's thread only   -: any thread
 * push        X       X         -        -
 * pop/claim   X       X         -        -
 * steal       -       -         -        -                                                                         */
#ifndef HEIST_DEQUE_TASK_DEQUE_H
#define HEIST_DEQUE_TASK_DEQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/deque.h>
#include <heist/task.h>

#include "deque/amounts.h"
#include "platform/reserve.h"

typedef struct heist__task_deque {
    heist_worker face; /* bottom and the gates. First: task functions see only this part. */

    /* Tag (high half) and number of stolen slots. Written by: thieves (CAS), owner. Read by: owner, thieves. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) top;
    /* Tag and end of the public part, which is empty unless this is above top. Written by: owner, thieves (CAS). Read
     * by: owner, thieves. */
    HEIST__ATOMIC(uint64_t) published;
    /* When a thief last asked for the next push, in nanoseconds. Written by: thieves (CAS). Read by: thieves. */
    HEIST__ATOMIC(int64_t) wanted_at;

    /* Constant after heist__task_deque_init. */
    _Alignas(HEIST__LINE) heist_slot *slots;
    HEIST__ATOMIC(heist_slot *) * pop_gate;  /* face.pop_gate, or fenced_pop_gate in fence mode */
    HEIST__ATOMIC(heist_slot *) * push_gate; /* likewise */
    bool fenced; /* fence mode: the face's gates stay shut; every push and pop calls the library, which has a fence */
    size_t capacity; /* the number of slots that `end` can be moved to */

    /* Owner only. */
    heist_slot *end; /* no slot is filled beyond it; slots[-1] and *end exist, too */
    heist__reserve memory;

    /* The gates that count in fence mode. Written by: as the face's. Read by: owner. */
    HEIST__ATOMIC(heist_slot *) fenced_pop_gate;
    HEIST__ATOMIC(heist_slot *) fenced_push_gate;
} heist__task_deque;

/* Reserves room for `capacity` unjoined children, or for as many as the system grants, down to a small number.
 * Returns 0 or -ENOMEM. Memory is touched, and counts as used, only as the deque fills. */
int heist__task_deque_init(heist__task_deque *f, size_t capacity, bool fenced);
void heist__task_deque_destroy(heist__task_deque *f);

/* Owner, with every slot in use: moves the end up. False: no more slots are available. */
bool heist__task_deque_grow(heist__task_deque *f);

/* Owner, after it has lowered bottom to `slot` and found the gate shut: claims all slots from `slot` on. On the way it
 * answers thieves that wait. False: the task at `slot` has been stolen. */
bool heist__task_deque_claim(heist__task_deque *f, heist_slot *slot);

/* Owner: lowers bottom to `slot` and claims all slots from there on. False: the task at `slot` has been stolen; bottom
 * stays low, and the caller raises it again. heist__pop of heist/task.h does the same inline for the youngest child. */
bool heist__task_deque_pop(heist__task_deque *f, heist_slot *slot);

/* Whether a task's state is the address of one of the slots. */
static inline bool heist__is_slot(const heist__task_deque *f, uintptr_t state)
{
    return state >= (uintptr_t)f->slots && state < (uintptr_t)f->end;
}

/* Owner: publishes up to half of its tasks. The owner calls it when it has learned that a thief wants work. */
void heist__task_deque_answer(heist__task_deque *f);

/* Owner: publishes all its tasks, whether a thief has asked or not: for tasks that are meant for other workers. */
void heist__task_deque_publish(heist__task_deque *f);

/* Owner: takes the task in `slot`, which is not the youngest; the youngest moves into that slot. `bottom` ends the
 * deque. True: bottom is one lower. False: the task was stolen, and nothing has changed. */
bool heist__task_deque_take_out(heist__task_deque *f, heist_slot *slot, heist_slot *bottom);

/* Owner, after it has joined a stolen child: gives the child's slot back. Returns the new bottom, one lower. */
heist_slot *heist__task_deque_absorb(heist__task_deque *f, heist_slot *bottom);

/* Owner: a thief that looked before this call takes nothing after it. */
void heist__task_deque_renew(heist__task_deque *f);

/* Owner, with an empty deque: gives the memory back that a longer deque has used. */
void heist__task_deque_trim(heist__task_deque *f);

/* Thief: returns top, for heist__task_deque_offer and heist__task_deque_take. */
uint64_t heist__task_deque_look(heist__task_deque *f);

/* Thief: makes sure that the oldest task is public, if top is still `seen` and that task's slot number (the lower half
 * of `seen`) is at least `floor`. GOT: the thief may take it. */
heist_steal heist__task_deque_offer(heist__task_deque *f, uint64_t seen, uint32_t floor);

/* Thief, which has found nothing at `now`: shuts the push gate, so that the owner publishes its next push and announces
 * it. All thieves together do so at most once in HEIST__WANT_NS for each owner: that bounds the owner's cost. Returns
 * whether this call has shut the gate. */
bool heist__task_deque_want_next(heist__task_deque *f, int64_t now);

/* Thief, after an offer: takes the task. LOST: top is no longer `seen`. */
heist_steal heist__task_deque_take(heist__task_deque *f, uint64_t seen, heist_task **task);

/* Any thread: how many slots have been used since the memory was new, or given back. A slot keeps its old address when
 * its task has gone, and slots are used from the lowest on. `ready`: slots that exist. */
size_t heist__task_deque_used(heist__task_deque *f, size_t ready);

/* Any thread: about how many tasks the deque has. For the owner the number is exact. */
size_t heist__task_deque_size(heist__task_deque *f);

static inline uint32_t heist__task_deque_number(const heist__task_deque *f, const heist_slot *slot)
{
    return (uint32_t)(slot - f->slots);
}

/* The value of a shut gate: above every slot for the pop gate, below every slot for the push gate. */
#define HEIST__POP_SHUT ((heist_slot *)~(uintptr_t)0)
#define HEIST__PUSH_SHUT ((heist_slot *)0)

#endif
