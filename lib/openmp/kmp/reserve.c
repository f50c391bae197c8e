/* The reserve: see reserve.h.
 *
 * A record of the reserve is one like others: when its task has ended it is among the free records, and stays there,
 * because a thread that follows the ancestors of a task may read it at any time (ancestry.h). A block of the reserve
 * is for the data of a task that runs at once. So blocks come and go as on a stack, but for the odd one that is given
 * back below others: that one is free when those are. */
#include "openmp/kmp/reserve.h"

#include <stdlib.h>
#include <string.h>

enum { RECORDS = 1 << 11, BLOCK_BYTES = 1 << 19 };

typedef struct piece {                         /* before each block */
    _Alignas(HEIST__LINE) struct piece *below; /* the piece that was taken before, or NULL */
    size_t bytes;                              /* behind the piece */
    bool in_use;
} piece;

/* Used by its slot's thread alone, except that another thread may make it. */
struct heist__kmp_reserve {
    piece *top;     /* NULL: all of the room is free */
    size_t records; /* how many were taken */
    _Alignas(HEIST__LINE) char room[BLOCK_BYTES];
    heist__omp_task record[RECORDS];
};

bool heist__kmp_reserve_make(heist__omp_slot *slot)
{
    if (slot->reserve) return true;
    slot->reserve = aligned_alloc(HEIST__LINE, sizeof *slot->reserve);
    if (!slot->reserve) return false;
    slot->reserve->top = NULL;
    slot->reserve->records = 0;
    return true;
}

heist__omp_task *heist__kmp_reserve_record(heist__omp_slot *self)
{
    heist__kmp_reserve *reserve = self->reserve;
    if (reserve->records == RECORDS) return NULL;
    heist__omp_task *record = &reserve->record[reserve->records++];
    memset(record, 0, sizeof *record);
    return record;
}

void *heist__kmp_reserve_take(heist__omp_slot *self, size_t bytes)
{
    heist__kmp_reserve *reserve = self->reserve;
    char *begin = reserve->top ? (char *)(reserve->top + 1) + reserve->top->bytes : reserve->room;
    size_t left = (size_t)(reserve->room + sizeof reserve->room - begin);
    if (left < sizeof(piece) || left - sizeof(piece) < bytes) return NULL;
    piece *p = (piece *)begin;
    p->below = reserve->top;
    p->bytes = (bytes + HEIST__LINE - 1) / HEIST__LINE * HEIST__LINE; /* fits: the room is a multiple of a line, too */
    p->in_use = true;
    reserve->top = p;
    return p + 1;
}

bool heist__kmp_reserve_has(const heist__omp_slot *self, const void *memory)
{
    const heist__kmp_reserve *reserve = self->reserve;
    return (uintptr_t)memory - (uintptr_t)reserve->room < sizeof reserve->room;
}

void heist__kmp_reserve_give(heist__omp_slot *self, void *memory)
{
    heist__kmp_reserve *reserve = self->reserve;
    ((piece *)memory - 1)->in_use = false;
    while (reserve->top && !reserve->top->in_use) reserve->top = reserve->top->below;
}
