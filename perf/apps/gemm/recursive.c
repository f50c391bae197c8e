/* Divide and conquer as tasks: the longest side is halved. Halves of m and n run side by side, those of k one after the
 * other. A leaf packs into the workspace of its worker; it spawns nothing, so no other leaf uses the workspace
 * meanwhile. */
#include <heist/heist.h>

#include "apps/gemm/gemm.h"

struct leaves {
    const struct gemm_method *method;
    char *workspaces;
    size_t stride;
    const volatile bool *stop;
};
typedef const struct leaves *leaves_pointer;

HEIST_VOID_TASK(halves, leaves_pointer, leaves, struct gemm_product, product)
{
    struct gemm_product first, second;
    if (leaves->stop && *leaves->stop) return;
    switch (gemm_product_split(leaves->method, &product, &first, &second)) {
    case GEMM_LEAF:
        gemm_leaf_multiply(leaves->method, &product,
                           leaves->workspaces + (size_t)heist_worker_number() * leaves->stride);
        break;
    case GEMM_BOTH: {
        HEIST_SPAWN(other, halves, leaves, second);
        HEIST_CALL(halves, leaves, first);
        HEIST_SYNC(other);
        break;
    }
    case GEMM_IN_TURN:
        HEIST_CALL(halves, leaves, first);
        HEIST_CALL(halves, leaves, second);
        break;
    }
}

void gemm_heist_recursive(heist_pool *pool, const struct gemm_method *method, const struct gemm_product *product,
                          void *workspaces, const volatile bool *stop)
{
    struct leaves leaves = {method, workspaces, gemm_leaf_stride(method, product), stop};
    HEIST_RUN(pool, halves, &leaves, *product);
}
