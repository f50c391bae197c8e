/* gemm gives the result of three plain loops, within the rounding-error bound, for all shapes, leading dimensions,
 * types, micro-kernels and variants. It touches nothing beside its C, and its check finds one wrong entry. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heist/heist.h>

#include "apps/gemm/blas.h"
#include "apps/gemm/check.h"
#include "apps/gemm/gemm.h"
#include "apps/gemm/work.h"
#include "gemm_sample.h"
#include "test_scale.h"
#include "unity.h"

void setUp(void)
{
    start_pool();
}

void tearDown(void)
{
    end_pool();
}

/* ---- micro-kernels of every shape, also where the machine has no such vectors: the compiler then takes shorter ones
 * ---- */

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunknown-pragmas"
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define KERNEL_FUNCTION wide_double
#define KERNEL_ELEMENT double
#define KERNEL_BYTES 64
#define KERNEL_ROWS 8
#define KERNEL_VECTORS 3
#define KERNEL_TARGET
#include "apps/gemm/kernel_template.h"

#define KERNEL_FUNCTION wide_single
#define KERNEL_ELEMENT float
#define KERNEL_BYTES 64
#define KERNEL_ROWS 8
#define KERNEL_VECTORS 3
#define KERNEL_TARGET
#include "apps/gemm/kernel_template.h"

#define KERNEL_FUNCTION middle_double
#define KERNEL_ELEMENT double
#define KERNEL_BYTES 32
#define KERNEL_ROWS 6
#define KERNEL_VECTORS 2
#define KERNEL_TARGET
#include "apps/gemm/kernel_template.h"

#define KERNEL_FUNCTION middle_single
#define KERNEL_ELEMENT float
#define KERNEL_BYTES 32
#define KERNEL_ROWS 6
#define KERNEL_VECTORS 2
#define KERNEL_TARGET
#include "apps/gemm/kernel_template.h"

/* A number of rows for which packing has no code of its own. */
#define KERNEL_FUNCTION odd_double
#define KERNEL_ELEMENT double
#define KERNEL_BYTES 16
#define KERNEL_ROWS 3
#define KERNEL_VECTORS 1
#define KERNEL_TARGET
#include "apps/gemm/kernel_template.h"

static bool everywhere(void)
{
    return true;
}

static const struct gemm_kernel shapes[] = {
    {"wide", GEMM_DOUBLE, 8, 24, wide_double, everywhere},    {"wide", GEMM_SINGLE, 8, 48, wide_single, everywhere},
    {"middle", GEMM_DOUBLE, 6, 8, middle_double, everywhere}, {"middle", GEMM_SINGLE, 6, 16, middle_single, everywhere},
    {"odd", GEMM_DOUBLE, 3, 2, odd_double, everywhere},
};

/* Those that this machine can run, and the shapes above. */
static size_t all_kernels(const struct gemm_kernel **kernels)
{
    size_t count = 0;
    for (const struct gemm_kernel *const *k = gemm_kernels; *k; k++)
        if ((*k)->usable()) kernels[count++] = *k;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) kernels[count++] = &shapes[i];
    return count;
}
#define MOST_KERNELS 16

/* ---- the tests ---- */

static void every_size_from_1_to_70_is_right_with_every_kernel(void)
{
    const struct gemm_kernel *kernels[MOST_KERNELS];
    size_t count = all_kernels(kernels), step = (size_t)(100 / (test_scale(100) > 0 ? test_scale(100) : 1));
    for (size_t i = 0; i < count; i++)
        for (size_t side = 1; side <= 70; side += step ? step : 1) {
            struct gemm_blocking blocking = chosen(kernels[i], side, side, side);
            try(kernels[i], &blocking, SERIAL_TILES, side, side, side, 0);
        }
}

static void small_pieces_of_every_kind_are_right_in_every_way(void)
{
    static const size_t sides[][3] = {{1, 1, 1},    {1, 70, 40},  {70, 1, 41},  {64, 65, 1},
                                      {33, 67, 29}, {61, 53, 47}, {48, 48, 42}, {70, 150, 43}};
    const struct gemm_kernel *kernels[MOST_KERNELS];
    size_t count = all_kernels(kernels);
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++)
            for (way how = 0; how < WAYS; how++) {
                struct gemm_blocking blocking = small_pieces(kernels[i]);
                try(kernels[i], &blocking, how, sides[s][0], sides[s][1], sides[s][2], 0);
            }
}

