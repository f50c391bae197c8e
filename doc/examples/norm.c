/* A loop and a reduction: norm_openmp.c on heist.
 * Prints: 2.250e+10 */
#include <heist/heist.h>
#include <stdio.h>

#define COUNT 300000

HEIST_LOOP(fill, i, double *, a)
{
    a[i] = (double)(i % 2 ? i : -i);
}

HEIST_FOLD(double, largest_square, 0.0, HEIST_GREATEST, most, i, const double *, a, double, by)
{
    double square = a[i] * a[i] * by;
    return HEIST_GREATEST(most, square);
}

int main(void)
{
    static double a[COUNT];
    double most;
    HEIST_FOR(NULL, fill, heist_upto(COUNT), a);
    HEIST_REDUCE(NULL, &most, largest_square, heist_upto(COUNT), a, 0.25);
    printf("%.3e\n", most);
    return 0;
}
