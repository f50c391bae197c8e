/* How often the second thread of a region has left the CPU that it shared, as pretend_cpus.c counts it: when it begins its first
 * region, after it has waited there with nothing to do, and when it begins its second; for apart.sh. apart THREADS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LONG_ENOUGH 30000 /* microseconds: a thread that has moved stays for five milliseconds */

int main(int argc, char **argv)
{
    int (*left)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "pretend_left");
    int threads = argc > 1 ? atoi(argv[1]) : 2, counts[3] = {-1, -1, -1};
    if (!left) return 2;
#pragma omp parallel num_threads(threads)
    {
        int second = omp_get_thread_num() == 1;
        if (second) counts[0] = left();
#pragma omp task
        usleep(0);
        usleep(second ? LONG_ENOUGH : 3 * LONG_ENOUGH);
#pragma omp barrier
        if (second) counts[1] = left();
    }
    usleep(LONG_ENOUGH);
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == 0) usleep(LONG_ENOUGH); /* who waits might leave first */
        if (omp_get_thread_num() == 1) counts[2] = left();
    }
    printf("%d %d %d\n", counts[0], counts[1], counts[2]);
    return 0;
}