static void lines_longer_than_the_matrix_are_left_alone(void)
{
    const struct gemm_kernel *kernels[MOST_KERNELS];
    size_t count = all_kernels(kernels);
    for (size_t i = 0; i < count; i++)
        for (way how = 0; how < WAYS; how++) {
            struct gemm_blocking small = small_pieces(kernels[i]), usual = chosen(kernels[i], 37, 59, 23);
            try(kernels[i], &small, how, 37, 59, 23, 1);
            try(kernels[i], &small, how, 24, 48, 16, 5);
            try(kernels[i], &usual, how, 37, 59, 23, 3);
        }
}

static void an_empty_side_changes_nothing(void)
{
    const struct gemm_kernel *kernels[MOST_KERNELS];
    size_t count = all_kernels(kernels);
    for (size_t i = 0; i < count; i++)
        for (way how = 0; how < WAYS; how++) {
            struct gemm_blocking small = small_pieces(kernels[i]), usual = chosen(kernels[i], 0, 0, 0);
            try(kernels[i], &usual, how, 0, 0, 0, 0);
            try(kernels[i], &small, how, 0, 9, 9, 0);
            try(kernels[i], &small, how, 9, 0, 9, 0);
            try(kernels[i], &small, how, 90, 100, 0, 2);
        }
}

static void usual_pieces_are_right_on_long_and_flat_products(void)
{
    static const size_t sides[][3] = {{200, 210, 220}, {5, 700, 300}, {600, 7, 310}, {30, 31, 1500}, {257, 129, 513}};
    for (gemm_type type = GEMM_DOUBLE; type <= GEMM_SINGLE; type++)
        for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++)
            for (way how = 0; how < WAYS; how++) {
                const struct gemm_kernel *kernel = gemm_kernel_find(type, NULL);
                struct gemm_blocking blocking = chosen(kernel, sides[s][0], sides[s][1], sides[s][2]);
                try(kernel, &blocking, how, sides[s][0], sides[s][1], sides[s][2], 1);
            }
}

/* Whole numbers so small that nothing is rounded: then every order of summation gives the same bits. */
static void without_rounding_every_way_gives_the_same_bits(void)
{
    const struct gemm_kernel *kernel = gemm_kernel_find(GEMM_SINGLE, NULL);
    struct gemm_method method = {kernel, NULL, small_pieces(kernel)};
    struct sample first = sample_new(GEMM_SINGLE, 50, 60, 70, 0);
    for (size_t i = 0; i < 50 * 70; i++) ((float *)first.a)[i] = (float)(i % 17) - 8;
    for (size_t i = 0; i < 70 * 60; i++) ((float *)first.b)[i] = (float)(i % 13) - 6;
    for (size_t i = 0; i < 50 * 60; i++) ((float *)first.before)[i] = (float)(i % 5);
    float *reference = malloc(50 * 60 * sizeof *reference);
    TEST_ASSERT_NOT_NULL(reference);
    for (way how = 0; how < WAYS; how++) {
        memcpy(first.c, first.before, 50 * 60 * sizeof(float));
        multiply(how, &method, &first.product);
        if (how == 0) memcpy(reference, first.c, 50 * 60 * sizeof(float));
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(reference, first.c, 50 * 60 * sizeof(float), way_names[how]);
    }
    assert_right(&first, "whole numbers");
    free(reference);
    sample_free(&first);
}

/* Down to the leaves. */
static void assert_halves(const struct gemm_method *method, const struct gemm_product *whole)
{
    struct gemm_product first, second;
    gemm_split how = gemm_product_split(method, whole, &first, &second);
    if (how == GEMM_LEAF) {
        TEST_ASSERT_TRUE(whole->m <= method->blocking.leaf_m && whole->n <= method->blocking.leaf_n);
        TEST_ASSERT_TRUE(whole->k <= method->blocking.leaf_k);
        return;
    }
    TEST_ASSERT_EQUAL(how == GEMM_IN_TURN, first.c == second.c);
    TEST_ASSERT_TRUE(first.m > 0 && first.n > 0 && first.k > 0 && second.m > 0 && second.n > 0 && second.k > 0);
    TEST_ASSERT_EQUAL_size_t(whole->m * whole->n * whole->k,
                             first.m * first.n * first.k + second.m * second.n * second.k);
    assert_halves(method, &first);
    assert_halves(method, &second);
}

