/* Tasks that set control variables for a long time do not need memory for each time.
 * expect: 0 small */
#include <omp.h>
#include <stdio.h>
#include <sys/resource.h>

int main(void)
{
    int wrong = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 1500000; i++) {
#pragma omp task shared(wrong) firstprivate(i)
        {
            omp_set_num_threads(2 + i % 100);
            if (omp_get_max_threads() != 2 + i % 100) {
#pragma omp atomic
                wrong++;
            }
        }
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%d %s\n", wrong, usage.ru_maxrss < 50 * 1024 ? "small" : "large");
    return 0;
}
