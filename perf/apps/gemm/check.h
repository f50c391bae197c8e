/* Checks a product after any run, at a cost of m*n: see check.c. */
#ifndef HEIST_PERF_GEMM_CHECK_H
#define HEIST_PERF_GEMM_CHECK_H

#include "apps/gemm/gemm.h"

struct gemm_check;

/* From A, B and the C before the product; C is not needed later. `width` columns of C are checked together; `seed`
 * chooses their weights. NULL: no memory. */
struct gemm_check *gemm_check_new(const struct gemm_product *before, size_t width, uint64_t seed);

/* The least width with which that takes at most some tenths of a second. */
size_t gemm_check_width(const struct gemm_product *product);

/* Writes "ok" or the error. The product must have the same A, B and shape. */
void gemm_check_result(const struct gemm_check *check, const struct gemm_product *after, char *verdict, size_t room);

void gemm_check_free(struct gemm_check *check);

#endif
