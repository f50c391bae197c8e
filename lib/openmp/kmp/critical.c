/* Critical sections and simple locks, as clang calls them: counted, see lock_depth.h. */
#include "openmp/core/lock_depth.h"
#include "openmp/preload/runtime_symbols.h"

void __kmpc_critical(void *loc, int32_t gtid, void *name)
{
    HEIST__RUNTIME(__kmpc_critical)(loc, gtid, name);
    heist__omp_lock_taken();
}

void __kmpc_critical_with_hint(void *loc, int32_t gtid, void *name, uint32_t hint)
{
    HEIST__RUNTIME(__kmpc_critical_with_hint)(loc, gtid, name, hint);
    heist__omp_lock_taken();
}

void __kmpc_end_critical(void *loc, int32_t gtid, void *name)
{
    HEIST__RUNTIME(__kmpc_end_critical)(loc, gtid, name);
    heist__omp_lock_given_back();
}

void __kmpc_set_lock(void *loc, int32_t gtid, void *lock)
{
    HEIST__RUNTIME(__kmpc_set_lock)(loc, gtid, lock);
    heist__omp_lock_taken();
}

void __kmpc_unset_lock(void *loc, int32_t gtid, void *lock)
{
    HEIST__RUNTIME(__kmpc_unset_lock)(loc, gtid, lock);
    heist__omp_lock_given_back();
}

int __kmpc_test_lock(void *loc, int32_t gtid, void *lock)
{
    int got = HEIST__RUNTIME(__kmpc_test_lock)(loc, gtid, lock);
    if (got) heist__omp_lock_taken();
    return got;
}
