/* The check: every entry of C takes part in it, after every run.
 *
 * Let X have a column for each strip of w neighbouring columns of C, with weights x_j, 1 <= |x_j| < 2, in that strip
 * and zeros elsewhere. Then C' = C + A*B has C'X = CX + A(BX), and the right side costs m*k*n/w instead of m*k*n, once.
 * w is 1 where that can be afforded (each entry against its own reference), else the least power of two that can.
 *
 * How far apart may both sides be? Sums of k+1 terms in a precision of unit u, in any order, with or without fused
 * multiply-add, are off by at most gamma(k+1) * (|C| + |A||B|), entry by entry, where gamma(t) = t*u / (1 - t*u). Here
 * the left side adds w terms more in double precision, and the right side is itself a sum of k + w + 1 in double
 * precision; so, with M = (|C| + |A||B|)|X|,
 *   |left - right| <= (gamma_type(k+1) + gamma_double(w+1) * (1 + gamma_type(k+1)) + gamma_double(k+w+2)) * M.
 * |A||B| is not computed: by Cauchy and Schwarz row i and column j give at most the product of their lengths. So the
 * bound is one that holds for certain, for every machine, order and library; one entry that is wrong by more than twice
 * the bound is always found, for its weight is not zero. Two wrong ones hide each other only if their errors fit their
 * weights. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/gemm/check.h"

#define AFFORDABLE 2e8 /* multiply-adds, some tenths of a second */

struct gemm_check {
    size_t width, strips;
    double *weights; /* n of them */
    double *right;   /* m by strips */
    double *bound;   /* m by strips */
};

/* Four numbers at a time: the reference is most of what a check costs. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

static double at(gemm_type type, const void *matrix, size_t index)
{
    return type == GEMM_DOUBLE ? ((const double *)matrix)[index] : (double)((const float *)matrix)[index];
}

static double gamma_of(size_t terms, double unit)
{
    double tu = (double)terms * unit;
    return tu / (1 - tu);
}

size_t gemm_check_width(const struct gemm_product *p)
{
    size_t width = 1;
    while (width < p->n && (double)p->m * (double)p->k * (double)p->n / (double)width > AFFORDABLE) width *= 2;
    return width;
}

/* Weights from 1 up to 2 with either sign; all 1 where each entry is a strip of its own. */
static void choose_weights(struct gemm_check *check, size_t n, uint64_t seed)
{
    for (size_t j = 0; j < n; j++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double weight = 1 + (double)(seed >> 40) / 16777216.0;
        check->weights[j] = check->width == 1 ? 1 : (seed >> 39 & 1) ? -weight : weight;
    }
}

/* Row i of a matrix n wide times X. */
static void strip_sums(const struct gemm_check *check, gemm_type type, const void *matrix, size_t from, size_t n,
                       double *sums)
{
    for (size_t s = 0; s < check->strips; s++) {
        size_t end = (s + 1) * check->width < n ? (s + 1) * check->width : n;
        double sum = 0;
        for (size_t j = s * check->width; j < end; j++) sum += at(type, matrix, from + j) * check->weights[j];
        sums[s] = sum;
    }
}

static void add_multiple(double *to, double factor, const double *from, size_t count)
{
    size_t s = 0;
    for (; s + 4 <= count; s += 4) *(four *)(void *)(to + s) += factor * *(const four *)(const void *)(from + s);
    for (; s < count; s++) to[s] += factor * from[s];
}

/* CX + A(BX); `bx` is k by strips. Rows of bx in blocks, so that they stay in a cache while A's rows pass by. */
static void right_side(struct gemm_check *check, const struct gemm_product *p, double *bx)
{
    const size_t block = 64;
    for (size_t q = 0; q < p->k; q++) strip_sums(check, p->type, p->b, q * p->ldb, p->n, bx + q * check->strips);
    for (size_t i = 0; i < p->m; i++)
        strip_sums(check, p->type, p->c, i * p->ldc, p->n, check->right + i * check->strips);
    for (size_t first = 0; first < p->k; first += block) {
        size_t end = first + block < p->k ? first + block : p->k;
        for (size_t i = 0; i < p->m; i++)
            for (size_t q = first; q < end; q++)
                add_multiple(check->right + i * check->strips, at(p->type, p->a, i * p->lda + q),
                             bx + q * check->strips, check->strips);
    }
}

