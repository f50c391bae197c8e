/* The product at the bottom of strassen against three plain loops: for test_apps.c and the machine of test/avx512. */
#ifndef STRASSEN_SAMPLE_H
#define STRASSEN_SAMPLE_H

#include "apps/strassen/strassen.h"
#include "unity.h"

/* A whole number, so that nothing is rounded. */
static double small_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33 & 127) - 64;
}

static void the_base_multiplies_parts_of_larger_matrices(void)
{
    enum { STRIDE = 131, MOST = 128 };
    /* vectors from 16 on where it is a multiple of that, several blocks from 128 on */
    static const size_t sides[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 32, 36, 48, 64, 68, MOST};
    static double a[STRIDE * MOST], b[STRIDE * MOST], c[STRIDE * MOST];
    uint64_t seed = 21;
    for (size_t i = 0; i < STRIDE * MOST; i++) {
        a[i] = small_number(&seed);
        b[i] = small_number(&seed);
    }
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++) {
        size_t n = sides[s];
        for (size_t i = 0; i < STRIDE * MOST; i++) c[i] = 0.5;
        struct strassen_product p = {{c + 1, STRIDE}, {a + 1, STRIDE}, {b + 3, STRIDE}, n, NULL};
        strassen_base(&p);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                double sum = 0;
                for (size_t k = 0; k < n; k++) sum += p.left.at[i * STRIDE + k] * p.right.at[k * STRIDE + j];
                TEST_ASSERT_TRUE(sum == p.to.at[i * STRIDE + j]);
                p.to.at[i * STRIDE + j] = 0.5;
            }
        }
        for (size_t i = 0; i < STRIDE * MOST; i++) TEST_ASSERT_TRUE(c[i] == 0.5); /* nothing else was touched */
    }
}

#endif
