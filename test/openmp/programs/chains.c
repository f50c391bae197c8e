/* Tasks that only the barrier waits for: long chains of them, children that outlive their parents, and a deep
 * recursion that must not use up the stack. (libomp uses it up.)
 * expect with libomp: 80004 100000 */
#include <stdio.h>

static long links, visited;

static void chain(int left)
{
#pragma omp atomic
    links++;
    if (left > 0) {
#pragma omp task
        chain(left - 1);
    }
}

static unsigned char seen[100000];

static void visit(int n)
{
    unsigned char was;
#pragma omp atomic capture
    {
        was = seen[n];
        seen[n] = 1;
    }
    if (was) return;
#pragma omp atomic
    visited++;
    for (int i = 1; i <= 3; i++) {
        int next = (n + i) % 100000;
#pragma omp task
        visit(next);
    }
}

int main(void)
{
#pragma omp parallel
    {
#pragma omp single nowait
        for (int i = 0; i < 4; i++) {
#pragma omp task
            chain(20000);
        }
#pragma omp barrier
#pragma omp single
        visit(0);
    }
    printf("%ld %ld\n", links, visited);
    return 0;
}
