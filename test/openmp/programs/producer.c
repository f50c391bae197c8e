/* One task that creates tasks for a long time does not need memory for all of them.
 * expect: 1000000 small */
#include <stdio.h>
#include <sys/resource.h>

int main(void)
{
    long sum = 0;
    char block[96] = {1};
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < 1000000; i++) {
#pragma omp task firstprivate(block) shared(sum)
        {
            volatile int work = 0; /* longer than it takes to create one */
            while (work < 200) work++;
#pragma omp atomic
            sum += block[0];
        }
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld %s\n", sum, usage.ru_maxrss < 100 * 1024 ? "small" : "large");
    return 0;
}
