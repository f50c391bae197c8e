/* Untied tasks with scheduling points of every kind between their parts, also where they are not put off.
 * (libomp 14 now and then crashes here, or does not end.)
 * expect with libomp: 51225 5050 26 610 */
#include <stdio.h>

static long tree(int n)
{
    long a = 0, b = 0;
    if (n < 2) return n;
#pragma omp task untied shared(a)
    a = tree(n - 1);
#pragma omp task untied shared(b)
    b = tree(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    long sum = 0, parts = 0, undeferred = 0, grouped = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 50; i++) {
#pragma omp task untied shared(sum, parts) firstprivate(i)
            {
                static int children;
#pragma omp task shared(parts)
#pragma omp atomic
                parts++;
#pragma omp taskyield
#pragma omp atomic
                sum += i;
#pragma omp taskwait
#pragma omp task untied shared(parts)
                {
#pragma omp taskyield
#pragma omp atomic
                    parts += 100;
                }
#pragma omp atomic
                children++;
#pragma omp taskwait
#pragma omp atomic
                sum += 1000;
            }
        }
#pragma omp taskgroup
        {
#pragma omp task untied shared(grouped)
            {
#pragma omp taskyield
#pragma omp task untied shared(grouped)
                {
#pragma omp taskyield
#pragma omp atomic
                    grouped++;
                }
#pragma omp atomic
                grouped++;
            }
        }
        undeferred = grouped * 10;
#pragma omp task untied final(1) shared(undeferred)
        {
#pragma omp task untied shared(undeferred)
#pragma omp atomic
            undeferred++;
#pragma omp taskwait
#pragma omp atomic
            undeferred += 5;
        }
    }
    long fib = 0;
#pragma omp parallel
#pragma omp single
    fib = tree(15);
    printf("%ld %ld %ld %ld\n", sum, parts, undeferred, fib);
    return 0;
}
