/* Which micro-kernel: the first in this list that the machine can run. */
#include <string.h>

#include "apps/gemm/kernels.h"

const struct gemm_kernel *const gemm_kernels[] = {
#if defined(__x86_64__)
    &gemm_kernel_avx512_double,   &gemm_kernel_avx512_single,   &gemm_kernel_avx2_double,
    &gemm_kernel_avx2_single,
#endif
    &gemm_kernel_portable_double, &gemm_kernel_portable_single, NULL,
};

const struct gemm_kernel *gemm_kernel_find(gemm_type type, const char *name)
{
    for (const struct gemm_kernel *const *k = gemm_kernels; *k; k++)
        if ((*k)->type == type && (!name || strcmp((*k)->name, name) == 0) && (*k)->usable()) return *k;
    return NULL;
}
