/* Critical sections, as gcc calls them: counted, see lock_depth.h. */
#include "openmp/core/lock_depth.h"
#include "openmp/preload/runtime_symbols.h"

void GOMP_critical_start(void)
{
    HEIST__RUNTIME(GOMP_critical_start)();
    heist__omp_lock_taken();
}

void GOMP_critical_end(void)
{
    HEIST__RUNTIME(GOMP_critical_end)();
    heist__omp_lock_given_back();
}

void GOMP_critical_name_start(void **name)
{
    HEIST__RUNTIME(GOMP_critical_name_start)(name);
    heist__omp_lock_taken();
}

void GOMP_critical_name_end(void **name)
{
    HEIST__RUNTIME(GOMP_critical_name_end)(name);
    heist__omp_lock_given_back();
}
