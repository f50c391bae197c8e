/* A loop and a reduction, with OpenMP: see norm.c.
 * Prints: 2.250e+10 */
#include <stdio.h>

#define COUNT 300000

int main(void)
{
    static double a[COUNT];
    double most = 0;
#pragma omp parallel for
    for (int i = 0; i < COUNT; i++) a[i] = (double)(i % 2 ? i : -i);
#pragma omp parallel for reduction(max : most)
    for (int i = 0; i < COUNT; i++) {
        double square = a[i] * a[i] * 0.25;
        if (square > most) most = square;
    }
    printf("%.3e\n", most);
    return 0;
}
