/* One product against three plain loops, and the ways to compute it: shared by test_gemm.c and the machine of
 * test/avx512. */
#ifndef GEMM_SAMPLE_H
#define GEMM_SAMPLE_H

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heist/heist.h>

#include "apps/gemm/gemm.h"
#include "unity.h"

static heist_pool *pool;

static void start_pool(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL(pool);
}

static void end_pool(void)
{
    TEST_ASSERT_EQUAL(0, heist_pool_free(pool));
}

/* ---- one product against three loops ---- */

/* Between the lines and behind them. In A and B a number that would be seen in C; in C one that even adding 0
 * changes. */
#define UNREAD 77.0
#define UNTOUCHED (-0.0)

static double get(gemm_type type, const void *matrix, size_t index)
{
    return type == GEMM_DOUBLE ? ((const double *)matrix)[index] : (double)((const float *)matrix)[index];
}

static void put(gemm_type type, void *matrix, size_t index, double value)
{
    if (type == GEMM_DOUBLE)
        ((double *)matrix)[index] = value;
    else
        ((float *)matrix)[index] = (float)value;
}

static void *matrix(gemm_type type, size_t rows, size_t columns, size_t stride, double filler, uint64_t seed)
{
    void *m = malloc((rows * stride + 1) * gemm_type_size(type));
    TEST_ASSERT_NOT_NULL(m);
    for (size_t i = 0; i < rows * stride + 1; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bool inside = i % stride < columns && i < rows * stride;
        put(type, m, i, inside ? (double)(int64_t)seed / 9223372036854775808.0 : filler);
    }
    return m;
}

struct sample {
    struct gemm_product product;
    void *a, *b, *c, *before;
};

static struct sample sample_new(gemm_type type, size_t m, size_t n, size_t k, size_t padding)
{
    size_t lda = k + padding, ldb = n + 2 * padding, ldc = n + 3 * padding;
    if (lda == 0) lda = 1;
    if (ldb == 0) ldb = ldc = 1;
    struct sample s = {.a = matrix(type, m, k, lda, UNREAD, 11),
                       .b = matrix(type, k, n, ldb, UNREAD, 12),
                       .c = matrix(type, m, n, ldc, UNTOUCHED, 13)};
    s.before = matrix(type, m, n, ldc, UNTOUCHED, 13);
    s.product = (struct gemm_product){type, m, n, k, s.a, lda, s.b, ldb, s.c, ldc};
    return s;
}

static void sample_free(struct sample *s)
{
    free(s->a);
    free(s->b);
    free(s->c);
    free(s->before);
}

static double gamma_of(size_t terms, double unit)
{
    double tu = (double)terms * unit;
    return tu / (1 - tu);
}

/* Entry (i,j) as it should be, and how far off it may be: gamma(k+1) times the sum of the absolute values in the
 * precision that is tested, and the same in double precision for the reference, with as much again for rounding that
 * sum. */
static double expected(const struct sample *s, size_t i, size_t j, double *bound)
{
    const struct gemm_product *p = &s->product;
    double unit = p->type == GEMM_DOUBLE ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;
    double sum = get(p->type, s->before, i * p->ldc + j), size = fabs(sum);
    for (size_t q = 0; q < p->k; q++) {
        double term = get(p->type, s->a, i * p->lda + q) * get(p->type, s->b, q * p->ldb + j);
        sum += term;
        size += fabs(term);
    }
    *bound = (gamma_of(p->k + 1, unit) + 2 * gamma_of(p->k + 1, DBL_EPSILON / 2)) * size;
    return sum;
}

static const char *label(const struct gemm_product *p, const char *what)
{
    static char text[200];
    snprintf(text, sizeof text, "%s, %s, %zux%zux%zu", what, p->type == GEMM_DOUBLE ? "double" : "single", p->m, p->n,
             p->k);
    return text;
}

static void assert_right(const struct sample *s, const char *what)
{
    const struct gemm_product *p = &s->product;
    for (size_t i = 0; i < p->m; i++)
        for (size_t j = 0; j < p->n; j++) {
            double bound, right = expected(s, i, j, &bound);
            double is = get(p->type, s->c, i * p->ldc + j);
            if (!(fabs(is - right) <= bound)) {
                char text[400];
                snprintf(text, sizeof text, "%s: C[%zu][%zu] is %.17g, should be %.17g", label(p, what), i, j, is,
                         right);
                TEST_FAIL_MESSAGE(text);
            }
        }
    for (size_t i = 0; i < p->m * p->ldc + 1; i++)
        if (i % p->ldc >= p->n || i == p->m * p->ldc)
            TEST_ASSERT_TRUE_MESSAGE(get(p->type, s->c, i) == 0 && signbit(get(p->type, s->c, i)), label(p, what));
}

/* ---- ways to compute it ---- */

typedef enum { SERIAL_TILES, SERIAL_RECURSIVE, HEIST_TILES, HEIST_RECURSIVE, WAYS } way;
static const char *const way_names[] = {"serial tiles", "serial recursive", "heist tiles", "heist recursive"};

static void multiply(way how, const struct gemm_method *method, const struct gemm_product *p)
{
    bool leaves = how == SERIAL_RECURSIVE || how == HEIST_RECURSIVE;
    struct gemm_part whole = gemm_part_whole(method, p);
    size_t size = leaves ? 2 * gemm_leaf_stride(method, p) : gemm_part_workspace_size(method, &whole);
    void *workspace = gemm_workspace_new(size);
    TEST_ASSERT_NOT_NULL(workspace);
    memset(workspace, 0x55, size); /* numbers that must not have an effect */
    switch (how) {
    case SERIAL_TILES: gemm_serial_tiles(method, p, workspace, NULL); break;
    case SERIAL_RECURSIVE: gemm_serial_recursive(method, p, workspace, NULL); break;
    case HEIST_TILES: gemm_heist_tiles(pool, method, p, workspace, NULL); break;
    case HEIST_RECURSIVE: gemm_heist_recursive(pool, method, p, workspace, NULL); break;
    case WAYS: break;
    }
    gemm_workspace_free(workspace);
}

/* Caches as small as they come, so that small products have several rounds, slices, tiles and leaves. */
static struct gemm_blocking small_pieces(const struct gemm_kernel *kernel)
{
    return (struct gemm_blocking){
        .slice = 7,
        .round_m = 5 * kernel->rows,
        .round_n = 3 * kernel->columns,
        .round_k = 21,
        .tile_m = 2 * kernel->rows,
        .tile_n = 2 * kernel->columns,
        .leaf_m = 3 * kernel->rows,
        .leaf_n = 3 * kernel->columns,
        .leaf_k = 13,
        .part_least = 4,
        .workers = 2,
    };
}

static void try(const struct gemm_kernel *kernel, const struct gemm_blocking *blocking, way how, size_t m, size_t n,
                size_t k, size_t padding)
{
    struct gemm_method method = {kernel, NULL, *blocking};
    struct sample s = sample_new(kernel->type, m, n, k, padding);
    char what[80];
    snprintf(what, sizeof what, "%s, %s", kernel->name, way_names[how]);
    multiply(how, &method, &s.product);
    assert_right(&s, what);
    sample_free(&s);
}

static struct gemm_blocking chosen(const struct gemm_kernel *kernel, size_t m, size_t n, size_t k)
{
    struct gemm_caches caches = gemm_caches_read();
    return gemm_blocking_choose(kernel, &caches, m, n, k, 2);
}

#endif
