/* Tiles as tasks: each part of the product is one task. In a part, for each round, tasks pack the panels of A and B
 * once, for all; then C is halved, and its halves, down to tiles. A thief takes the largest piece that is left, so that
 * few steals distribute the work, and the smallest pieces come last. */
#include <heist/heist.h>

#include "apps/gemm/gemm.h"

typedef const struct gemm_round *round_pointer;

HEIST_VOID_TASK(pack, round_pointer, round, bool, of_b, size_t, from, size_t, to, size_t, grain)
{
    if (to - from <= grain) {
        if (of_b)
            gemm_pack_b(round, from, to);
        else
            gemm_pack_a(round, from, to);
        return;
    }
    size_t middle = from + (to - from) / 2;
    HEIST_SPAWN(upper, pack, round, of_b, middle, to, grain);
    HEIST_CALL(pack, round, of_b, from, middle, grain);
    HEIST_SYNC(upper);
}

HEIST_VOID_TASK(multiply, round_pointer, round, struct gemm_tile, tile)
{
    struct gemm_tile first, second;
    if (!gemm_tile_split(round, &tile, &first, &second)) {
        gemm_tile_multiply(round, &tile);
        return;
    }
    HEIST_SPAWN(other, multiply, round, second);
    HEIST_CALL(multiply, round, first);
    HEIST_SYNC(other);
}

HEIST_VOID_TASK(one_round, round_pointer, round)
{
    HEIST_SPAWN(rows, pack, round, false, 0, round->row_panels, gemm_pack_grain(round, false));
    HEIST_CALL(pack, round, true, 0, round->column_panels, gemm_pack_grain(round, true));
    HEIST_SYNC(rows);
    HEIST_CALL(multiply, round, gemm_tile_whole(round));
}

static void run_round(const struct gemm_round *round, void *pool)
{
    HEIST_RUN(pool, one_round, round);
}

struct whole {
    heist_pool *pool;
    const struct gemm_method *method;
    char *workspace;
    const volatile bool *stop;
};
typedef const struct whole *whole_pointer;

HEIST_VOID_TASK(parts, whole_pointer, whole, struct gemm_part, part)
{
    struct gemm_part first, second;
    if (!gemm_part_split(whole->method, &part, &first, &second)) {
        gemm_rounds(whole->method, &part.product, whole->workspace + part.workspace, run_round, whole->pool,
                    whole->stop);
        return;
    }
    HEIST_SPAWN(other, parts, whole, second);
    HEIST_CALL(parts, whole, first);
    HEIST_SYNC(other);
}

void gemm_heist_tiles(heist_pool *pool, const struct gemm_method *method, const struct gemm_product *product,
                      void *workspace, const volatile bool *stop)
{
    struct whole whole = {pool, method, workspace, stop};
    /* once, so that each round begins on a worker and not with a message to one */
    HEIST_RUN(pool, parts, &whole, gemm_part_whole(method, product));
}
