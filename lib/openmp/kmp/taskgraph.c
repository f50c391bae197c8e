/* Recorded task graphs, of compilers to come: not served. libomp would record nothing of a region of heist's. */
#include "openmp/core/slot.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

int32_t __kmpc_start_record_task(void *loc, int32_t gtid, int32_t flags, int32_t id)
{
    if (heist__omp_self) heist__omp_fatal("__kmpc_start_record_task: recorded task graphs are not served");
    return HEIST__RUNTIME(__kmpc_start_record_task)(loc, gtid, flags, id);
}

void __kmpc_end_record_task(void *loc, int32_t gtid, int32_t flags, int32_t id)
{
    if (heist__omp_self) heist__omp_fatal("__kmpc_end_record_task: recorded task graphs are not served");
    HEIST__RUNTIME(__kmpc_end_record_task)(loc, gtid, flags, id);
}

void __kmpc_taskgraph(void *loc, int32_t gtid, int32_t flags, uint32_t id, void *entry, void *data)
{
    if (heist__omp_self) heist__omp_fatal("__kmpc_taskgraph: recorded task graphs are not served");
    HEIST__RUNTIME(__kmpc_taskgraph)(loc, gtid, flags, id, entry, data);
}
