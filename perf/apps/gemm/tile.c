/* Tiles: a part of C computed from packed panels. One panel of B stays in the first cache while all of the tile's
 * panels of A pass by, from the second. */
#include <string.h>

#include "apps/gemm/gemm.h"

static size_t smaller(size_t x, size_t y)
{
    return x < y ? x : y;
}

struct gemm_tile gemm_tile_whole(const struct gemm_round *round)
{
    return (struct gemm_tile){0, round->row_panels, 0, round->column_panels};
}

bool gemm_tile_split(const struct gemm_round *round, const struct gemm_tile *tile, struct gemm_tile *first,
                     struct gemm_tile *second)
{
    const struct gemm_kernel *kernel = round->method->kernel;
    const struct gemm_blocking *blocking = &round->method->blocking;
    size_t height = (tile->row_end - tile->row) * kernel->rows,
           width = (tile->column_end - tile->column) * kernel->columns;
    /* tile_m and tile_n are at least four panels, so halves are not empty */
    bool high = height > blocking->tile_m + kernel->rows / 2, wide = width > blocking->tile_n + kernel->columns / 2;
    if (!high && !wide) return false;
    *first = *second = *tile;
    /* the longer side, measured in tiles */
    if (high && (!wide || height * blocking->tile_n >= width * blocking->tile_m))
        first->row_end = second->row = tile->row + (tile->row_end - tile->row) / 2;
    else
        first->column_end = second->column = tile->column + (tile->column_end - tile->column) / 2;
    return true;
}

/* The places of the panels of one slice, and the data to prefetch while they are used. */
struct slice {
    const struct gemm_round *round;
    const char *a, *b;
    size_t depth, a_step, b_step; /* steps in bytes, from panel to panel */
    const char *next_a;           /* the tile's panels in the slice behind this one */
    size_t next_a_size;           /* in bytes; 0: there is none */
    size_t fetched;               /* bytes that the kernel fetches in one call */
    size_t calls_for_b;           /* so many of them fetch a panel of B */
};

static char *place_in_c(const struct gemm_product *product, size_t row, size_t column)
{
    return (char *)product->c + (row * product->ldc + column) * gemm_type_size(product->type);
}

static void add_double(double *c, size_t ldc, const double *more, size_t stride, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) c[i * ldc + j] += more[i * stride + j];
}

static void add_single(float *c, size_t ldc, const float *more, size_t stride, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) c[i * ldc + j] += more[i * stride + j];
}

/* At the lower and right edge of C the kernel computes more than C holds: into a buffer on the stack, from which the
 * valid entries are added. */
static void multiply_edge(const struct slice *s, const char *a, const char *b, size_t row, size_t column,
                          const char *ahead)
{
    const struct gemm_kernel *kernel = s->round->method->kernel;
    const struct gemm_product *product = &s->round->product;
    _Alignas(64) char room[GEMM_KERNEL_ROOM];
    memset(room, 0, kernel->rows * kernel->columns * gemm_type_size(kernel->type));
    kernel->multiply(s->depth, a, b, room, kernel->columns, ahead);
    size_t rows = smaller(product->m - row, kernel->rows);
    size_t columns = smaller(product->n - column, kernel->columns);
    void *c = place_in_c(product, row, column);
    if (kernel->type == GEMM_DOUBLE)
        add_double(c, product->ldc, (const double *)(const void *)room, kernel->columns, rows, columns);
    else
        add_single(c, product->ldc, (const float *)(const void *)room, kernel->columns, rows, columns);
}

/* The data that is needed next is prefetched evenly: during a panel of B the next one, and over the whole tile the next
 * slice's A. Without that, each begins with a time in which only the last cache works. */
static const char *what_to_fetch(const struct slice *s, const struct gemm_tile *tile, size_t i, size_t j)
{
    size_t rows = tile->row_end - tile->row, nth = i - tile->row;
    if (nth < s->calls_for_b) return s->b + (j + 1) * s->b_step + nth * s->fetched;
    size_t call = (j - tile->column) * (rows - s->calls_for_b) + nth - s->calls_for_b;
    if (call * s->fetched < s->next_a_size) return s->next_a + call * s->fetched;
    return s->b + j * s->b_step; /* there already: costs nothing */
}

static void multiply_slice(const struct slice *s, const struct gemm_tile *tile)
{
    const struct gemm_kernel *kernel = s->round->method->kernel;
    const struct gemm_product *product = &s->round->product;
    for (size_t j = tile->column; j < tile->column_end; j++) {
        const char *b = s->b + j * s->b_step;
        size_t column = j * kernel->columns;
        bool narrow = product->n - column < kernel->columns;
        for (size_t i = tile->row; i < tile->row_end; i++) {
            const char *a = s->a + i * s->a_step, *ahead = what_to_fetch(s, tile, i, j);
            size_t row = i * kernel->rows;
            if (narrow || product->m - row < kernel->rows)
                multiply_edge(s, a, b, row, column, ahead);
            else
                kernel->multiply(s->depth, a, b, place_in_c(product, row, column), product->ldc, ahead);
        }
    }
}

static void multiply_by_blas(const struct gemm_round *round, const struct gemm_tile *tile)
{
    const struct gemm_kernel *kernel = round->method->kernel;
    struct gemm_product part = round->product;
    size_t size = gemm_type_size(part.type);
    size_t row = tile->row * kernel->rows, row_end = tile->row_end * kernel->rows;
    size_t column = tile->column * kernel->columns, column_end = tile->column_end * kernel->columns;
    part.m = smaller(row_end, part.m) - row;
    part.n = smaller(column_end, part.n) - column;
    part.a = (const char *)part.a + row * part.lda * size;
    part.b = (const char *)part.b + column * size;
    part.c = place_in_c(&round->product, row, column);
    gemm_blas_multiply(round->method->blas, &part);
}

static struct slice slice_at(const struct gemm_round *round, const struct gemm_tile *tile, size_t p)
{
    const struct gemm_kernel *kernel = round->method->kernel;
    size_t size = gemm_type_size(kernel->type), left = round->product.k - p, rows = tile->row_end - tile->row;
    size_t depth = smaller(left, round->method->blocking.slice), next = smaller(left - depth, depth);
    size_t a_line = kernel->rows * size, b_line = kernel->columns * size;
    struct slice s = {
        .round = round,
        .a = (const char *)round->packed_a + p * a_line * round->row_panels,
        .b = (const char *)round->packed_b + p * b_line * round->column_panels,
        .depth = depth,
        .a_step = depth * a_line,
        .b_step = depth * b_line,
        .next_a = (const char *)round->packed_a + ((p + depth) * round->row_panels + next * tile->row) * a_line,
        .next_a_size = next * a_line * rows,
        .fetched = (depth / GEMM_STEPS_A_LINE + 1) * GEMM_LINE,
    };
    s.calls_for_b = smaller((s.b_step + s.fetched - 1) / s.fetched, rows);
    return s;
}

void gemm_tile_multiply(const struct gemm_round *round, const struct gemm_tile *tile)
{
    if (round->method->blas) {
        multiply_by_blas(round, tile);
        return;
    }
    for (size_t p = 0; p < round->product.k;) {
        struct slice s = slice_at(round, tile, p);
        multiply_slice(&s, tile);
        p += s.depth;
    }
}
