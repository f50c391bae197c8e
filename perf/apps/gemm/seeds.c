/* The table of the seeds, the programs from which heist grew. */
#include "apps/gemm/seeds.h"

static const struct gemm_seeds_row rows[] = {
#define ROW(threads, gflops, percent) {threads, gflops, percent / 100.0},
    GEMM_SEEDS(ROW)
#undef ROW
};

const struct gemm_seeds_row *gemm_seeds_row(const struct gemm_product *product, unsigned threads)
{
    if (product->type != GEMM_DOUBLE || product->m != 1000 || product->n != 1000 || product->k != 1000) return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].threads == threads) return &rows[i];
    return NULL;
}
