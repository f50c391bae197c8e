/* loop/cell_range.h: a worker's share of a loop as a range of cells in one word. The owner takes from its front,
 * thieves from its back, both with a CAS. Cells that have been parted are never put together again.
 *
 * Relaxed throughout. The meaning of a cell was written before any thread could see the share (D1, the spawn of the
 * member that looks), and the thread that joins sees the work that was done in a cell. The word may come back to an
 * earlier value, which does no harm: it then says the same as before, that these cells are here and no worker has
 * them. */
#ifndef HEIST_LOOP_CELL_RANGE_H
#define HEIST_LOOP_CELL_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

typedef struct heist__cell_range {
    /* End (high half) and beginning. Written by: owner, thieves (CAS). Read by: both. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) cells;
} heist__cell_range;

/* Call from: the owner, while the range is empty. */
void heist__cell_range_set(heist__cell_range *s, uint64_t first, uint64_t last);

/* How many of `there` cells are taken at once where batches taper: a quarter of them, at most `most`, but at least
 * `least`, and never more than there are. None of the three is 0. */
uint64_t heist__cell_range_taper(uint64_t there, uint64_t least, uint64_t most);

/* Takes cells from the front, as many as heist__cell_range_taper says; `most` 0: one. False: there are none. */
bool heist__cell_range_front(heist__cell_range *s, uint64_t least, uint64_t most, uint64_t *first, uint64_t *last);

/* Takes up to `take` cells from the back; 0: half of them, rounded up. False: there are none. */
bool heist__cell_range_back(heist__cell_range *s, uint64_t take, uint64_t *first, uint64_t *last);

/* Whether the range still begins with cell `first`. A hint. */
bool heist__cell_range_unbegun(const heist__cell_range *s, uint64_t first);

/* Whether the range was empty. A hint. */
bool heist__cell_range_empty(const heist__cell_range *s);

/* Takes all cells. False: there are none. */
bool heist__cell_range_all(heist__cell_range *s, uint64_t *first, uint64_t *last);

#endif