static void halves_with_the_same_c_never_run_side_by_side(void)
{
    static char place; /* only addresses are compared */
    const struct gemm_kernel *kernel = gemm_kernel_find(GEMM_DOUBLE, NULL);
    struct gemm_method method = {kernel, NULL, small_pieces(kernel)};
    struct gemm_product p = {GEMM_DOUBLE, 97, 101, 103, &place, 103, &place, 101, &place, 101};
    assert_halves(&method, &p);
    p.k = 5000;
    assert_halves(&method, &p);
}

/* Down to the parts that are not cut: how many entries of C they have, and where the last one's workspace ends. */
static size_t assert_parts(const struct gemm_method *method, const struct gemm_part *part, size_t *workspace_end)
{
    struct gemm_part first, second;
    if (!gemm_part_split(method, part, &first, &second)) {
        TEST_ASSERT_TRUE(part->workers > 0);
        TEST_ASSERT_EQUAL_size_t_MESSAGE(*workspace_end, part->workspace, "neither a gap nor a common byte");
        *workspace_end += gemm_part_workspace_size(method, part);
        TEST_ASSERT_TRUE(*workspace_end - part->workspace >= gemm_workspace_size(method, &part->product));
        return part->product.m * part->product.n;
    }
    TEST_ASSERT_EQUAL_UINT(part->workers, first.workers + second.workers);
    TEST_ASSERT_TRUE(first.product.m > 0 && first.product.n > 0 && second.product.m > 0 && second.product.n > 0);
    TEST_ASSERT_TRUE_MESSAGE(first.product.c != second.product.c, "both halves begin at the same place");
    size_t entries = assert_parts(method, &first, workspace_end);
    return entries + assert_parts(method, &second, workspace_end);
}

static void parts_have_their_own_places_and_all_of_c(void)
{
    static char place; /* only addresses are compared */
    static const size_t sides[][2] = {{0, 0}, {1, 1}, {7, 300}, {300, 7}, {500, 500}, {1000, 130}, {333, 1777}};
    for (gemm_type type = GEMM_DOUBLE; type <= GEMM_SINGLE; type++)
        for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++)
            for (unsigned workers = 1; workers <= 9; workers++) {
                const struct gemm_kernel *kernel = gemm_kernel_find(type, NULL);
                size_t m = sides[s][0], n = sides[s][1], end = 0;
                struct gemm_caches caches = gemm_caches_read();
                struct gemm_method method = {kernel, NULL, gemm_blocking_choose(kernel, &caches, m, n, 100, workers)};
                struct gemm_product p = {type, m, n, 100, &place, 100, &place, n, &place, n};
                struct gemm_part whole = gemm_part_whole(&method, &p);
                size_t size = gemm_part_workspace_size(&method, &whole);
                TEST_ASSERT_EQUAL_size_t(m * n, assert_parts(&method, &whole, &end));
                TEST_ASSERT_EQUAL_size_t(size, end);
            }
}

static void a_part_is_cut_only_while_packing_is_little_beside_it(void)
{
    const struct gemm_kernel *kernel = gemm_kernel_find(GEMM_DOUBLE, NULL);
    bool rows;
    size_t at;
    TEST_ASSERT_TRUE(gemm_part_cut(kernel, 160, 1000, 500, 3, &rows, &at));
    TEST_ASSERT_TRUE(rows && at >= 666 && at < 666 + 2 * kernel->rows); /* two of three workers' share */
    TEST_ASSERT_TRUE(gemm_part_cut(kernel, 160, 500, 1000, 2, &rows, &at));
    TEST_ASSERT_FALSE(rows);
    TEST_ASSERT_FALSE(gemm_part_cut(kernel, 160, 1000, 500, 1, &rows, &at));
    TEST_ASSERT_FALSE(gemm_part_cut(kernel, 160, 1000, 50, 2, &rows, &at));
    TEST_ASSERT_FALSE(gemm_part_cut(kernel, 160, 200, 200, 2, &rows, &at));
    TEST_ASSERT_FALSE(gemm_part_cut(kernel, 0, kernel->rows, 1, 2, &rows, &at)); /* one panel */
}

