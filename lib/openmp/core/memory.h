/* Memory that comes and goes with a task: data that does not fit into its record, and its node among the dependences.
 *
 * Each slot keeps the memory that its thread gives back, sorted by size, up to HEIST__OMP_MOST_KEPT bytes. Beyond
 * that, all of one size goes to a list from which slots without that size take it. Blocks larger than
 * HEIST__OMP_LARGEST_KEPT come from malloc and go to free. A block has no owner: the thread that gives it back keeps
 * it. Call from: the slot's thread. */
#ifndef HEIST_OPENMP_CORE_MEMORY_H
#define HEIST_OPENMP_CORE_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

#include "openmp/core/slot.h"

enum {
    HEIST__OMP_LARGEST_KEPT = HEIST__OMP_SIZES * HEIST__OMP_SIZE_STEP,
    HEIST__OMP_MOST_KEPT = 1 << 19,
};

struct heist__omp_memory { /* before each block */
    _Alignas(max_align_t) union {
        size_t size;             /* in steps, with this head; 0: free() takes it back. While it is used. */
        heist__omp_memory *next; /* while it is kept */
    };
};

/* Steps that a block of `bytes` takes; 0: it is too large to be kept. */
static inline size_t heist__omp_memory_size(size_t bytes)
{
    if (bytes > HEIST__OMP_LARGEST_KEPT - sizeof(heist__omp_memory)) return 0;
    return (bytes + sizeof(heist__omp_memory) + HEIST__OMP_SIZE_STEP - 1) / HEIST__OMP_SIZE_STEP;
}

/* ---- memory.c ---- */
void *heist__omp_memory_take_slow(heist__omp_slot *self, size_t bytes);
void heist__omp_memory_give_slow(heist__omp_slot *self, heist__omp_memory *memory);
/* In a child of fork(). */
void heist__omp_memory_after_fork(void);

/* Aligned as by malloc. NULL: no memory. */
static inline void *heist__omp_memory_take(heist__omp_slot *self, size_t bytes)
{
    size_t size = heist__omp_memory_size(bytes);
    heist__omp_memory *memory = size ? self->kept[size - 1] : NULL;
    if (__builtin_expect(!memory, 0)) return heist__omp_memory_take_slow(self, bytes);
    self->kept[size - 1] = memory->next;
    self->kept_count[size - 1]--;
    self->kept_bytes -= size * HEIST__OMP_SIZE_STEP;
    memory->size = size;
    return memory + 1;
}

static inline void heist__omp_memory_keep(heist__omp_slot *self, heist__omp_memory *memory, size_t size)
{
    memory->next = self->kept[size - 1];
    self->kept[size - 1] = memory;
    self->kept_count[size - 1]++;
    self->kept_bytes += size * HEIST__OMP_SIZE_STEP;
}

/* `self` is NULL outside the team. */
static inline void heist__omp_memory_give(heist__omp_slot *self, void *block)
{
    heist__omp_memory *memory = (heist__omp_memory *)block - 1;
    size_t size = memory->size;
    if (__builtin_expect(!self || !size || self->kept_bytes >= HEIST__OMP_MOST_KEPT, 0)) {
        heist__omp_memory_give_slow(self, memory);
        return;
    }
    heist__omp_memory_keep(self, memory, size);
}

#endif
