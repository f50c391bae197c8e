/* The part that all implementations share: the input from the command line, the same C before each run, the check. */
#ifndef HEIST_PERF_GEMM_WORK_H
#define HEIST_PERF_GEMM_WORK_H

#include "apps/gemm/gemm.h"
#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gemm_check;

struct gemm_work {
    struct gemm_product product;
    void *a, *b, *c;
    void *before; /* C as it was */
    struct gemm_check *check;
    struct gemm_method method;
    bool recursive;
    void *workspace; /* of one product, or of one leaf for each worker */
    unsigned workers;
    void *runtime; /* the implementation's own */
    char more[400];
};

/* For implementations with our tiles (settings kernel, variant, micro). Returns 0, or a negative errno and a
 * sentence. */
int gemm_work_new(const struct perf_input *input, struct gemm_work **work, char *error, size_t room);

/* For a library that computes the whole product: "openblas" or "blis". */
int gemm_work_new_for_blas(const struct perf_input *input, const char *which, struct gemm_work **work, char *error,
                           size_t room);

void gemm_work_free(struct gemm_work *work);

/* As perf_implementation has them. */
void gemm_work_reset(void *work);
void gemm_work_check(void *work, struct perf_outcome *outcome);
void gemm_work_discard(void *work);

/* "1000" or "1000x800x600". 0, or -EINVAL and a sentence. */
int gemm_size_parse(const char *size, size_t *m, size_t *n, size_t *k, char *error, size_t room);

/* The number of entries between the rows of each matrix; NULL: none. Returns 0, or -EINVAL and a sentence. */
int gemm_ld_extra_parse(const char *text, size_t *extra, char *error, size_t room);

#ifdef __cplusplus
}
#endif

#endif
