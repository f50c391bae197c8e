/* Work-sharing beside tasks: ordered, nowait, guided and runtime loops, threadprivate, critical, a scope. */
#include <omp.h>
#include <stdio.h>

static int own;
#pragma omp threadprivate(own)

int main(void)
{
    int order = 0, wrong = 0, sum = 0, total = 0, inside = 0;
#pragma omp parallel
    {
        own = omp_get_thread_num() + 1;
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 40; i++) {
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
            sum += i;
#pragma omp ordered
            wrong += order++ != i;
        }
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < 100; i++) {
#pragma omp critical
            total += i;
        }
#pragma omp for schedule(runtime)
        for (int i = 0; i < 100; i++) {
#pragma omp task shared(total)
#pragma omp critical
            total++;
        }
#ifndef __clang__ /* before 19 it has none */
#pragma omp scope reduction(+ : inside)
#else
#pragma omp for reduction(+ : inside)
        for (int i = 0; i < omp_get_num_threads(); i++)
#endif
        inside += 1;
        if (own != omp_get_thread_num() + 1) {
#pragma omp atomic
            wrong++;
        }
    }
    printf("%d %d %d %d\n", wrong, sum, total, inside == omp_get_max_threads());
    return 0;
}
