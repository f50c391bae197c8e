/* Compiled and linked by perf/meson.build to learn whether a compiler has OpenMP. */
#include <omp.h>

int main(void)
{
    return omp_get_max_threads() == 0;
}
