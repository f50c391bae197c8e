/* Names by which C reaches libomp's functions where Fortran has the others. */
#include "openmp/preload/front_end.h"

void ompc_set_num_threads(int n)
{
    omp_set_num_threads(n);
}

void ompc_set_dynamic(int on)
{
    omp_set_dynamic(on);
}

void ompc_set_nested(int on)
{
    omp_set_nested(on);
}

void ompc_set_max_active_levels(int levels)
{
    omp_set_max_active_levels(levels);
}

void ompc_set_schedule(int kind, int chunk)
{
    omp_set_schedule(kind, chunk);
}
