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

/* How many of so many cells are taken at once where batches taper: a quarter, but at least `least`, at most `most` unless that is less, and
 * not more than there are. None of the three is 0. */
uint64_t heist__share_taper(uint64_t there, uint64_t least, uint64_t most);

/* Takes so many cells from the front; most 0: one. */
bool heist__share_front(heist__share *s, uint64_t least, uint64_t most, uint64_t *first, uint64_t *last);

/* Takes up to `take` cells from the back; 0: half, rounded up. */
bool heist__share_back(heist__share *s, uint64_t take, uint64_t *first, uint64_t *last);

/* Whether the first of its cells is still this one. A hint. */
bool heist__share_unbegun(const heist__share *s, uint64_t first);

/* Whether there was nothing in it. A hint. */
bool heist__share_empty(const heist__share *s);

/* Takes all there is. */
bool heist__share_all(heist__share *s, uint64_t *first, uint64_t *last);

#endif