static void a_serial_blas_may_compute_the_tiles(void)
{
    const struct gemm_blas *blas;
    char error[200];
    int result = gemm_blas_open(NULL, 1, &blas, error, sizeof error);
    if (result == -ENOTSUP) TEST_IGNORE_MESSAGE(error);
    TEST_ASSERT_EQUAL(0, result);
    for (gemm_type type = GEMM_DOUBLE; type <= GEMM_SINGLE; type++)
        for (way how = 0; how < WAYS; how++) {
            const struct gemm_kernel *kernel = gemm_kernel_find(type, NULL);
            struct gemm_method method = {kernel, blas, small_pieces(kernel)};
            struct sample s = sample_new(type, 61, 53, 47, 2);
            multiply(how, &method, &s.product);
            assert_right(&s, way_names[how]);
            sample_free(&s);
        }
}

static void nothing_runs_after_a_stop(void)
{
    const struct gemm_kernel *kernel = gemm_kernel_find(GEMM_DOUBLE, NULL);
    struct gemm_method method = {kernel, NULL, small_pieces(kernel)};
    struct sample s = sample_new(GEMM_DOUBLE, 40, 40, 40, 0);
    struct gemm_part whole = gemm_part_whole(&method, &s.product);
    const volatile bool stop = true;
    void *workspace =
        gemm_workspace_new(gemm_part_workspace_size(&method, &whole) + 2 * gemm_leaf_stride(&method, &s.product));
    TEST_ASSERT_NOT_NULL(workspace);
    gemm_serial_tiles(&method, &s.product, workspace, &stop);
    gemm_serial_recursive(&method, &s.product, workspace, &stop);
    gemm_heist_tiles(pool, &method, &s.product, workspace, &stop);
    gemm_heist_recursive(pool, &method, &s.product, workspace, &stop);
    TEST_ASSERT_EQUAL_MEMORY(s.before, s.c, 40 * 40 * sizeof(double));
    gemm_workspace_free(workspace);
    sample_free(&s);
}

/* ---- the check ---- */

static bool passes(const struct gemm_check *check, const struct gemm_product *p)
{
    char verdict[200];
    gemm_check_result(check, p, verdict, sizeof verdict);
    return strcmp(verdict, "ok") == 0;
}

/* `least` is an error that must be found, far below what a lost or doubled term makes. */
static void one_wrong_entry_is_found(gemm_type type, size_t side, size_t width, double least)
{
    const struct gemm_kernel *kernel = gemm_kernel_find(type, NULL);
    struct gemm_method method = {kernel, NULL, chosen(kernel, side, side, side)};
    struct sample s = sample_new(type, side, side, side, 1);
    struct gemm_check *check = gemm_check_new(&s.product, width, 5);
    TEST_ASSERT_NOT_NULL(check);
    TEST_ASSERT_FALSE_MESSAGE(passes(check, &s.product), "C as it was before the product");
    multiply(SERIAL_TILES, &method, &s.product);
    TEST_ASSERT_TRUE(passes(check, &s.product));
    static const size_t of_side[][2] = {{0, 0}, {1, 2}, {3, 7}, {5, 5}, {8, 8}}; /* in eighths */
    for (size_t e = 0; e < sizeof of_side / sizeof of_side[0]; e++) {
        size_t i = of_side[e][0] * (side - 1) / 8, j = of_side[e][1] * (side - 1) / 8, at = i * s.product.ldc + j;
        double right = get(type, s.c, at);
        put(type, s.c, at, right + least);
        TEST_ASSERT_FALSE_MESSAGE(passes(check, &s.product), "one entry is too large");
        put(type, s.c, at, (double)NAN);
        TEST_ASSERT_FALSE_MESSAGE(passes(check, &s.product), "one entry is not a number");
        put(type, s.c, at, right);
    }
    TEST_ASSERT_TRUE(passes(check, &s.product));
    gemm_check_free(check);
    sample_free(&s);
}

static void the_check_finds_one_wrong_entry(void)
{
    one_wrong_entry_is_found(GEMM_DOUBLE, 97, 1, 1e-11);
    one_wrong_entry_is_found(GEMM_SINGLE, 97, 1, 1e-3);
}

static void the_check_finds_one_wrong_entry_among_its_neighbours(void)
{
    one_wrong_entry_is_found(GEMM_DOUBLE, 97, 8, 1e-10);
    one_wrong_entry_is_found(GEMM_SINGLE, 97, 8, 1e-2);
    one_wrong_entry_is_found(GEMM_DOUBLE, 150, 32, 1e-9);
    one_wrong_entry_is_found(GEMM_SINGLE, 150, 32, 0.1);
}

