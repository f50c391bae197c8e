/* Tasks outside any region, and in regions of one thread: run as libgomp does. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int x = 0, sum = 0;
    long reduced = 0;
#pragma omp task shared(x)
    x = 1;
#pragma omp taskwait
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : x) shared(x)
        x = x * 2 % 17;
    }
#pragma omp taskgroup task_reduction(+ : reduced)
    {
#pragma omp task in_reduction(+ : reduced)
        reduced += 5;
    }
#pragma omp taskloop
    for (int i = 0; i < 10; i++) sum += i;
#pragma omp parallel if (0)
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(sum)
        sum++;
    }
#pragma omp parallel num_threads(1)
    {
#pragma omp taskgroup
#pragma omp task shared(sum)
        sum++;
    }
    printf("%d %d %ld\n", x, sum, reduced);
    return 0;
}
