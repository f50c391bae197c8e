/* Micro-kernels for AVX-512: of the 32 registers 24 hold sums (8 rows, 3 vectors), 3 a line of B, the rest numbers of
 * A. 11 loads serve 24 multiply-adds, less than one load for each pair of them. */
#include "apps/gemm/kernels.h"

#if defined(__x86_64__)

#define KERNEL_FUNCTION avx512_double
#define KERNEL_ELEMENT double
#define KERNEL_BYTES 64
#define KERNEL_ROWS 8
#define KERNEL_VECTORS 3
#define KERNEL_TARGET __attribute__((target("avx512f")))
#include "apps/gemm/kernel_template.h"

#define KERNEL_FUNCTION avx512_single
#define KERNEL_ELEMENT float
#define KERNEL_BYTES 64
#define KERNEL_ROWS 8
#define KERNEL_VECTORS 3
#define KERNEL_TARGET __attribute__((target("avx512f")))
#include "apps/gemm/kernel_template.h"

static bool usable(void)
{
    return __builtin_cpu_supports("avx512f");
}

const struct gemm_kernel gemm_kernel_avx512_double = {"avx512", GEMM_DOUBLE, 8, 24, avx512_double, usable};
const struct gemm_kernel gemm_kernel_avx512_single = {"avx512", GEMM_SINGLE, 8, 48, avx512_single, usable};

#else
typedef int gemm_no_avx512; /* a file must hold something */
#endif
