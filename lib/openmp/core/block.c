/* Blocks for the data of tasks: see block.h. */
#include "openmp/core/block.h"

#include <string.h>

#include "openmp/core/memory.h"

size_t heist__omp_block_bytes(size_t size, size_t align)
{
    return size + align + sizeof(void *);
}

char *heist__omp_block_in(void *memory, size_t align)
{
    char *data = (char *)(((uintptr_t)memory + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1));
    memcpy(data - sizeof(void *), &memory, sizeof(void *));
    return data;
}

void *heist__omp_block_memory(const void *data)
{
    void *memory;
    memcpy(&memory, (const char *)data - sizeof(void *), sizeof(void *));
    return memory;
}

char *heist__omp_block(heist__omp_slot *self, size_t size, size_t align)
{
    void *memory = heist__omp_memory_take(self, heist__omp_block_bytes(size, align));
    return memory ? heist__omp_block_in(memory, align) : NULL;
}

void heist__omp_block_free(heist__omp_slot *self, void *data)
{
    heist__omp_memory_give(self, heist__omp_block_memory(data));
}
