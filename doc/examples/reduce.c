/* Reductions: a dot product, and the place of the largest number.
 * Prints: 332833500 at 617 */
#include <heist/heist.h>
#include <stdio.h>

#define COUNT 1000

HEIST_FOLD(double, dot, 0.0, HEIST_PLUS, sum, i, const double *, x, const double *, y)
{
    return sum + x[i] * y[i];
}

/* Any associative operation will do, here on a struct. */
struct largest {
    double value;
    int64_t at;
};

static struct largest larger(struct largest a, struct largest b)
{
    return b.value > a.value ? b : a;
}

HEIST_FOLD(struct largest, find_largest, ((struct largest){-1, -1}), larger, best, i, const double *, x)
{
    return larger(best, (struct largest){x[i], i});
}

int main(void)
{
    static double x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) x[i] = y[i] = i;
    double product;
    heist_loop_options options = {.deterministic = true}; /* the same bits, whatever the number of workers */
    if (HEIST_REDUCE_WITH(&options, NULL, &product, dot, heist_upto(COUNT), x, y) != 0) return 1;
    x[617] = 5000;
    struct largest best;
    if (HEIST_REDUCE(NULL, &best, find_largest, heist_upto(COUNT), x) != 0) return 1;
    printf("%.0f at %d\n", product, (int)best.at);
    return 0;
}
