/* Ranges and their parts, without overflow: positions are computed in unsigned numbers, which wrap to the right
 * index. */
#include "loop/range.h"

#include <errno.h>

static int64_t index_at(heist_range range, uint64_t number)
{
    return (int64_t)((uint64_t)range.begin + number * (uint64_t)range.step);
}

heist_range heist__range_part(heist_range range, uint64_t count, uint64_t from, uint64_t to)
{
    return heist_stepping(index_at(range, from), to < count ? index_at(range, to) : range.end, range.step);
}

static heist_range with_step(heist_range range)
{
    if (range.step == 0) range.step = 1;
    return range;
}

void heist__domain_line(heist__domain *d, heist_range range)
{
    *d = (heist__domain){.rows = with_step(range)};
    d->row_count = heist_range_count(range);
    d->units = d->row_count;
}

/* Halves the longer side until there are `wanted` tiles, or the tiles are single indices. */
static void choose_tile(heist__domain *d, uint64_t tile_rows, uint64_t tile_columns, uint64_t wanted)
{
    d->tile_rows = tile_rows ? tile_rows : d->row_count;
    d->tile_columns = tile_columns ? tile_columns : d->column_count;
    for (;;) {
        uint64_t down = heist__ceil_div(d->row_count, d->tile_rows);
        uint64_t across = heist__ceil_div(d->column_count, d->tile_columns);
        if (down >= wanted || across >= wanted || down * across >= wanted) return;
        bool cut_rows = !tile_rows && d->tile_rows > 1, cut_columns = !tile_columns && d->tile_columns > 1;
        if (!cut_rows && !cut_columns) return;
        if (cut_rows && (!cut_columns || d->tile_rows >= d->tile_columns)) {
            d->tile_rows = heist__ceil_div(d->tile_rows, 2);
        } else {
            d->tile_columns = heist__ceil_div(d->tile_columns, 2);
        }
    }
}

int heist__domain_tiles(heist__domain *d, heist_range rows, heist_range columns, uint64_t tile_rows,
                        uint64_t tile_columns, uint64_t wanted)
{
    *d = (heist__domain){.rows = with_step(rows), .columns = with_step(columns)};
    d->row_count = heist_range_count(rows);
    d->column_count = heist_range_count(columns);
    if (d->row_count == 0 || d->column_count == 0) return 0;
    choose_tile(d, tile_rows, tile_columns, wanted);
    uint64_t down = heist__ceil_div(d->row_count, d->tile_rows);
    d->tiles_across = heist__ceil_div(d->column_count, d->tile_columns);
    if (down > ((uint64_t)1 << 63) / d->tiles_across) return -EINVAL;
    d->units = down * d->tiles_across;
    return 0;
}

/* The indices with numbers n * size up to (n + 1) * size, as far as the range has them. */
static heist_range slice(heist_range range, uint64_t count, uint64_t n, uint64_t size)
{
    uint64_t from = n * size;
    return heist__range_part(range, count, from, count - from > size ? from + size : count);
}

void heist__domain_tile(const heist__domain *d, uint64_t tile, heist_range *rows, heist_range *columns)
{
    *rows = slice(d->rows, d->row_count, tile / d->tiles_across, d->tile_rows);
    *columns = slice(d->columns, d->column_count, tile % d->tiles_across, d->tile_columns);
}
