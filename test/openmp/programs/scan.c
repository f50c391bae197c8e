/* scan and lastprivate(conditional), whose loops have barriers in between, in regions with tasks. only: libgomp
 * (clang 14's results of both are wrong with libomp alone.) */
#include <stdio.h>

enum { N = 1000 };

int main(void)
{
    static int sums[N], before[N];
    int sum = 0, last = -1, wrong = 0, tasks = 0;
#pragma omp parallel shared(sum, last, tasks)
    {
#pragma omp task
#pragma omp atomic
        tasks++;
#pragma omp for reduction(inscan, + : sum)
        for (int i = 0; i < N; i++) {
            sum += i;
#pragma omp scan inclusive(sum)
            sums[i] = sum;
        }
#pragma omp single
        {
#pragma omp task
            sum = 0;
        }
#pragma omp for reduction(inscan, + : sum)
        for (int i = 0; i < N; i++) {
            before[i] = sum;
#pragma omp scan exclusive(sum)
            sum += i;
        }
#pragma omp for lastprivate(conditional : last) schedule(dynamic, 3)
        for (int i = 0; i < N; i++) {
            if (i % 7 == 3) last = i;
        }
    }
    for (int i = 0; i < N; i++) wrong += sums[i] != i * (i + 1) / 2 || before[i] != i * (i - 1) / 2;
    printf("%d %d %d %s\n", wrong, sum, last, tasks > 0 ? "tasks" : "none");
    return 0;
}
