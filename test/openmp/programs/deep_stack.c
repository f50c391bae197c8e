/* Tasks with much data on the stack, each of which creates the next and does not wait for it: together they have more
 * than a stack holds.
 * expect: 400 400 2000 400 */
#include <stdio.h>
#include <string.h>

enum { STEPS = 400, BUFFER = 64 << 10 };
static long in_chain, in_row, beside, in_loops;

static void use(char *buffer, int with)
{
    memset(buffer, with, BUFFER);
    __asm__ volatile("" ::"r"(buffer) : "memory");
}

static void count(long *what)
{
#pragma omp atomic
    ++*what;
}

static void step(int n)
{
    char buffer[BUFFER];
    use(buffer, n);
    count(&in_chain);
    if (n < STEPS) {
#pragma omp task firstprivate(n)
        step(n + 1);
    }
    use(buffer, n);
}

/* The same with others beside it, so that there is something to steal. */
static void step_in_row(int n)
{
    char buffer[BUFFER];
    use(buffer, n);
    count(&in_row);
    for (int i = 0; i < 5; i++) {
#pragma omp task
        count(&beside);
    }
    if (n < STEPS) {
#pragma omp task firstprivate(n)
        step_in_row(n + 1);
    }
    use(buffer, n);
}

static void step_in_loop(int n)
{
    char buffer[BUFFER];
    use(buffer, n);
    count(&in_loops);
    if (n < STEPS) {
#pragma omp taskloop nogroup firstprivate(n)
        for (int i = 0; i < 1; i++) step_in_loop(n + 1);
    }
    use(buffer, n);
}

int main(void)
{
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        step(1);
#pragma omp taskgroup
        step_in_row(1);
#pragma omp taskgroup
        step_in_loop(1);
    }
    printf("%ld %ld %ld %ld\n", in_chain, in_row, beside, in_loops);
    return 0;
}
