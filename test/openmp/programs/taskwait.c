/* taskwait waits for children, not for grandchildren; it sees what the children wrote. */
#include <stdio.h>

static long fib(int n)
{
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    long result = 0;
    int children = 0, grandchildren = 0, seen = 0;
#pragma omp parallel
#pragma omp single
    {
        result = fib(20);
        for (int i = 0; i < 100; i++) {
#pragma omp task shared(children, grandchildren)
            {
#pragma omp atomic
                children++;
#pragma omp task shared(grandchildren)
#pragma omp atomic
                grandchildren++;
            }
        }
#pragma omp taskwait
        seen = children;
    }
    printf("%ld %d %d %d\n", result, seen, children, grandchildren);
    return 0;
}