/* The terms of the bound for one row: (|C| + length of A's row * lengths of B's columns) |X|. */
static void row_bounds(struct gemm_check *check, const struct gemm_product *p, size_t i, const double *lengths,
                       double factor)
{
    double length = 0;
    for (size_t q = 0; q < p->k; q++) {
        double x = at(p->type, p->a, i * p->lda + q);
        length += x * x;
    }
    length = sqrt(length);
    for (size_t s = 0; s < check->strips; s++) {
        size_t end = (s + 1) * check->width < p->n ? (s + 1) * check->width : p->n;
        double sum = 0;
        for (size_t j = s * check->width; j < end; j++)
            sum += (fabs(at(p->type, p->c, i * p->ldc + j)) + length * lengths[j]) * fabs(check->weights[j]);
        check->bound[i * check->strips + s] = factor * sum;
    }
}

static void bounds(struct gemm_check *check, const struct gemm_product *p, double *lengths)
{
    const double unit_double = DBL_EPSILON / 2;
    double unit = p->type == GEMM_DOUBLE ? unit_double : (double)FLT_EPSILON / 2;
    double product = gamma_of(p->k + 1, unit);
    double factor = product + gamma_of(check->width + 1, unit_double) * (1 + product) +
                    gamma_of(p->k + check->width + 2, unit_double);
    factor *= 1 + gamma_of(2 * p->k + check->width + 8, unit_double); /* the bound is computed with rounding, too */
    for (size_t j = 0; j < p->n; j++) lengths[j] = 0;
    for (size_t q = 0; q < p->k; q++)
        for (size_t j = 0; j < p->n; j++) {
            double x = at(p->type, p->b, q * p->ldb + j);
            lengths[j] += x * x;
        }
    for (size_t j = 0; j < p->n; j++) lengths[j] = sqrt(lengths[j]);
    for (size_t i = 0; i < p->m; i++) row_bounds(check, p, i, lengths, factor);
}

static double *numbers(size_t rows, size_t columns)
{
    return calloc(rows * columns + 1, sizeof(double));
}

struct gemm_check *gemm_check_new(const struct gemm_product *before, size_t width, uint64_t seed)
{
    struct gemm_check *check = calloc(1, sizeof *check);
    if (!check) return NULL;
    check->width = width;
    check->strips = (before->n + check->width - 1) / check->width;
    check->weights = numbers(before->n, 1);
    check->right = numbers(before->m, check->strips);
    check->bound = numbers(before->m, check->strips);
    double *bx = numbers(before->k, check->strips), *lengths = numbers(before->n, 1);
    bool whole = check->weights && check->right && check->bound && bx && lengths;
    if (whole) {
        choose_weights(check, before->n, seed);
        right_side(check, before, bx);
        bounds(check, before, lengths);
    }
    free(bx);
    free(lengths);
    if (whole) return check;
    gemm_check_free(check);
    return NULL;
}

/* Names the entries of C that the strip covers. */
static void tell(const struct gemm_check *check, size_t n, size_t i, size_t s, double off, char *verdict, size_t room)
{
    size_t first = s * check->width, last = first + check->width < n ? first + check->width - 1 : n - 1;
    double bound = check->bound[i * check->strips + s];
    if (first == last)
        snprintf(verdict, room, "C[%zu][%zu] is off by %.3g, more than its bound %.3g", i, first, off, bound);
    else
        snprintf(verdict, room, "C[%zu][%zu..%zu], weighted, is off by %.3g, more than its bound %.3g", i, first, last,
                 off, bound);
}

void gemm_check_result(const struct gemm_check *check, const struct gemm_product *after, char *verdict, size_t room)
{
    for (size_t i = 0; i < after->m; i++)
        for (size_t s = 0; s < check->strips; s++) {
            size_t end = (s + 1) * check->width < after->n ? (s + 1) * check->width : after->n;
            double left = 0;
            for (size_t j = s * check->width; j < end; j++)
                left += at(after->type, after->c, i * after->ldc + j) * check->weights[j];
            double off = fabs(left - check->right[i * check->strips + s]);
            if (off <= check->bound[i * check->strips + s]) continue; /* false for a NaN */
            tell(check, after->n, i, s, off, verdict, room);
            return;
        }
    snprintf(verdict, room, "ok");
}

void gemm_check_free(struct gemm_check *check)
{
    if (!check) return;
    free(check->weights);
    free(check->right);
    free(check->bound);
    free(check);
}
