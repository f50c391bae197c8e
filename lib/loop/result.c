/* The results of a reduction: where they lie, and how they are combined. */
#include <stdlib.h>
#include <string.h>

#include "loop/loop.h"

void heist__loop_result_begin(const heist__loop *l, void *accumulator)
{
    memcpy(accumulator, l->monoid->identity, l->monoid->size);
}

void heist__loop_result_add(heist__loop *l, void *accumulator, const void *right)
{
    if (!heist__loop_stopped(l)) l->monoid->combine(accumulator, right, l->context);
}

/* Combines neighbours, then neighbouring pairs, and so on: the same tree for the same number of cells. */
void heist__loop_result_add_cells(heist__loop *l, void *accumulator)
{
    const uint64_t cells = l->plan.cells;
    for (uint64_t gap = 1; gap < cells; gap *= 2) {
        for (uint64_t i = 0; i + gap < cells; i += 2 * gap) {
            heist__loop_result_add(l, l->cells + i * l->stride, l->cells + (i + gap) * l->stride);
        }
    }
    heist__loop_result_add(l, accumulator, l->cells);
}

void *heist__loop_result_room(const heist__loop *l, void *small)
{
    return l->monoid->size <= HEIST__SMALL_RESULT ? small : malloc(l->monoid->size);
}

void heist__loop_result_free(void *room, const void *small)
{
    if (room != small) free(room);
}
