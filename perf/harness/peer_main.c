/* The programs with the implementations of the peers. Each is only a child of heist-perf, because two runtimes with the
 * same functions (libgomp and libomp) must not meet in one process. */
#include <stdio.h>
#include <string.h>

#include "harness/protocol.h"

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], PERF_SERVE) == 0) return perf_serve(argv[2]);
    fprintf(stderr, "%s: heist-perf runs this program; it is of no use by hand\n", argc ? argv[0] : "heist-perf");
    return 2;
}
