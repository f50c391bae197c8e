/* A BLAS library, found at run time: nothing is linked, and a machine without one loses only the comparison. */
#ifndef HEIST_PERF_GEMM_BLAS_H
#define HEIST_PERF_GEMM_BLAS_H

#include "apps/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens "openblas" or "blis" (NULL: the first that is installed) and sets its number of threads. Once in a process: the
 * libraries keep their threads and their choice of kernels. Returns 0, or -ENOTSUP and a sentence in `error`. */
int gemm_blas_open(const char *which, unsigned threads, const struct gemm_blas **blas, char *error, size_t room);

/* Its name, version and kernels: "OpenBLAS 0.3.21 SkylakeX". */
const char *gemm_blas_description(const struct gemm_blas *blas);

#ifdef __cplusplus
}
#endif

#endif
