/* The product at the bottom of the recursion. Both factors are copied, block by block, into dense memory: rows that are
 * a power of two apart fall on the same few lines of a cache. */
#include <string.h>

#include "apps/strassen/strassen.h"

#define BLOCK 64

/* A block's product: c = a * b, or c + a * b with `add`, where a has m rows, b has panels of two vectors' width, and m
 * is a multiple of 16. Four rows by two vectors of the result are in registers at a time. */
typedef void block_product(double *c, size_t stride, const double *a, const double *b, size_t m, bool add);

/* Writes the sums in the two vectors of a row to the result. */
#define STORE_ROW(row, left, right)                                                                                    \
    {                                                                                                                  \
        double *to = c + (i + (row)) * stride + j;                                                                     \
        vector before[2];                                                                                              \
        if (add) {                                                                                                     \
            memcpy(before, to, sizeof before);                                                                         \
            left += before[0];                                                                                         \
            right += before[1];                                                                                        \
        }                                                                                                              \
        memcpy(to, &left, sizeof left);                                                                                \
        memcpy(to + sizeof left / sizeof *to, &right, sizeof right);                                                   \
    }

#define DEFINE_BLOCK_PRODUCT(name, width, attributes)                                                                  \
    attributes static void name(double *c, size_t stride, const double *a, const double *b, size_t m, bool add)        \
    {                                                                                                                  \
        typedef double vector __attribute__((vector_size((width) * sizeof(double))));                                  \
        for (size_t j = 0; j < m; j += 2 * (width)) {                                                                  \
            for (size_t i = 0; i < m; i += 4) {                                                                        \
                vector s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0}, s20 = {0}, s21 = {0}, s30 = {0}, s31 = {0};         \
                const double *a0 = a + i * m, *a1 = a0 + m, *a2 = a1 + m, *a3 = a2 + m;                                \
                const vector *panel = (const vector *)(const void *)(b + j * m);                                       \
                for (size_t k = 0; k < m; k++) {                                                                       \
                    vector b0 = panel[2 * k], b1 = panel[2 * k + 1];                                                   \
                    s00 += a0[k] * b0;                                                                                 \
                    s01 += a0[k] * b1;                                                                                 \
                    s10 += a1[k] * b0;                                                                                 \
                    s11 += a1[k] * b1;                                                                                 \
                    s20 += a2[k] * b0;                                                                                 \
                    s21 += a2[k] * b1;                                                                                 \
                    s30 += a3[k] * b0;                                                                                 \
                    s31 += a3[k] * b1;                                                                                 \
                }                                                                                                      \
                STORE_ROW(0, s00, s01)                                                                                 \
                STORE_ROW(1, s10, s11)                                                                                 \
                STORE_ROW(2, s20, s21)                                                                                 \
                STORE_ROW(3, s30, s31)                                                                                 \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_BLOCK_PRODUCT(product_portable, 2, )
#if defined(__x86_64__)
DEFINE_BLOCK_PRODUCT(product_avx2, 4, __attribute__((target("avx2,fma"))))
DEFINE_BLOCK_PRODUCT(product_avx512, 8, __attribute__((target("avx512f"))))
#endif

/* The best variant for the processor, and how many columns its panels have. */
static block_product *best_product(size_t *panel)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        *panel = 16;
        return product_avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        *panel = 8;
        return product_avx2;
    }
#endif
    *panel = 4;
    return product_portable;
}

static void copy_rows(double *to, struct strassen_square from, size_t row, size_t column, size_t m)
{
    for (size_t i = 0; i < m; i++) memcpy(to + i * m, from.at + (row + i) * from.stride + column, m * sizeof *to);
}

static void copy_panels(double *to, struct strassen_square from, size_t row, size_t column, size_t m, size_t width)
{
    for (size_t j = 0; j < m; j += width)
        for (size_t i = 0; i < m; i++, to += width)
            for (size_t x = 0; x < width; x += 4) /* pieces of fixed size need no call */
                memcpy(to + x, from.at + (row + i) * from.stride + column + j + x, 4 * sizeof *to);
}

static void multiply_plainly(const struct strassen_product *p)
{
    for (size_t i = 0; i < p->n; i++) {
        for (size_t j = 0; j < p->n; j++) {
            double sum = 0;
            for (size_t k = 0; k < p->n; k++)
                sum += p->left.at[i * p->left.stride + k] * p->right.at[k * p->right.stride + j];
            p->to.at[i * p->to.stride + j] = sum;
        }
    }
}

void strassen_base(const struct strassen_product *p)
{
    size_t m = p->n < BLOCK ? p->n : BLOCK, width;
    block_product *product = best_product(&width);
    if (m == 0 || m % 16 != 0 || p->n % m != 0) {
        multiply_plainly(p);
        return;
    }
    _Alignas(64) double a[BLOCK * BLOCK], b[BLOCK * BLOCK];
    for (size_t j = 0; j < p->n; j += m) {
        for (size_t k = 0; k < p->n; k += m) {
            copy_panels(b, p->right, k, j, m, width);
            for (size_t i = 0; i < p->n; i += m) {
                copy_rows(a, p->left, i, k, m);
                product(p->to.at + i * p->to.stride + j, p->to.stride, a, b, m, k > 0);
            }
        }
    }
}
