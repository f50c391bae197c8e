/* Micro-kernels for AVX2 with FMA: of the 16 registers 12 hold sums (6 rows, 2 vectors), 2 a line of B, the rest
 * numbers of A. 8 loads serve 12 multiply-adds. */
#include "apps/gemm/kernels.h"

#if defined(__x86_64__)

#define KERNEL_FUNCTION avx2_double
#define KERNEL_ELEMENT double
#define KERNEL_BYTES 32
#define KERNEL_ROWS 6
#define KERNEL_VECTORS 2
#define KERNEL_TARGET __attribute__((target("avx2,fma")))
#include "apps/gemm/kernel_template.h"

#define KERNEL_FUNCTION avx2_single
#define KERNEL_ELEMENT float
#define KERNEL_BYTES 32
#define KERNEL_ROWS 6
#define KERNEL_VECTORS 2
#define KERNEL_TARGET __attribute__((target("avx2,fma")))
#include "apps/gemm/kernel_template.h"

static bool usable(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

const struct gemm_kernel gemm_kernel_avx2_double = {"avx2", GEMM_DOUBLE, 6, 8, avx2_double, usable};
const struct gemm_kernel gemm_kernel_avx2_single = {"avx2", GEMM_SINGLE, 6, 16, avx2_single, usable};

#else
typedef int gemm_no_avx2; /* a file must hold something */
#endif
