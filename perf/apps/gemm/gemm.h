/* gemm: C = A*B + C, row-major, in double or single precision; the declarations that its files share.
 *
 * The way down, from the whole to the registers: a product is cut into a part for each worker, if it is large enough
 * (parts.c). A part is cut into rounds (rounds.c), each small enough that its A and B lie packed in the last cache.
 * Packing puts the numbers into the order in which they are used (pack.c). The C of a round is cut into tiles, which
 * are the tasks (tiles.c, openmp.c). A tile is computed from the packed panels (tile.c) by a micro-kernel that holds a
 * few rows and columns of C in registers (kernel_*.c). The recursive variant (recursive.c) halves the product itself
 * and packs in the leaves. blocking.c determines the sizes of all these pieces. */
#ifndef HEIST_PERF_GEMM_H
#define HEIST_PERF_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gemm_type { GEMM_DOUBLE, GEMM_SINGLE } gemm_type;

static inline size_t gemm_type_size(gemm_type type)
{
    return type == GEMM_DOUBLE ? sizeof(double) : sizeof(float);
}

/* One product. Leading dimensions count elements; none is smaller than its matrix is wide. */
struct gemm_product {
    gemm_type type;
    size_t m, n, k; /* C is m by n, A is m by k, B is k by n */
    const void *a;
    size_t lda;
    const void *b;
    size_t ldb;
    void *c;
    size_t ldc;
};

/* ---- micro-kernels: kernel.c and one file for each instruction set ---- */

/* C += A*B for the kernel's rows and columns of C. `a` holds, for each of the k steps, one number for each row; `b`,
 * aligned to its vectors, one for each column. Meanwhile the kernel prefetches from `ahead` into the second cache, a
 * line with every GEMM_STEPS_A_LINE steps; `ahead` need not be valid memory. */
typedef void gemm_kernel_function(size_t k, const void *a, const void *b, void *c, size_t ldc, const void *ahead);
#define GEMM_STEPS_A_LINE 8
#define GEMM_LINE 64

struct gemm_kernel {
    const char *name; /* of the instruction set: avx512, avx2, portable */
    gemm_type type;
    size_t rows, columns;
    gemm_kernel_function *multiply;
    bool (*usable)(void); /* on this machine */
};

/* All of them, the fastest first; a NULL ends them. */
extern const struct gemm_kernel *const gemm_kernels[];

/* The first usable one of that type and, unless NULL, of that name. NULL: there is none. */
const struct gemm_kernel *gemm_kernel_find(gemm_type type, const char *name);

/* A kernel's largest piece of C, in bytes: for a place on the stack. */
#define GEMM_KERNEL_ROOM 4096

/* ---- sizes of the pieces: blocking.c ---- */

struct gemm_caches {
    size_t first, second, last; /* bytes of data for one core; of the last cache the share that one program may use */
};
struct gemm_caches gemm_caches_read(void);

struct gemm_blocking {
    size_t slice;                     /* depth of a packed panel */
    size_t round_m, round_n, round_k; /* the most that is packed in one round */
    size_t tile_m, tile_n;            /* the most that one task computes */
    size_t leaf_m, leaf_n, leaf_k;    /* the same in the recursive variant */
    size_t part_least;                /* m*n/(m+n) of the smallest part that a worker packs for alone */
    unsigned workers;
};

/* For a product of that shape by that many workers. */
struct gemm_blocking gemm_blocking_choose(const struct gemm_kernel *kernel, const struct gemm_caches *caches, size_t m,
                                          size_t n, size_t k, unsigned workers);

/* Larger pieces, for tiles that a BLAS computes: it packs for itself. */
void gemm_blocking_for_blas(struct gemm_blocking *blocking, size_t m, size_t n, size_t k, unsigned workers);

/* ---- how tiles are computed ---- */

/* A BLAS found at run time: blas.c. */
struct gemm_blas;
void gemm_blas_multiply(const struct gemm_blas *blas, const struct gemm_product *product);

struct gemm_method {
    const struct gemm_kernel *kernel;
    const struct gemm_blas *blas; /* not NULL: this library computes the tiles, and nothing is packed */
    struct gemm_blocking blocking;
};

/* ---- parts: parts.c ---- */

struct gemm_part {
    struct gemm_product product;
    size_t workspace; /* offset of its workspace in that of the whole, gemm_part_workspace_size bytes */
    unsigned workers; /* the worker for which it is meant */
};
struct gemm_part gemm_part_whole(const struct gemm_method *method, const struct gemm_product *product);
size_t gemm_part_workspace_size(const struct gemm_method *method, const struct gemm_part *part);

