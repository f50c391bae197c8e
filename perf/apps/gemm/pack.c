/* Packing: copies A and B into panels, in the order in which the micro-kernel reads them. The kernel then reads
 * consecutive memory from few pages, and cache lines do not conflict for any width of the matrices. */
#include <string.h>

#include "apps/gemm/gemm.h"

#define PACK_ELEMENT double
#define PACK_NAME(x) double_##x
#define PACK_LANES 2
#define PACK_LOW 0, 2
#define PACK_HIGH 1, 3
#include "apps/gemm/pack_template.h"

#define PACK_ELEMENT float
#define PACK_NAME(x) single_##x
#define PACK_LANES 4
#define PACK_LOW 0, 4, 1, 5
#define PACK_HIGH 2, 6, 3, 7
#include "apps/gemm/pack_template.h"

static size_t smaller(size_t x, size_t y)
{
    return x < y ? x : y;
}

static void pack_a_panel(const struct gemm_round *round, size_t panel, size_t p, size_t depth)
{
    const struct gemm_product *product = &round->product;
    size_t rows = round->method->kernel->rows, row = panel * rows;
    size_t count = smaller(rows, product->m - row);
    size_t from = row * product->lda + p, to = p * rows * round->row_panels + panel * rows * depth;
    if (product->type == GEMM_DOUBLE)
        double_a_panel((const double *)product->a + from, product->lda, count, depth, rows,
                       (double *)round->packed_a + to);
    else
        single_a_panel((const float *)product->a + from, product->lda, count, depth, rows,
                       (float *)round->packed_a + to);
}

static void pack_b_panels(const struct gemm_round *round, size_t first, size_t end, size_t p, size_t depth)
{
    const struct gemm_product *product = &round->product;
    size_t columns = round->method->kernel->columns, column = first * columns;
    size_t width = smaller(end * columns, product->n) - column;
    size_t from = p * product->ldb + column, to = p * columns * round->column_panels + first * columns * depth;
    if (product->type == GEMM_DOUBLE)
        double_b_panels((const double *)product->b + from, product->ldb, width, depth, columns,
                        (double *)round->packed_b + to);
    else
        single_b_panels((const float *)product->b + from, product->ldb, width, depth, columns,
                        (float *)round->packed_b + to);
}

void gemm_pack_a(const struct gemm_round *round, size_t from, size_t to)
{
    if (round->method->blas) return;
    size_t slice = round->method->blocking.slice, k = round->product.k;
    for (size_t p = 0; p < k; p += slice)
        for (size_t panel = from; panel < to; panel++) pack_a_panel(round, panel, p, smaller(slice, k - p));
}

void gemm_pack_b(const struct gemm_round *round, size_t from, size_t to)
{
    if (round->method->blas || !round->pack_b) return;
    size_t slice = round->method->blocking.slice, k = round->product.k;
    for (size_t p = 0; p < k; p += slice) pack_b_panels(round, from, to, p, smaller(slice, k - p));
}

size_t gemm_pack_grain(const struct gemm_round *round, bool of_b)
{
    const struct gemm_kernel *kernel = round->method->kernel;
    size_t panels = of_b ? round->column_panels : round->row_panels;
    size_t numbers = round->product.k * (of_b ? kernel->columns : kernel->rows);
    size_t grain = panels / (4 * (size_t)round->method->blocking.workers);
    /* fewer would not be worth a task */
    while (grain < panels && grain * numbers < 16384) grain++;
    return grain ? grain : 1;
}
