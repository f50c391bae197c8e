/* Work-sharing beside tasks: ordered, nowait, guided and runtime loops, threadprivate, critical, a scope. */
#include <omp.h>
#include <stdio.h>

static int own;
#pragma omp threadprivate(own)

int main(void)
{
    int order = 0, wrong = 0, sum = 0, total = 0, inside = 0, reduced = 0, late = 0;
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
#pragma omp for reduction(+ : reduced)
        for (int i = 0; i < 64; i++) {
#pragma omp task shared(late)
            {
                volatile int work = 0;
                while (work < 2000) work++;
#pragma omp atomic
                late++;
            }
            reduced++;
        }
        int seen;
#pragma omp atomic read
        seen = late;
        if (seen != 64 || own != omp_get_thread_num() + 1) { /* the loop's end is a barrier */
#pragma omp atomic
            wrong++;
        }
    }
    printf("%d %d %d %d %d\n", wrong, sum, total, inside == omp_get_max_threads(), reduced);
    return 0;
}
