/* taskgroup waits for descendants, and not for what was created before it; groups nest. */
#include <stdio.h>

static int count;

static void tree(int depth)
{
#pragma omp atomic
    count++;
    if (depth == 0) return;
    for (int i = 0; i < 3; i++) {
#pragma omp task
        tree(depth - 1);
    }
}

static int sum_to(int n)
{
    int a = 0, b = 0;
    if (n < 2) return n;
#pragma omp taskgroup
    {
#pragma omp task shared(a)
        a = sum_to(n / 2);
#pragma omp task shared(b)
        b = sum_to(n - n / 2);
    }
    return a + b;
}

int main(void)
{
    int seen = 0, inner = 0, outer = 0, total = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            tree(6);
        }
        seen = count;
#pragma omp taskgroup
        {
#pragma omp task shared(inner, outer)
            {
#pragma omp taskgroup
                {
                    for (int i = 0; i < 40; i++) {
#pragma omp task shared(inner)
#pragma omp atomic
                        inner++;
                    }
                }
                outer = inner;
            }
        }
        total = sum_to(1000);
    }
    printf("%d %d %d %d\n", seen, inner, outer, total);
    return 0;
}
