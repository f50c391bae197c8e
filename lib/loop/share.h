/* loop/share.h: a worker's part of a loop as a range of cells in one word. The owner takes from its front, others from its
 * back, everybody with a CAS; cells are never put together again once they have been parted.
 *
 * Relaxed throughout: what a cell means was there before anybody could see the share (D1, the spawn of whoever looks), and
 * what was done in a cell is seen by who joins. That the word may come back to an earlier value does no harm, for it then
 * says the same: these cells are here and nobody has them. */
#ifndef HEIST_LOOP_SHARE_H
#define HEIST_LOOP_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/atomic.h>

typedef struct heist__share {
    /* End (high half) and beginning. Written by: owner, thieves (CAS). Read by: both. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) cells;
} heist__share;

/* Only by the owner, and while it is empty. */
void heist__share_set(heist__share *s, uint64_t first, uint64_t last);

/* The `part`-th part of so many cells, but at least `least` of them, and at most all. */
uint64_t heist__share_part(uint64_t there, uint64_t part, uint64_t least);

/* Takes such a part from the front; part 0: one cell. */
bool heist__share_front(heist__share *s, uint64_t part, uint64_t least, uint64_t *first, uint64_t *last);

/* Takes up to `take` cells from the back; 0: half, rounded up. */
bool heist__share_back(heist__share *s, uint64_t take, uint64_t *first, uint64_t *last);

/* Whether the first of its cells is still this one. A hint. */
bool heist__share_unbegun(const heist__share *s, uint64_t first);

/* Takes all there is. */
bool heist__share_all(heist__share *s, uint64_t *first, uint64_t *last);

#endif
