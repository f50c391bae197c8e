/* Tasks of a target region, without a device: they end with it, whether it waits for them or not. only: libgomp
 * expect: 0 0 0 0 */
#include <stdio.h>

static int sum_unwaited(void)
{
    int sum = 0;
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < 64; i++) {
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
        sum += i;
    }
    return sum;
}

static int sum_waited(void)
{
    int sum = 0;
#pragma omp target map(tofrom : sum)
    {
        int local = 0;
        for (int i = 0; i < 64; i++) {
#pragma omp task shared(local) firstprivate(i)
#pragma omp atomic
            local += i;
        }
#pragma omp taskwait
        sum = local;
    }
    return sum;
}

static int sum_of_region(void)
{
    int sum = 0;
#pragma omp target map(tofrom : sum)
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 64; i++) {
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
        sum += i;
    }
    return sum;
}

int main(void)
{
    int unwaited = 0, waited = 0, region = 0, in_task = 0;
    for (int round = 0; round < 50; round++) {
#pragma omp parallel reduction(+ : unwaited, waited, region)
        {
            unwaited += sum_unwaited() != 2016;
            waited += sum_waited() != 2016;
            region += sum_of_region() != 2016;
#pragma omp single
            for (int i = 0; i < 20; i++) {
#pragma omp task shared(in_task)
                {
                    int wrong = sum_unwaited() != 2016;
#pragma omp atomic
                    in_task += wrong;
                }
            }
        }
    }
    printf("%d %d %d %d\n", unwaited, waited, region, in_task);
    return 0;
}