/* False: compute it in rounds. True: `first` and `second` are its halves, for half of the workers each. */
bool gemm_part_split(const struct gemm_method *method, const struct gemm_part *part, struct gemm_part *first,
                     struct gemm_part *second);

/* The position of that cut; the first half is the larger one. */
bool gemm_part_cut(const struct gemm_kernel *kernel, size_t least, size_t m, size_t n, unsigned workers, bool *rows,
                   size_t *at);

/* ---- rounds: rounds.c; packing: pack.c; tiles: tile.c ---- */

/* A part of a product with its operands packed. Rows and columns are counted in panels, as many of them as the kernel
 * computes at once; the last panel of each is filled up with zeros. All panels of the first slice come
 * first, then those of the second:
 *   slice 0: panel 0, panel 1 ...; slice 1: panel 0, panel 1 ... */
struct gemm_round {
    const struct gemm_method *method;
    struct gemm_product product;
    size_t row_panels, column_panels;
    void *packed_a, *packed_b;
    bool pack_b; /* false: packed already in the round before */
};

/* Memory for the largest round, on huge pages where possible. 0 bytes are allowed. NULL: there is none. */
size_t gemm_workspace_size(const struct gemm_method *method, const struct gemm_product *product);
void *gemm_workspace_new(size_t size);
void gemm_workspace_free(void *workspace);

/* Calls `run` for one round after the other. Reads `*stop` before each, unless `stop` is NULL. */
typedef void gemm_round_function(const struct gemm_round *round, void *context);
void gemm_rounds(const struct gemm_method *method, const struct gemm_product *product, void *workspace,
                 gemm_round_function *run, void *context, const volatile bool *stop);

/* Panels from..to-1 of A, of B. Different panels may be packed at the same time. */
void gemm_pack_a(const struct gemm_round *round, size_t from, size_t to);
void gemm_pack_b(const struct gemm_round *round, size_t from, size_t to);

/* Rows and columns of C, in panels. */
struct gemm_tile {
    size_t row, row_end, column, column_end;
};
struct gemm_tile gemm_tile_whole(const struct gemm_round *round);

/* False: small enough for one task. True: `first` and `second` are its halves. */
bool gemm_tile_split(const struct gemm_round *round, const struct gemm_tile *tile, struct gemm_tile *first,
                     struct gemm_tile *second);

/* C += A*B there. Panels must have been packed. Different tiles may be computed at the same time. */
void gemm_tile_multiply(const struct gemm_round *round, const struct gemm_tile *tile);

/* How many panels of `panels` one packing task takes. */
size_t gemm_pack_grain(const struct gemm_round *round, bool of_b);

/* ---- divide and conquer ---- */

/* GEMM_LEAF: small enough. GEMM_BOTH: the halves may run side by side. GEMM_IN_TURN: the second after the first, both
 * add to the same C. */
typedef enum gemm_split { GEMM_LEAF, GEMM_BOTH, GEMM_IN_TURN } gemm_split;
gemm_split gemm_product_split(const struct gemm_method *method, const struct gemm_product *whole,
                              struct gemm_product *first, struct gemm_product *second);

/* ---- whole products ---- */

/* On the calling thread: product.c. The workspace of the first has gemm_workspace_size(method, product) bytes, that of
 * the second gemm_leaf_workspace_size. */
void gemm_serial_tiles(const struct gemm_method *method, const struct gemm_product *product, void *workspace,
                       const volatile bool *stop);
void gemm_serial_recursive(const struct gemm_method *method, const struct gemm_product *product, void *workspace,
                           const volatile bool *stop);
size_t gemm_leaf_workspace_size(const struct gemm_method *method, const struct gemm_product *product);
void gemm_leaf_multiply(const struct gemm_method *method, const struct gemm_product *leaf, void *workspace);

/* By the workers of a pool: tiles.c, recursive.c. The first takes the workspace of the whole part. The second takes a
 * workspace for each worker, one behind the other, gemm_leaf_stride apart. */
struct heist_pool;
void gemm_heist_tiles(struct heist_pool *pool, const struct gemm_method *method, const struct gemm_product *product,
                      void *workspace, const volatile bool *stop);
void gemm_heist_recursive(struct heist_pool *pool, const struct gemm_method *method, const struct gemm_product *product,
                          void *workspaces, const volatile bool *stop);
size_t gemm_leaf_stride(const struct gemm_method *method, const struct gemm_product *product);

#ifdef __cplusplus
}
#endif

#endif
