/* The table of the programs that heist grew from. */
#include "apps/gemm/seeds.h"

static const struct gemm_seeds_row rows[] = {
    {1, 3.5, 1.00}, {2, 6.9, 0.99}, {4, 13.5, 0.97}, {8, 28.2, 1.01}, {16, 48.8, 0.87},
};

const struct gemm_seeds_row *gemm_seeds_row(const struct gemm_product *product, unsigned threads)
{
    if (product->type != GEMM_DOUBLE || product->m != 1000 || product->n != 1000 || product->k != 1000) return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].threads == threads) return &rows[i];
    return NULL;
}
