/* heist/deque.h: a work-stealing deque, usable without the rest of heist.
 *
 * OVERVIEW
 * A deque has one owner and any number of thieves. The owner pushes and pops at the bottom, last in first out, as if it
 * were its own stack; thieves steal at the top, first in first out, so that they get what has waited longest. No
 * operation takes a lock. It is the deque of Chase and Lev (2005) with the memory orders of Le, Pop, Cohen and Zappa
 * Nardelli (2013); lib/deque/DEQUE.md has the edges, the proof sketch, and how old arrays are given back.
 *
 * The elements are pointers that the deque never follows. NULL is an element like any other: whether there was one is
 * in the result, not in the pointer. What the owner wrote before heist_deque_push is visible to whoever gets the
 * element.
 *
 * The array grows by doubling when it is full and shrinks when it is mostly empty, never below the capacity asked for.
 * An array that was left is freed by the owner once no thief can be reading it; until then it is kept, and all arrays
 * together never exceed three times the largest that was needed, however long a thief is suspended.
 *
 * USAGE
 *     heist_deque *work = heist_deque_new(0);        the owner; then give `work` to the thieves, as by pthread_create
 *
 *     owner:  heist_deque_push(work, task);
 *             while (heist_deque_pop(work, &task) == HEIST_STEAL_GOT) run(task);
 *
 *     thief:  switch (heist_deque_steal(work, &task)) {
 *             case HEIST_STEAL_GOT:   run(task);             break;
 *             case HEIST_STEAL_LOST:  try again soon;        break;    another was faster; there may be more
 *             case HEIST_STEAL_EMPTY: look somewhere else;   break;
 *             }
 *
 *     heist_deque_free(work);                        when all thieves are done with it
 *
 * "The owner" is a role: another thread may take it over, if a lock, a join or the like orders all that the old owner
 * did before all that the new one does.
 *
 * WHO MAY RUN WITH WHOM        X: only in the same thread (the owner)   -: in any threads at once   no: never
 *                 push  pop  steal  steal_half  size  free
 *     push         X     X     -        -        -     no
 *     pop          X     X     -        -        -     no
 *     steal        -     -     -        -        -     no
 *     steal_half   -     -     -        -        -     no
 *     size         -     -     -        -        -     no
 *     free         no    no    no       no       no    no
 *
 * Steal, steal_half and size are lock-free: a suspended thread, owner or thief, stops nobody. Push and pop are
 * wait-free except when the array changes size, which costs an allocation and a copy. The owner may also steal from
 * itself. None of this is safe in a signal handler that interrupts the owner inside the same deque. */
#ifndef HEIST_DEQUE_H
#define HEIST_DEQUE_H

#include <stddef.h>

#include <heist/export.h>

HEIST_BEGIN_DECLS

/* What came of trying to take an element. */
typedef enum heist_steal {
    HEIST_STEAL_GOT,   /* an element was taken */
    HEIST_STEAL_EMPTY, /* there was nothing to take */
    HEIST_STEAL_LOST   /* there was one, and another thread took it first */
} heist_steal;

typedef struct heist_deque heist_deque;

/* Makes an empty deque. `capacity_hint` elements fit before it grows; it is rounded up to a power of two, 0 is a
 * default. Call from: any thread.  Blocks: no, but allocates.  Returns NULL with errno EINVAL for a hint that no memory
 * could hold (above 2^46), ENOMEM when memory is short. */
HEIST_API heist_deque *heist_deque_new(size_t capacity_hint);

/* Frees the deque; what is still in it is forgotten, not freed. NULL is allowed.
 * Call from: any thread, ordered after every other call on this deque.  Blocks: no. */
HEIST_API void heist_deque_free(heist_deque *deque);

/* Adds `element` (may be NULL) at the bottom.
 * Call from: the owner.  Blocks: no; allocates when full.  Returns 0, or -ENOMEM and leaves the deque as it was. */
HEIST_API int heist_deque_push(heist_deque *deque, void *element);

/* Takes the youngest element into `*out`, which is written only on HEIST_STEAL_GOT. HEIST_STEAL_LOST means that a thief
 * took the last one in this moment; the deque is then empty, so the owner may treat it as HEIST_STEAL_EMPTY.
 * Call from: the owner.  Blocks: no; may allocate to shrink, and stays as it is when that fails. */
HEIST_API heist_steal heist_deque_pop(heist_deque *deque, void **out);

/* Takes the oldest element into `*out`, which is written only on HEIST_STEAL_GOT.
 * Call from: any thread.  Blocks: no. */
HEIST_API heist_steal heist_deque_steal(heist_deque *deque, void **out);

/* Takes up to half (rounded up) of the elements it sees, at most `max`, oldest first, into `out[0]` and on. Each is
 * taken with a compare-and-swap of its own: the owner pops without one as long as it sees two elements, so a thief that
 * moved the top by several at once could take what the owner is popping. One that goes to another thread on the way
 * counts as one of the half, so the call ends after that many attempts.
 * Call from: any thread.  Blocks: no.  Returns how many were taken; 0: nothing seen, or all lost to others. */
HEIST_API size_t heist_deque_steal_half(heist_deque *deque, void **out, size_t max);

/* How many elements there seem to be. Exact when the owner asks and no thief is at work; otherwise an estimate, which
 * counts what comes and goes while it is made on either side.  Call from: any thread.  Blocks: no. */
HEIST_API size_t heist_deque_size(const heist_deque *deque);

HEIST_END_DECLS

#endif
