/* taskloop with every clause but the reductions; signed and unsigned, up and down, empty. */
#include <limits.h>
#include <omp.h>
#include <stdio.h>

#ifdef __clang__ /* before 15 it does not know it */
#define STRICT
#else
#define STRICT                                                                                                         \
    strict:
#endif

int main(void)
{
    enum { N = 103 };
    int hit[N] = {0}, next = 0, parts_grain = 0, parts_num = 0, after = 0, last = -1, wrong = 0;
    long sum = 0;
    unsigned long long usum = 0;
    int once = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(10)
        for (int i = 0; i < N; i++) {
#pragma omp atomic
            hit[i]++;
        }
        for (int i = 0; i < N; i++) wrong += hit[i] != 1; /* taskloop waits for its tasks */
#pragma omp taskloop grainsize(STRICT 10) firstprivate(next)
        for (int i = 0; i < N; i++) {
            if (next++ == 0) { /* the first one of a task: its own copy is still 0 */
#pragma omp atomic
                parts_grain += 1 + 100 * (i % 10);
            }
        }
#pragma omp taskloop num_tasks(STRICT 7) lastprivate(last) firstprivate(next)
        for (int i = 0; i < N; i++) {
            if (next++ == 0) {
#pragma omp atomic
                parts_num++;
            }
            last = i;
        }
#pragma omp taskloop num_tasks(4) nogroup
        for (int i = 0; i < 40; i++) {
#pragma omp atomic
            once++;
        }
#pragma omp taskwait
        after = once;
#pragma omp taskloop collapse(2) grainsize(5)
        for (int i = 0; i < 12; i++) {
            for (int j = 20; j > 0; j -= 3) {
#pragma omp atomic
                sum += i * j;
            }
        }
#pragma omp taskloop
        for (unsigned long long u = ULLONG_MAX - 20; u > ULLONG_MAX - 400; u -= 7) {
#pragma omp atomic
            usum += u;
        }
#pragma omp taskloop
        for (long l = 50; l > -50; l -= 9) {
#pragma omp atomic
            sum += l;
        }
#pragma omp taskloop
        for (int i = 5; i < 5; i++) wrong++;
#pragma omp taskloop if (0) private(next)
        for (int i = 0; i < 30; i++) {
            next = i;
            sum += next;
        }
#pragma omp taskloop final(1) untied mergeable
        for (int i = 0; i < 30; i++) {
#pragma omp atomic
            wrong += !omp_in_final();
        }
#pragma omp taskloop simd num_tasks(3)
        for (int i = 0; i < N; i++) hit[i] += i;
        for (int i = 0; i < N; i++) wrong += hit[i] != i + 1;
    }
    printf("%d %d %d %d %d %ld %llu\n", wrong, parts_grain, parts_num, after, last, sum, usum);
    return 0;
}
