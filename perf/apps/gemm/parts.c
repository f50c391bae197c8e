/* Parts: a product cut so that each worker has its own rows or columns of C, and packs into memory of its own. A packed
 * panel that two workers read stays in the caches of both, and the next worker that packs there must fetch every line
 * from the other's cache: between processors without a shared cache that takes many times as long as the copying. So
 * the operand of the other side is packed once more, as long as that is little beside the product itself. A worker that
 * has finished its part takes tiles of another part. */
#include "apps/gemm/gemm.h"

#define PAGE ((size_t)4096)

static size_t round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

bool gemm_part_cut(const struct gemm_kernel *kernel, size_t least, size_t m, size_t n, unsigned workers, bool *rows,
                   size_t *at)
{
    if (workers < 2) return false;
    *rows = m >= n;
    size_t side = *rows ? m : n, first = workers - workers / 2;
    /* at a multiple of the panels: a panel cut in the middle wastes computation */
    *at = round_up(side * first / workers, *rows ? kernel->rows : kernel->columns);
    if (*at >= side) return false;
    /* packing is to computing as the sum of the sides to their product */
    size_t part_m = *rows ? side - *at : m, part_n = *rows ? n : side - *at;
    return part_m * part_n >= least * (part_m + part_n);
}

struct gemm_part gemm_part_whole(const struct gemm_method *method, const struct gemm_product *product)
{
    return (struct gemm_part){*product, 0, method->blocking.workers};
}

bool gemm_part_split(const struct gemm_method *method, const struct gemm_part *part, struct gemm_part *first,
                     struct gemm_part *second)
{
    const struct gemm_product *whole = &part->product;
    size_t size = gemm_type_size(whole->type), at;
    bool rows;
    if (method->blas) return false; /* it packs for itself */
    if (!gemm_part_cut(method->kernel, method->blocking.part_least, whole->m, whole->n, part->workers, &rows, &at))
        return false;
    *first = *second = *part;
    second->workers = part->workers / 2;
    first->workers = part->workers - second->workers;
    if (rows) {
        first->product.m = at;
        second->product.m -= at;
        second->product.a = (const char *)whole->a + at * whole->lda * size;
        second->product.c = (char *)whole->c + at * whole->ldc * size;
    } else {
        first->product.n = at;
        second->product.n -= at;
        second->product.b = (const char *)whole->b + at * size;
        second->product.c = (char *)whole->c + at * size;
    }
    second->workspace = part->workspace + gemm_part_workspace_size(method, first);
    return true;
}

size_t gemm_part_workspace_size(const struct gemm_method *method, const struct gemm_part *part)
{
    struct gemm_part first, second;
    if (gemm_part_split(method, part, &first, &second))
        return gemm_part_workspace_size(method, &first) + gemm_part_workspace_size(method, &second);
    return round_up(gemm_workspace_size(method, &part->product), PAGE); /* two of them share no page */
}
