/* loop/range.h: ranges and their parts. Pure. A domain is the set that a loop goes over: a range, or the tiles of two
 * ranges. Its units, iterations or tiles, are numbered from 0. */
#ifndef HEIST_LOOP_RANGE_H
#define HEIST_LOOP_RANGE_H

#include <heist/loop.h>

typedef struct heist__domain {
    heist_range rows, columns; /* one dimension: rows only */
    uint64_t row_count, column_count;
    uint64_t tile_rows, tile_columns; /* 0: one dimension */
    uint64_t tiles_across;            /* in a row of tiles */
    uint64_t units;
} heist__domain;

/* The indices with numbers `from` to `to` - 1 of a range that has `count`. The part's `end` is one step further, or the
 * range's own. */
heist_range heist__range_part(heist_range range, uint64_t count, uint64_t from, uint64_t to);

void heist__domain_line(heist__domain *d, heist_range range);

/* Tiles of the given size; size 0: near squares, about `wanted` tiles. Returns 0, or -EINVAL for more than 2^63
 * tiles. */
int heist__domain_tiles(heist__domain *d, heist_range rows, heist_range columns, uint64_t tile_rows,
                        uint64_t tile_columns, uint64_t wanted);

/* The rows and columns of a tile. */
void heist__domain_tile(const heist__domain *d, uint64_t tile, heist_range *rows, heist_range *columns);

static inline uint64_t heist__ceil_div(uint64_t n, uint64_t by)
{
    return n / by + (n % by != 0);
}

#endif
