/* Rounds: a product cut so that the packed data of a round stays in the last cache. The order keeps B packed while the
 * rows of A change. */
#include <stdlib.h>
#include <sys/mman.h>

#include "apps/gemm/gemm.h"

#define HUGE_PAGE ((size_t)2 << 20)

static size_t smaller(size_t x, size_t y)
{
    return x < y ? x : y;
}

static size_t panels(size_t length, size_t width)
{
    return (length + width - 1) / width;
}

/* B begins on a new cache line behind A. */
static size_t packed_a_size(const struct gemm_method *method, const struct gemm_product *product)
{
    const struct gemm_blocking *blocking = &method->blocking;
    size_t rows = panels(smaller(product->m, blocking->round_m), method->kernel->rows) * method->kernel->rows;
    return (rows * smaller(product->k, blocking->round_k) * gemm_type_size(product->type) + 63) / 64 * 64;
}

static size_t packed_b_size(const struct gemm_method *method, const struct gemm_product *product)
{
    const struct gemm_blocking *blocking = &method->blocking;
    size_t width = method->kernel->columns;
    size_t columns = panels(smaller(product->n, blocking->round_n), width) * width;
    return columns * smaller(product->k, blocking->round_k) * gemm_type_size(product->type);
}

size_t gemm_workspace_size(const struct gemm_method *method, const struct gemm_product *product)
{
    if (method->blas) return 0;
    return packed_a_size(method, product) + packed_b_size(method, product);
}

void *gemm_workspace_new(size_t size)
{
    size_t rounded = (size / HUGE_PAGE + 1) * HUGE_PAGE;
    void *workspace = aligned_alloc(HUGE_PAGE, rounded);
    if (workspace) madvise(workspace, rounded, MADV_HUGEPAGE); /* refused: costs some cache misses, no more */
    return workspace;
}

void gemm_workspace_free(void *workspace)
{
    free(workspace);
}

static void one_round(struct gemm_round *round, const struct gemm_product *whole, size_t i, size_t j, size_t p)
{
    const struct gemm_blocking *blocking = &round->method->blocking;
    size_t size = gemm_type_size(whole->type);
    struct gemm_product *part = &round->product;
    *part = *whole;
    part->m = smaller(blocking->round_m, whole->m - i);
    part->n = smaller(blocking->round_n, whole->n - j);
    part->k = smaller(blocking->round_k, whole->k - p);
    part->a = (const char *)whole->a + (i * whole->lda + p) * size;
    part->b = (const char *)whole->b + (p * whole->ldb + j) * size;
    part->c = (char *)whole->c + (i * whole->ldc + j) * size;
    round->row_panels = panels(part->m, round->method->kernel->rows);
    round->column_panels = panels(part->n, round->method->kernel->columns);
    round->pack_b = i == 0;
}

void gemm_rounds(const struct gemm_method *method, const struct gemm_product *product, void *workspace,
                 gemm_round_function *run, void *context, const volatile bool *stop)
{
    struct gemm_round round = {.method = method, .packed_a = workspace};
    if (!method->blas) round.packed_b = (char *)workspace + packed_a_size(method, product);
    const struct gemm_blocking *blocking = &method->blocking;
    for (size_t j = 0; j < product->n; j += blocking->round_n)
        for (size_t p = 0; p < product->k; p += blocking->round_k)
            for (size_t i = 0; i < product->m; i += blocking->round_m) {
                if (stop && *stop) return;
                one_round(&round, product, i, j, p);
                run(&round, context);
            }
}
