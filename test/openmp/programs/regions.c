/* Regions of every kind, with tasks: with many shared variables, serialized ones within others, leagues of teams. */
#include <omp.h>
#include <stdio.h>

#define FOUR(x) x##0 = 0, x##1 = 0, x##2 = 0, x##3 = 0
#define ADD(x) ((x##0 ++), (x##1 ++), (x##2 ++), (x##3 ++))
#define SUM(x) (x##0 + x##1 + x##2 + x##3)

/* Each variable is an argument of the function that the compiler makes of the region. */
static int few(void)
{
    int FOUR(a), FOUR(b);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(a0, a1, a2, a3, b0, b1, b2, b3)
        ADD(a), ADD(b), b3++;
    }
    return SUM(a) + SUM(b);
}

static int some(void)
{
    int FOUR(a), FOUR(b), FOUR(c), FOUR(d), FOUR(e), FOUR(f), FOUR(g);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        ADD(a), ADD(b), ADD(c), ADD(d), ADD(e), ADD(f), ADD(g), g3 += 3;
    }
    return SUM(a) + SUM(b) + SUM(c) + SUM(d) + SUM(e) + SUM(f) + SUM(g);
}

static int many(void)
{
    int FOUR(a), FOUR(b), FOUR(c), FOUR(d), FOUR(e), FOUR(f), FOUR(g), FOUR(h), FOUR(i), FOUR(j);
    int FOUR(k), FOUR(l), FOUR(m), FOUR(n), FOUR(o), FOUR(p), FOUR(q), FOUR(r), FOUR(s), FOUR(t);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        ADD(a), ADD(b), ADD(c), ADD(d), ADD(e), ADD(f), ADD(g), ADD(h), ADD(i), ADD(j);
#pragma omp task
        ADD(k), ADD(l), ADD(m), ADD(n), ADD(o), ADD(p), ADD(q), ADD(r), ADD(s), ADD(t), t3 += 7;
    }
    int first = SUM(a) + SUM(b) + SUM(c) + SUM(d) + SUM(e) + SUM(f) + SUM(g) + SUM(h) + SUM(i) + SUM(j);
    int second = SUM(k) + SUM(l) + SUM(m) + SUM(n) + SUM(o) + SUM(p) + SUM(q) + SUM(r) + SUM(s) + SUM(t);
    return first * 100 + second;
}

/* Nothing waits for the tasks but the end of the region. */
static int at_the_end(void)
{
    int done = 0;
#pragma omp parallel
#pragma omp single nowait
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(done)
        {
            volatile int work = 0;
            while (work < 2000) work++;
#pragma omp atomic
            done++;
        }
    }
    return done;
}

/* Regions of one thread within tasks of another: their barriers are theirs alone. */
static int serialized(void)
{
    int sum = 0, late = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(sum, late) firstprivate(i)
        {
            int here = 0;
#pragma omp task shared(late)
#pragma omp atomic
            late++;
#pragma omp parallel if (i < 0) shared(here)
            {
#pragma omp task shared(here)
                here += 1;
#pragma omp barrier
                here *= 10;
#pragma omp parallel num_threads(1) shared(here)
                {
#pragma omp task shared(here)
                    here += 2;
                }
#pragma omp for reduction(+ : here)
                for (int j = 0; j < 3; j++) {
#pragma omp parallel if (0)
#pragma omp taskgroup
#pragma omp task shared(here)
                    here += 100;
                }
            }
#pragma omp atomic
            sum += here;
        }
    }
    return sum * 100 + late;
}

static int in_teams(void)
{
    int sum = 0, teams = 0;
#pragma omp teams num_teams(2) thread_limit(2)
    {
        int mine = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
        for (int i = 0; i < 20; i++) {
#pragma omp task shared(mine)
#pragma omp atomic
            mine++;
        }
        __atomic_fetch_add(&sum, mine, __ATOMIC_RELAXED); /* no construct may stand here */
        __atomic_fetch_add(&teams, 1, __ATOMIC_RELAXED);
    }
    return sum == 20 * teams;
}

int main(void)
{
    printf("%d %d %d %d %d %d %d\n", few(), some(), many(), at_the_end(), serialized(), in_teams(), serialized());
    return 0;
}
