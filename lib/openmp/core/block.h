/* Blocks for the data of tasks that does not fit into a record. A block remembers, in the word before the data, where
 * its memory begins. */
#ifndef HEIST_OPENMP_CORE_BLOCK_H
#define HEIST_OPENMP_CORE_BLOCK_H

#include <stddef.h>

#include "openmp/core/slot.h"

/* Room for the data of a task. NULL: no memory. */
char *heist__omp_block(heist__omp_slot *self, size_t size, size_t align);
void heist__omp_block_free(heist__omp_slot *self, void *data);
/* The same in memory that the caller has: how many bytes that takes, and where the room begins in it. */
size_t heist__omp_block_bytes(size_t size, size_t align);
char *heist__omp_block_in(void *memory, size_t align);
/* Where the memory of a block begins. */
void *heist__omp_block_memory(const void *data);

#endif
