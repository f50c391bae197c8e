/* The sizes of the pieces of a product, from the sizes of the caches: a panel of B and one of A, one slice deep, share
 * the first cache; the A of a tile stays in the second while all of its B passes by; the packed data of a round stays
 * in the last. */
#include <unistd.h>

#include "apps/gemm/gemm.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

static size_t at_least(size_t x, size_t least)
{
    return x < least ? least : x;
}

static size_t at_most(size_t x, size_t most)
{
    return x > most ? most : x;
}

static size_t divide_up(size_t x, size_t by)
{
    return (x + by - 1) / by;
}

/* Some machines do not report the sizes, some report impossible ones (a hypervisor's sum over a whole server): usual
 * values replace them. */
static size_t cache_size(int name, size_t usual, size_t least, size_t most)
{
    long size = sysconf(name);
    return size <= 0 ? usual : at_most(at_least((size_t)size, least), most);
}

struct gemm_caches gemm_caches_read(void)
{
    return (struct gemm_caches){
        .first = cache_size(_SC_LEVEL1_DCACHE_SIZE, 32 * KIB, 16 * KIB, 192 * KIB),
        .second = cache_size(_SC_LEVEL2_CACHE_SIZE, 512 * KIB, 128 * KIB, 4 * MIB),
        .last = cache_size(_SC_LEVEL3_CACHE_SIZE, 16 * MIB, 2 * MIB, 32 * MIB),
    };
}

/* Equal slices, none deeper than suits the first cache. If such slices would be so thin that C is read and written all
 * the time, panels come from the second cache instead, and may be deep: AVX-512, double, n = 2000, one worker, GFLOP/s:
 * 52.3 with 160, 53.2 with 256, 53.6 with 384. */
static size_t slice_depth(const struct gemm_kernel *kernel, const struct gemm_caches *caches, size_t k)
{
    const size_t shallow = 192, deep = 384, deepest = 512;
    size_t suits = caches->first * 7 / 8 / ((kernel->rows + kernel->columns) * gemm_type_size(kernel->type));
    size_t most = suits < shallow ? deep : at_most(suits, deepest);
    return at_least(divide_up(k, at_least(divide_up(k, most), 1)), 1);
}

/* Halves the longer side of a tile until every worker has so many tiles that the last ones do not matter. In a part
 * that one worker owns, others take tiles only at the end. */
static void cut_tiles(struct gemm_blocking *blocking, const struct gemm_kernel *kernel, size_t m, size_t n,
                      unsigned workers)
{
    const size_t for_each = workers > 1 ? 24 : 8;
    while (divide_up(m, blocking->tile_m) * divide_up(n, blocking->tile_n) < for_each * workers) {
        bool tall = blocking->tile_m >= blocking->tile_n;
        if (tall && blocking->tile_m >= 8 * kernel->rows)
            blocking->tile_m /= 2;
        else if (blocking->tile_n >= 8 * kernel->columns)
            blocking->tile_n /= 2;
        else if (blocking->tile_m >= 8 * kernel->rows)
            blocking->tile_m /= 2;
        else
            break;
    }
}

/* A leaf packs for itself: smaller leaves pack more often, larger ones are too few for the workers. */
static void cut_leaves(struct gemm_blocking *blocking, size_t m, size_t n, unsigned workers)
{
    size_t side = 512;
    while (side > 128 && divide_up(m, side) * divide_up(n, side) < 4 * (size_t)workers) side /= 2;
    blocking->leaf_m = blocking->leaf_n = side;
    blocking->leaf_k = blocking->slice;
}

/* m, n and the workers of the largest part. */
static void find_part(const struct gemm_kernel *kernel, size_t least, size_t *m, size_t *n, unsigned *workers)
{
    bool rows;
    size_t at;
    while (gemm_part_cut(kernel, least, *m, *n, *workers, &rows, &at)) {
        *(rows ? m : n) = at;
        *workers -= *workers / 2;
    }
}

struct gemm_blocking gemm_blocking_choose(const struct gemm_kernel *kernel, const struct gemm_caches *caches, size_t m,
                                          size_t n, size_t k, unsigned workers)
{
    const size_t most_at_once = 4096;
    struct gemm_blocking blocking = {.slice = slice_depth(kernel, caches, k), .part_least = 160, .workers = workers};
    cut_leaves(&blocking, at_least(m, 1), at_least(n, 1), workers);
    unsigned sharing = workers;
    find_part(kernel, blocking.part_least, &m, &n, &sharing);
    size_t line = blocking.slice * gemm_type_size(kernel->type);
    blocking.round_m = at_most(m, most_at_once / kernel->rows * kernel->rows);
    blocking.round_n = at_most(n, most_at_once / kernel->columns * kernel->columns);
    /* each slice is packed over the last one, in the worker's own caches; but several workers wait for each other at
     * the end of each round */
    size_t slices = sharing > 1 ? caches->last / 2 / at_least((blocking.round_m + blocking.round_n) * line, 1) : 1;
    blocking.round_k = at_least(slices, 1) * blocking.slice;
    blocking.tile_m = at_least(caches->second / 4 / line, 4 * kernel->rows);
    blocking.tile_n = at_least(caches->second / 2 / line, 4 * kernel->columns);
    if (workers > 1)
        cut_tiles(&blocking, kernel, at_least(blocking.round_m, 1), at_least(blocking.round_n, 1), sharing);
    return blocking;
}

void gemm_blocking_for_blas(struct gemm_blocking *blocking, size_t m, size_t n, size_t k, unsigned workers)
{
    size_t side = 512;
    m = at_least(m, 1);
    n = at_least(n, 1);
    while (side > 128 && divide_up(m, side) * divide_up(n, side) < 4 * (size_t)workers) side /= 2;
    *blocking = (struct gemm_blocking){
        .slice = at_least(k, 1),
        .round_m = m,
        .round_n = n,
        .round_k = at_least(k, 1),
        .tile_m = side,
        .tile_n = side,
        .leaf_m = side,
        .leaf_n = side,
        .leaf_k = at_least(k, 1) < 1024 ? at_least(k, 1) : 1024,
        .workers = workers,
    };
}
