/* Prints on how many CPUs the second thread of a region may run; for spread_threads.sh. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(void)
{
    int cpus = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp task
        sched_yield();
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            cpu_set_t mine;
            sched_getaffinity(0, sizeof mine, &mine);
            cpus = CPU_COUNT(&mine);
        }
    }
    printf("%d\n", cpus);
    return 0;
}
