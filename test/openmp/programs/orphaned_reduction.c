/* Task reductions outside of any region, in each other, and regions with tasks after that. (Not compared with libgomp,
 * which may hang in those regions.)
 * expect: 45 1010 60 145 4950 0 1225 280 */
#include <stdio.h>

static int sum, count, parts[3];

static void add(int i)
{
#pragma omp task in_reduction(+ : sum)
    sum += i;
}

/* The inner group knows `count` alone; `sum` is the outer one's, which has an array, too. */
static void nest(void)
{
#pragma omp taskgroup task_reduction(+ : sum, parts)
    {
        for (int round = 0; round < 10; round++) {
#pragma omp taskgroup task_reduction(+ : count)
            {
                add(10);
#pragma omp task in_reduction(+ : count)
                count += 101;
            }
        }
#pragma omp task in_reduction(+ : parts)
        for (int i = 0; i < 3; i++) parts[i] += 10 * (i + 1);
    }
}

static int of_loops(int iterations)
{
    int total = 0;
#pragma omp taskloop reduction(+ : total) grainsize(7)
    for (int i = 0; i < iterations; i++) total += i;
    return total;
}

static unsigned long long of_unsigned_loops(void)
{
    unsigned long long total = 0;
#pragma omp taskloop reduction(+ : total) num_tasks(3)
    for (unsigned long long i = 0; i < 50; i++) total += i;
    return total;
}

int main(void)
{
    int iterations = 0;
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 10; i++) add(i);
    printf("%d ", sum);
    nest();
    printf("%d %d %d ", count, parts[0] + parts[1] + parts[2], sum);
    printf("%d %d %llu ", of_loops(100), of_loops(0), of_unsigned_loops());
    for (int round = 0; round < 40; round++) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop shared(iterations)
        for (int i = 0; i < 7; i++) {
#pragma omp atomic
            iterations++;
        }
    }
    printf("%d\n", iterations);
    return 0;
}
