/* libomp's entries that are little more than a call of the core: taskwait, taskyield, taskgroups. */
#include "openmp/core/group.h"
#include "openmp/core/wait.h"
#include "openmp/kmp/reduction.h"
#include "openmp/preload/runtime_symbols.h"

int32_t __kmpc_omp_taskwait(void *loc, int32_t gtid)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_omp_taskwait, (loc, gtid));
    heist__omp_taskwait(self);
    return 0;
}

int32_t __kmpc_omp_taskyield(void *loc, int32_t gtid, int end_part)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_omp_taskyield, (loc, gtid, end_part));
    heist__omp_taskyield(self);
    return 0;
}

void __kmpc_taskgroup(void *loc, int32_t gtid)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, __kmpc_taskgroup, (loc, gtid));
    heist__omp_group_begin(self); /* without memory its tasks run at once */
}

void __kmpc_end_taskgroup(void *loc, int32_t gtid)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, __kmpc_end_taskgroup, (loc, gtid));
    heist__kmp_reduction *reduction = heist__kmp_reduction_of_group(self);
    heist__omp_group_end(self);
    if (reduction) heist__kmp_reduction_end(self, reduction);
}
