/* spread_threads THREADS, for spread_threads.sh. Prints how often threads of a region were sent away from their maker's
 * CPU, as pretend_cpus.c counts it, and whether the second thread has left the CPU that it shared: when it began its
 * first region, after it had waited there with nothing to do, and when it began its second region. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LONG_ENOUGH 30000 /* microseconds: a thread that has moved stays for five milliseconds */

static int (*function(const char *name))(void)
{
    int (*found)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, name);
    if (!found) exit(2);
    return found;
}

static const char *change(int from, int to)
{
    return from < 0 || to < 0 ? "lost" : to > from ? "left" : "stayed";
}

int main(int argc, char **argv)
{
    int (*left)(void) = function("pretend_left"), (*sent)(void) = function("pretend_sent");
    int threads = argc > 1 ? atoi(argv[1]) : 2, counts[4] = {0};
#pragma omp parallel num_threads(threads)
    {
        int second = omp_get_thread_num() == 1;
        if (second) counts[0] = left();
#pragma omp task
        usleep(0);
        usleep(second ? LONG_ENOUGH : 3 * LONG_ENOUGH);
        if (second) counts[1] = left();
#pragma omp barrier
        if (second) counts[2] = left();
    }
    usleep(LONG_ENOUGH);
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == 0) usleep(LONG_ENOUGH); /* the waiting thread might leave first */
        if (omp_get_thread_num() == 1) counts[3] = left();
    }
    printf("%d sent away, %s, %s, %s\n", sent(), change(0, counts[0]), change(counts[1], counts[2]),
           change(counts[2], counts[3]));
    return 0;
}
