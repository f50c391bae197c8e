/* Regions within tasks, tasks within those, and several threads of the program with teams of their own. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

static int work(int outer, int inner)
{
    int total = 0;
#pragma omp parallel num_threads(outer)
#pragma omp single
    for (int i = 0; i < 6; i++) {
#pragma omp task shared(total) firstprivate(i)
        {
            int sum = 0, mine = 0;
#pragma omp task shared(mine)
            mine = 1;
#pragma omp parallel num_threads(inner)
#pragma omp single
            for (int j = 0; j < 10; j++) {
#pragma omp task shared(sum) firstprivate(i, j)
#pragma omp atomic
                sum += i * j;
            }
#pragma omp taskwait
#pragma omp atomic
            total += sum + mine;
        }
    }
    return total;
}

static void *host(void *argument)
{
    int *result = argument;
    for (int i = 0; i < 5; i++) *result += work(1 + i % 3, 2);
    return NULL;
}

int main(void)
{
    int results[4] = {0};
    pthread_t threads[4];
    omp_set_max_active_levels(3);
    int alone = work(3, 3);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, host, &results[i]);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    printf("%d %d %d %d %d\n", alone, results[0], results[1], results[2], results[3]);
    return 0;
}
