/* The micro-kernels there are, between their files and kernel.c. */
#ifndef HEIST_PERF_GEMM_KERNELS_H
#define HEIST_PERF_GEMM_KERNELS_H

#include "apps/gemm/gemm.h"

#if defined(__x86_64__)
extern const struct gemm_kernel gemm_kernel_avx512_double, gemm_kernel_avx512_single;
extern const struct gemm_kernel gemm_kernel_avx2_double, gemm_kernel_avx2_single;
#endif
extern const struct gemm_kernel gemm_kernel_portable_double, gemm_kernel_portable_single;

#endif