/* Two that are exchanged have the same sum, but not with their weights. */
static void the_check_finds_two_neighbours_exchanged(void)
{
    const struct gemm_kernel *kernel = gemm_kernel_find(GEMM_DOUBLE, NULL);
    struct gemm_method method = {kernel, NULL, chosen(kernel, 60, 60, 60)};
    struct sample s = sample_new(GEMM_DOUBLE, 60, 60, 60, 0);
    struct gemm_check *check = gemm_check_new(&s.product, 16, 5);
    TEST_ASSERT_NOT_NULL(check);
    multiply(SERIAL_TILES, &method, &s.product);
    TEST_ASSERT_TRUE(passes(check, &s.product));
    double *c = s.c, left = c[60 * 31 + 17];
    c[60 * 31 + 17] = c[60 * 31 + 18];
    c[60 * 31 + 18] = left;
    TEST_ASSERT_FALSE(passes(check, &s.product));
    gemm_check_free(check);
    sample_free(&s);
}

static void a_check_that_would_take_long_takes_more_columns_together(void)
{
    struct gemm_product p = {.type = GEMM_DOUBLE, .m = 100, .n = 100, .k = 100};
    TEST_ASSERT_EQUAL(1, gemm_check_width(&p));
    p.m = p.n = p.k = 2000;
    size_t width = gemm_check_width(&p);
    TEST_ASSERT_TRUE(width > 1 && width < 128);
    p.m = p.k = 1000000;
    p.n = 3;
    TEST_ASSERT_EQUAL(4, gemm_check_width(&p)); /* never more than there are, rounded up */
}

/* ---- sizes ---- */

static void sizes_are_read_or_refused(void)
{
    static const char *const wrong[] = {"",
                                        "0",
                                        "-1",
                                        "x",
                                        "3x",
                                        "3x4",
                                        "x3x4",
                                        "3x4x5x6",
                                        "3x4x5x",
                                        "1e3",
                                        " 5",
                                        "5 ",
                                        "3x0x4",
                                        "1000001",
                                        "99999999999999999999",
                                        "3X4X5",
                                        "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1"};
    size_t m, n, k;
    char error[200] = "";
    TEST_ASSERT_EQUAL(0, gemm_size_parse("1000", &m, &n, &k, error, sizeof error));
    TEST_ASSERT_TRUE(m == 1000 && n == 1000 && k == 1000);
    TEST_ASSERT_EQUAL(0, gemm_size_parse("3x40x500", &m, &n, &k, error, sizeof error));
    TEST_ASSERT_TRUE(m == 3 && n == 40 && k == 500);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        error[0] = '\0';
        TEST_ASSERT_EQUAL_MESSAGE(-EINVAL, gemm_size_parse(wrong[i], &m, &n, &k, error, sizeof error), wrong[i]);
        TEST_ASSERT_TRUE_MESSAGE(strlen(error) > 0, wrong[i]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_size_from_1_to_70_is_right_with_every_kernel);
    RUN_TEST(small_pieces_of_every_kind_are_right_in_every_way);
    RUN_TEST(lines_longer_than_the_matrix_are_left_alone);
    RUN_TEST(an_empty_side_changes_nothing);
    RUN_TEST(usual_pieces_are_right_on_long_and_flat_products);
    RUN_TEST(without_rounding_every_way_gives_the_same_bits);
    RUN_TEST(halves_with_the_same_c_never_run_side_by_side);
    RUN_TEST(parts_have_their_own_places_and_all_of_c);
    RUN_TEST(a_part_is_cut_only_while_packing_is_little_beside_it);
    RUN_TEST(a_serial_blas_may_compute_the_tiles);
    RUN_TEST(nothing_runs_after_a_stop);
    RUN_TEST(the_check_finds_one_wrong_entry);
    RUN_TEST(the_check_finds_one_wrong_entry_among_its_neighbours);
    RUN_TEST(the_check_finds_two_neighbours_exchanged);
    RUN_TEST(a_check_that_would_take_long_takes_more_columns_together);
    RUN_TEST(sizes_are_read_or_refused);
    return UNITY_END();
}
