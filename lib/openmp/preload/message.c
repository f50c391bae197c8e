/* See message.h. */
#include "openmp/preload/message.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void heist__omp_fatal(const char *why)
{
    fprintf(stderr, "heist-omp: %s\n", why);
    abort();
}
