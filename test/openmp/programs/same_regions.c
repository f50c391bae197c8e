/* Regions begun again and again from the same places. A region's team, function and arguments are kept for the next
 * one. They must not be taken for those of another region: with more threads or fewer, other variables, or within the
 * first. */
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 14 };
static int wrong;

/* Alone, too, libomp 14 loses memory of its own when a region is larger than those before. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libomp.so";
}

/* Every thread of the region takes part, and every task runs. */
static void empty(int threads)
{
    int tasks = 0, came = 0;
#pragma omp parallel num_threads(threads) shared(tasks, came)
    {
#pragma omp atomic
        came++;
#pragma omp task shared(tasks)
#pragma omp atomic
        tasks++;
    }
    wrong += came != threads || tasks != threads;
}

/* Six variables: more than are passed along with the region itself. */
static void with_six(int threads, int round)
{
    int a = round, b = round + 1, c = round + 2, d = round + 3, e = 0, f = 0;
#pragma omp parallel num_threads(threads) shared(a, b, c, d, e, f)
    {
#pragma omp task shared(a, b, e)
#pragma omp atomic
        e += a + b;
#pragma omp task shared(c, d, f)
#pragma omp atomic
        f += c + d;
    }
    wrong += e != threads * (2 * round + 1) || f != threads * (2 * round + 5);
}

/* Another region from within, of another size, and again one after it. */
static void around(int threads, int round)
{
    int inner = 0;
#pragma omp parallel num_threads(threads) shared(inner)
    {
#pragma omp single
#pragma omp parallel num_threads(threads + 1) shared(inner)
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(inner) firstprivate(i, round)
#pragma omp atomic
            inner += i + round;
        }
    }
    wrong += inner != 45 + 10 * round;
}

int main(void)
{
    static const int sizes[] = {2, 2, 5, 1, 3, 8, 2};
    omp_set_dynamic(0);
    for (int round = 0; round < ROUNDS; round++) {
        int threads = sizes[round % 7];
        empty(threads);
        with_six(threads, round);
        with_six(sizes[(round + 3) % 7], -round);
        around(sizes[(round + 1) % 7], round);
        empty(sizes[(round + 2) % 7]);
    }
    printf("%d wrong\n", wrong);
    return 0;
}
