/* A whole product on the calling thread, in the same pieces and the same order as one worker takes them. */
#include "apps/gemm/gemm.h"

static void multiply_tiles(const struct gemm_round *round, const struct gemm_tile *tile)
{
    struct gemm_tile first, second;
    if (gemm_tile_split(round, tile, &first, &second)) {
        multiply_tiles(round, &first);
        multiply_tiles(round, &second);
    } else {
        gemm_tile_multiply(round, tile);
    }
}

static void run_round(const struct gemm_round *round, void *context)
{
    (void)context;
    gemm_pack_a(round, 0, round->row_panels);
    gemm_pack_b(round, 0, round->column_panels);
    struct gemm_tile whole = gemm_tile_whole(round);
    multiply_tiles(round, &whole);
}

void gemm_serial_tiles(const struct gemm_method *method, const struct gemm_product *product, void *workspace,
                       const volatile bool *stop)
{
    gemm_rounds(method, product, workspace, run_round, NULL, stop);
}

size_t gemm_leaf_workspace_size(const struct gemm_method *method, const struct gemm_product *product)
{
    struct gemm_product leaf = *product;
    if (leaf.m > method->blocking.leaf_m) leaf.m = method->blocking.leaf_m;
    if (leaf.n > method->blocking.leaf_n) leaf.n = method->blocking.leaf_n;
    if (leaf.k > method->blocking.leaf_k) leaf.k = method->blocking.leaf_k;
    return gemm_workspace_size(method, &leaf);
}

/* Two workers share no page. */
size_t gemm_leaf_stride(const struct gemm_method *method, const struct gemm_product *product)
{
    const size_t page = 4096;
    return (gemm_leaf_workspace_size(method, product) + page - 1) / page * page;
}

void gemm_leaf_multiply(const struct gemm_method *method, const struct gemm_product *leaf, void *workspace)
{
    if (leaf->m == 0 || leaf->n == 0 || leaf->k == 0) return;
    if (method->blas)
        gemm_blas_multiply(method->blas, leaf);
    else
        gemm_serial_tiles(method, leaf, workspace, NULL);
}

void gemm_serial_recursive(const struct gemm_method *method, const struct gemm_product *product, void *workspace,
                           const volatile bool *stop)
{
    struct gemm_product first, second;
    if (stop && *stop) return;
    if (gemm_product_split(method, product, &first, &second) == GEMM_LEAF) {
        gemm_leaf_multiply(method, product, workspace);
        return;
    }
    gemm_serial_recursive(method, &first, workspace, stop);
    gemm_serial_recursive(method, &second, workspace, stop);
}
