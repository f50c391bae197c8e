/* Loops: typed and plain bodies, two dimensions, an early end.
 * Prints: 1998 3996 found 700 */
#include <heist/heist.h>
#include <stdio.h>

#define COUNT 1000
#define SIDE 100

HEIST_LOOP(scale, i, double *, a, double, by) /* one iteration, as a function of i */
{
    a[i] *= by;
}

typedef double row[SIDE]; /* a type is written without a hole for the name: so a pointer to an array needs one */

HEIST_LOOP2(clear_diagonal, i, j, row *, m)
{
    if (i == j) m[i][j] = 0;
}

HEIST_LOOP_UNTIL(find, i, const double *, a, double, wanted, int64_t *, where)
{
    if (a[i] != wanted) return 0; /* go on */
    *where = i;
    return 1; /* no further batch begins */
}

/* The same as `scale` without macros: a part of the range at a time. */
static int double_part(heist_range part, void *context)
{
    double *a = context;
    for (int64_t i = part.begin; i < part.end; i++) a[i] *= 2;
    return 0; /* anything else ends the loop early */
}

int main(void)
{
    static double a[COUNT];
    static row m[SIDE];
    int64_t where = -1;
    for (int i = 0; i < COUNT; i++) a[i] = i;

    HEIST_FOR(NULL, scale, heist_upto(COUNT), a, 2.0); /* for (int64_t i = 0; i < COUNT; i++) */
    printf("%g ", a[999]);
    heist_for(NULL, heist_between(0, COUNT), double_part, a, NULL);
    printf("%g ", a[999]);

    HEIST_FOR2(NULL, clear_diagonal, heist_upto(SIDE), heist_upto(SIDE), m);

    heist_loop_options options = {.schedule = HEIST_SCHEDULE_SHARED, .batch = 10};
    if (HEIST_FOR_WITH(&options, NULL, find, heist_upto(COUNT), a, 2800.0, &where) == 1)
        printf("found %d\n", (int)where);
    return 0;
}
