/* Many tasks, many addresses: a wavefront, and one writer after thousands of readers.
 * (libomp 14 now and then crashes here, or does not end.)
 * expect with libomp: 584406 5000 */
#include <stdio.h>

enum { N = 60 };
static long grid[N][N];

int main(void)
{
    char x = 0; /* only its address matters */
    int count = 0, seen = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                if (i == 0 || j == 0) {
                    grid[i][j] = 1;
                    continue;
                }
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j])
                grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 1000003;
            }
        }
#pragma omp taskwait
        for (int i = 0; i < 5000; i++) {
#pragma omp task depend(in : x) shared(count)
#pragma omp atomic
            count++;
        }
#pragma omp task depend(out : x) shared(count, seen)
        seen = count;
    }
    (void)x;
    printf("%ld %d\n", grid[N - 1][N - 1], seen);
    return 0;
}
