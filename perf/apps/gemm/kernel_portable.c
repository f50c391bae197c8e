/* Micro-kernels for the compiler's target, in vectors of 16 bytes: SSE2 and its 16 registers on x86-64, NEON and its 32
 * on AArch64. */
#include "apps/gemm/kernels.h"

#define ROWS 4
#if defined(__aarch64__)
#define VECTORS 4 /* gcc takes a register for each of the four numbers of A, too: 24 of 32 */
#else
#define VECTORS 2
#endif

#define KERNEL_FUNCTION portable_double
#define KERNEL_ELEMENT double
#define KERNEL_BYTES 16
#define KERNEL_ROWS ROWS
#define KERNEL_VECTORS VECTORS
#define KERNEL_TARGET
#include "apps/gemm/kernel_template.h"

#define KERNEL_FUNCTION portable_single
#define KERNEL_ELEMENT float
#define KERNEL_BYTES 16
#define KERNEL_ROWS ROWS
#define KERNEL_VECTORS VECTORS
#define KERNEL_TARGET
#include "apps/gemm/kernel_template.h"

static bool usable(void)
{
    return true;
}

const struct gemm_kernel gemm_kernel_portable_double = {"portable",  GEMM_DOUBLE,     ROWS,
                                                        2 * VECTORS, portable_double, usable};
const struct gemm_kernel gemm_kernel_portable_single = {"portable",  GEMM_SINGLE,     ROWS,
                                                        4 * VECTORS, portable_single, usable};
