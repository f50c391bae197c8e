/* The check. A product costs n^3, but c*x against a*(b*x) costs n^2. For a random x of signs a row with one wrong entry
 * differs for certain, a row with several at least every second time; four such x are tried. Some entries are also
 * computed anew and compared one by one, because the bound for one entry is closer than that for a row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/strassen/strassen.h"

#define UNIT 1.1102230246251565e-16 /* half the distance from 1 to the next double */
#define VECTORS 4
#define SAMPLES 64

/* N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 23.3: the bound for Winograd's form
 * with the usual product below n0, the greatest entries of the factors being 1. */
double strassen_error_bound(size_t n, size_t cutoff)
{
    double n0 = (double)n;
    while (n0 > (double)cutoff) n0 /= 2;
    return (pow((double)n / n0, log2(18)) * (n0 * n0 + 6 * n0) - 6 * (double)n) * UNIT;
}

/* A row's difference is a sum of n errors with random signs. It exceeds 9 sqrt(n) times the greatest of them with
 * probability 2 exp(-81/2) < 1e-17 (Hoeffding). What is added is the rounding of the comparison itself: n^2 products,
 * summed in rows of n twice over, and the sum of the result's row. */
static double row_bound(size_t n, size_t cutoff)
{
    double size = (double)n;
    return 9 * sqrt(size) * strassen_error_bound(n, cutoff) + 3 * size * UNIT * size * size;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void times(const double *matrix, const double *x, size_t n, double *y)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += matrix[i * n + j] * x[j];
        y[i] = sum;
    }
}

/* `room` for four vectors. The first row whose difference is too large; n if there is none. */
static size_t wrong_row(const struct strassen_job *job, uint64_t *random, double *room)
{
    size_t n = job->n;
    double *x = room, *bx = x + n, *abx = bx + n, *cx = abx + n, bound = row_bound(n, job->cutoff);
    for (size_t i = 0; i < n; i++) x[i] = next_random(random) >> 63 ? 1 : -1;
    times(job->b, x, n, bx);
    times(job->a, bx, n, abx);
    times(job->c, x, n, cx);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(cx[i] - abx[i]) <= bound)) return i; /* in this form, a NaN is wrong, too */
    return n;
}

/* An entry with the least possible error: neither the products nor their sums are rounded noticeably. */
static double exact_entry(const struct strassen_job *job, size_t row, size_t column)
{
    double sum = 0, rest = 0;
    for (size_t k = 0; k < job->n; k++) {
        double x = job->a[row * job->n + k], y = job->b[k * job->n + column];
        double product = x * y, next = sum + product, part = next - sum;
        rest += fma(x, y, -product) + ((sum - (next - part)) + (product - part));
        sum = next;
    }
    return sum + rest;
}

static bool wrong_sample(const struct strassen_job *job, uint64_t *random, char *says, size_t room)
{
    double bound = strassen_error_bound(job->n, job->cutoff);
    for (int i = 0; i < SAMPLES; i++) {
        size_t row = next_random(random) % job->n, column = next_random(random) % job->n;
        double is = job->c[row * job->n + column], should = exact_entry(job, row, column);
        if (fabs(is - should) <= bound) continue;
        snprintf(says, room, "entry (%zu, %zu) is %.17g, not %.17g, and may be wrong by %.3g", row, column, is, should,
                 bound);
        return true;
    }
    return false;
}

void strassen_verify(const struct strassen_job *job, char *says, size_t room)
{
    uint64_t random = 0x2545f4914f6cdd1du;
    double *vectors = malloc(4 * job->n * sizeof *vectors);
    if (!vectors) {
        snprintf(says, room, "no memory for the check");
        return;
    }
    size_t row = job->n;
    for (int i = 0; i < VECTORS && row == job->n; i++) row = wrong_row(job, &random, vectors);
    free(vectors);
    if (row < job->n) {
        snprintf(says, room, "row %zu times a random vector differs by more than %.3g", row,
                 row_bound(job->n, job->cutoff));
    } else if (!wrong_sample(job, &random, says, room)) {
        snprintf(says, room, "ok");
    }
}
