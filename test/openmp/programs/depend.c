/* in, out, inout, inoutset, mutexinoutset, iterators, depobj; taskwait depend; depend on tasks with if(0).
 * (libomp 14 now and then crashes here, or does not end.)
 * expect with libomp: 6939 0 80 136 94 0 174 */
#include <omp.h>
#include <stdio.h>

static int chain(void)
{
    int x = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= 100; i++) {
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
        x = (x * 7 + i) % 10007;
    }
    return x;
}

static int readers_and_writers(void)
{
    int x = 0, wrong = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 40; i++) {
#pragma omp task depend(out : x) shared(x) firstprivate(i)
        x = i;
        for (int r = 0; r < 5; r++) {
#pragma omp task depend(in : x) shared(x, wrong) firstprivate(i)
            if (x != i) {
#pragma omp atomic
                wrong++;
            }
        }
    }
    return wrong;
}

static int sets(void)
{
    int x = 0, y = 0, wrong = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 10; round++) {
#pragma omp task depend(out : x) shared(x)
        x = 0;
        for (int i = 0; i < 8; i++) {
#if __GNUC__ >= 13
#pragma omp task depend(inoutset : x) shared(x)
#else
#pragma omp task depend(inout : x) shared(x)
#endif
#pragma omp atomic
            x++;
        }
#pragma omp task depend(in : x) shared(x, wrong)
        if (x != 8) wrong++;
        for (int i = 0; i < 8; i++) {
#pragma omp task depend(mutexinoutset : y) shared(y)
            y = y + 1; /* no atomic: never two at a time */
        }
    }
    return wrong * 1000 + y;
}

static int iterators(void)
{
    int a[16] = {0}, sum = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 16; i++) {
#pragma omp task depend(out : a[i]) shared(a) firstprivate(i)
            a[i] = i + 1;
        }
#pragma omp task depend(iterator(i = 0 : 16), in : a[i]) shared(a, sum)
        for (int i = 0; i < 16; i++) sum += a[i];
    }
    return sum;
}

static int objects(void)
{
    int x = 0, seen = -1;
    omp_depend_t d;
#pragma omp depobj(d) depend(inout : x)
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task depend(depobj : d) shared(x)
            x = x * 2 % 101 + 1;
        }
#pragma omp taskwait
#pragma omp depobj(d) update(in)
#pragma omp task depend(depobj : d) shared(x, seen)
        seen = x;
#pragma omp taskwait
    }
#pragma omp depobj(d) destroy
    return seen;
}

static int waits(void)
{
    int x = 0, y = 0, wrong = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 30; i++) {
#pragma omp task depend(out : x) shared(x) firstprivate(i)
        x = i;
#pragma omp task depend(out : y) shared(y) firstprivate(i)
        y = i;
#pragma omp taskwait depend(in : x)
        wrong += x != i;
#pragma omp task if (0) depend(in : y) shared(y, wrong) firstprivate(i)
        wrong += y != i;
#pragma omp taskwait
    }
    return wrong;
}

static int diamond(void) /* one task under several addresses, one address twice */
{
    int a = 0, b = 0, c = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 50; i++) {
#pragma omp task depend(out : a, b) shared(a, b)
        a = b = a + b + 1;
#pragma omp task depend(in : a) depend(inout : c) depend(in : c) shared(a, c)
        c = (c + a) % 1009;
#pragma omp task depend(in : b) depend(inout : c) shared(b, c)
        c = (c * 3 + b) % 1009;
#pragma omp task depend(inout : a, b, c) shared(a, b, c)
        a = b = c % 10;
    }
    return c;
}

int main(void)
{
    printf("%d %d %d ", chain(), readers_and_writers(), sets());
    printf("%d %d %d %d\n", iterators(), objects(), waits(), diamond());
    return 0;
}
