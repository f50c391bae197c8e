/* A program that creates no tasks, so that its regions are the runtime's: each variable is an argument of the
 * function that clang makes of a region, and all of them are to arrive. */
#include <stdio.h>

#define FOUR(x) x##0 = 0, x##1 = 1, x##2 = 2, x##3 = 3
#define SET(x) ((x##0 += 7), (x##1 += 7), (x##2 += 7), (x##3 += 7))
#define SUM(x) (x##0 + 10 * x##1 + 100 * x##2 + 1000 * x##3)
#define SIXTEEN(x) FOUR(x##a), FOUR(x##b), FOUR(x##c), FOUR(x##d)
#define SET_16(x) (SET(x##a), SET(x##b), SET(x##c), SET(x##d))
#define SUM_16(x) (SUM(x##a) + 3 * SUM(x##b) + 5 * SUM(x##c) + 7 * SUM(x##d))

static int runs; /* of regions with no variable at all */

static void none(void)
{
#pragma omp parallel num_threads(3)
#pragma omp master
    runs++;
}

static long four(void)
{
    int FOUR(p);
#pragma omp parallel num_threads(3)
#pragma omp master
    SET(p);
    return SUM(p);
}

static long seventeen(void)
{
    int SIXTEEN(p), q = 1;
#pragma omp parallel num_threads(2)
#pragma omp master
    SET_16(p), q++;
    return SUM_16(p) + q;
}

static long many(void)
{
    int SIXTEEN(p), SIXTEEN(q), SIXTEEN(r), SIXTEEN(s), t = 1;
#pragma omp parallel num_threads(2)
#pragma omp master
    SET_16(p), SET_16(q), SET_16(r), SET_16(s), t++;
    return SUM_16(p) + 11 * SUM_16(q) + 13 * SUM_16(r) + 17 * SUM_16(s) + t;
}

int main(void)
{
    long sum = 0;
    for (int round = 0; round < 20; round++) {
        none();
        sum = sum * 3 % 1000003 + four() + seventeen() + many();
    }
    printf("%d %ld\n", runs, sum);
    return 0;
}
