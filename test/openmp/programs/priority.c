/* priority is a hint: all tasks run, and a barrier waits for them; with one thread and OMP_MAX_TASK_PRIORITY=0 nothing
 * is different from tasks without. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0, chain = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 300; i++) {
#pragma omp task priority(i % 7) shared(sum) firstprivate(i)
#pragma omp atomic
            sum += i;
        }
        for (int i = 0; i < 50; i++) {
#pragma omp task priority(50 - i) depend(inout : chain) shared(chain)
            chain = chain * 3 % 1000 + i;
        }
#pragma omp taskwait
        for (int i = 0; i < 10; i++) {
#pragma omp task priority(3) shared(sum)
            {
#pragma omp task priority(9) shared(sum)
#pragma omp atomic
                sum++;
#pragma omp taskwait
            }
        }
#pragma omp taskloop priority(2) grainsize(3)
        for (int i = 0; i < 100; i++) {
#pragma omp atomic
            sum += i;
        }
    }
    printf("%d %d\n", sum, chain);
    return 0;
}
