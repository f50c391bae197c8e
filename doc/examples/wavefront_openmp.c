/* Dependences between tiles (each needs those above and to the left), with OpenMP's depend: see wavefront.c.
 * Prints: 184756 */
#include <stdio.h>

#define SIDE 11

int main(void)
{
    static long ways[SIDE][SIDE];
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            int up = i ? i - 1 : i, left = j ? j - 1 : j;
#pragma omp task depend(in : ways[up][j], ways[i][left]) depend(out : ways[i][j])
            ways[i][j] = i && j ? ways[i - 1][j] + ways[i][j - 1] : 1;
        }
    }
    printf("%ld\n", ways[SIDE - 1][SIDE - 1]);
    return 0;
}
