/* Recorded task graphs, and libomp's own nodes of dependences: not served. libomp would record nothing of a region of
 * heist's, and has no node of its tasks. A program that is linked to these entries is left to libomp as a whole
 * (preload/load.c); these functions are reached where such code comes later. */
#include "openmp/kmp/task.h"
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

/* ---- nodes ---- */

void *__kmpc_task_get_depnode(heist__kmp_task *task)
{
    if (heist__omp_self && heist__kmp_record_of(task))
        heist__omp_fatal("__kmpc_task_get_depnode: nodes of dependences are not served");
    return HEIST__RUNTIME(__kmpc_task_get_depnode)(task);
}

void *__kmpc_task_get_successors(heist__kmp_task *task)
{
    if (heist__omp_self && heist__kmp_record_of(task))
        heist__omp_fatal("__kmpc_task_get_successors: nodes of dependences are not served");
    return HEIST__RUNTIME(__kmpc_task_get_successors)(task);
}
