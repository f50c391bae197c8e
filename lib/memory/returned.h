/* memory/returned.h: blocks that other threads give back to the thread that owns them.
 *
 * Any thread pushes, with one exchange and one store, and never waits: after the exchange the block is the newest, and
 * its link to the next older one is written after that. Until then the word of the block has its lowest bit set, as in
 * every block that is in use. The owner takes all blocks with one exchange and follows the links. Where a link is not
 * written yet, the owner stops, and comes back later: it does not wait either. Blocks behind a thread that was
 * descheduled between its two steps are out of reach until that thread goes on.
 *
 *            push  take_all  next      X: one thread at a time   -: any thread
 * push        -       -       -
 * take_all    -       X       X
 *
 * V1 is the order of the store of a link, the last touch of a block by the thread that returns it, before the owner
 * uses that block. The owner reads the link of every block before it uses the block, so the exchanges need to be
 * atomic, but order nothing. */
#ifndef HEIST_MEMORY_RETURNED_H
#define HEIST_MEMORY_RETURNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

/* The newest block. Written by: threads that release (exchange), owner (exchange). */
typedef HEIST__ATOMIC(void *) heist__returned;

/* `word`: the offset of the block's word, in which the lowest bit is set. */
static inline void heist__returned_push(heist__returned *list, void *block, size_t word)
{
    HEIST__ATOMIC(uintptr_t) *link = (HEIST__ATOMIC(uintptr_t) *)(void *)((char *)block + word);
    void *older = heist__exchange_relaxed(list, block); /* relaxed: V1 orders all uses of the block */
    heist__store_release(link, (uintptr_t)older);       /* V1: last touch of *block. Pairs with heist__returned_next. */
}

/* The newest of all blocks that were there; NULL: none. */
static inline void *heist__returned_take_all(heist__returned *list)
{
    if (!heist__load_relaxed(list)) return NULL; /* relaxed: nothing is read on the strength of it */
    return heist__exchange_relaxed(list, NULL);  /* relaxed: only the address is used before V1 */
}

/* Whether the link of `block` is written; then `*next` is the next older block or NULL, and `block` may be used. */
static inline bool heist__returned_next(void *block, size_t word, void **next)
{
    HEIST__ATOMIC(uintptr_t) *link = (HEIST__ATOMIC(uintptr_t) *)(void *)((char *)block + word);
    uintptr_t older = heist__load_acquire(link); /* V1: pairs with heist__returned_push */
    if (older & 1) return false;
    *next = (void *)older;
    return true;
}

#endif
