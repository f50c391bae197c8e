/* New memory: see memory.h. */
#include "openmp/memory.h"

/* AddressSanitizer is to see every use after the end: under it nothing is kept. */
#if defined(__SANITIZE_ADDRESS__)
#define KEPT 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEPT 0
#endif
#endif
#ifndef KEPT
#define KEPT 1
#endif

void *heist__omp_memory_take_slow(size_t bytes)
{
    size_t size = KEPT ? heist__omp_memory_size(bytes) : 0;
    if (bytes > PTRDIFF_MAX) return NULL; /* what is added below is to fit */
    heist__omp_memory *memory = malloc(size ? size * HEIST__OMP_SIZE_STEP : sizeof *memory + bytes);
    if (!memory) return NULL;
    memory->size = size;
    return memory + 1;
}
