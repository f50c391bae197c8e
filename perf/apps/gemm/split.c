/* Divide and conquer: the longest side of a product is halved. Halves of m or n have different parts of C and may run
 * side by side; halves of k add to the same one. */
#include "apps/gemm/gemm.h"

gemm_split gemm_product_split(const struct gemm_method *method, const struct gemm_product *whole,
                              struct gemm_product *first, struct gemm_product *second)
{
    const struct gemm_blocking *blocking = &method->blocking;
    size_t size = gemm_type_size(whole->type);
    size_t m = whole->m > blocking->leaf_m ? whole->m : 0, n = whole->n > blocking->leaf_n ? whole->n : 0;
    size_t k = whole->k > blocking->leaf_k ? whole->k : 0;
    if (!m && !n && !k) return GEMM_LEAF;
    *first = *second = *whole;
    if (m >= n && m >= k) {
        /* at a multiple of the panels: a panel cut in the middle wastes computation */
        size_t half = (m / 2 + method->kernel->rows - 1) / method->kernel->rows * method->kernel->rows;
        first->m = half;
        second->m -= half;
        second->a = (const char *)whole->a + half * whole->lda * size;
        second->c = (char *)whole->c + half * whole->ldc * size;
        return GEMM_BOTH;
    }
    if (n >= k) {
        size_t half = (n / 2 + method->kernel->columns - 1) / method->kernel->columns * method->kernel->columns;
        first->n = half;
        second->n -= half;
        second->b = (const char *)whole->b + half * size;
        second->c = (char *)whole->c + half * size;
        return GEMM_BOTH;
    }
    size_t half = k / 2;
    first->k = half;
    second->k -= half;
    second->a = (const char *)whole->a + half * size;
    second->b = (const char *)whole->b + half * whole->ldb * size;
    return GEMM_IN_TURN;
}
