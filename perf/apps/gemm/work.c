/* The part that all implementations share. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gemm/blas.h"
#include "apps/gemm/check.h"
#include "apps/gemm/work.h"

/* ---- input ---- */

/* Numbers between -1 and 1, the same in every process. */
static void fill(gemm_type type, void *matrix, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double number = (double)(int64_t)seed / 9223372036854775808.0;
        if (type == GEMM_DOUBLE)
            ((double *)matrix)[i] = number;
        else
            ((float *)matrix)[i] = (float)number;
    }
}

static void *matrix_new(gemm_type type, size_t rows, size_t columns)
{
    return aligned_alloc(64, (rows * columns * gemm_type_size(type) / 64 + 1) * 64);
}

static int make_matrices(struct gemm_work *work, char *error, size_t room)
{
    struct gemm_product *p = &work->product;
    p->a = work->a = matrix_new(p->type, p->m, p->lda);
    p->b = work->b = matrix_new(p->type, p->k, p->ldb);
    p->c = work->c = matrix_new(p->type, p->m, p->ldc);
    work->before = matrix_new(p->type, p->m, p->ldc);
    if (!work->a || !work->b || !work->c || !work->before) {
        snprintf(error, room, "no memory for the matrices");
        return -ENOMEM;
    }
    fill(p->type, work->a, p->m * p->lda, 1);
    fill(p->type, work->b, p->k * p->ldb, 2);
    fill(p->type, work->before, p->m * p->ldc, 3);
    gemm_work_reset(work);
    work->check = gemm_check_new(p, gemm_check_width(p), 4);
    if (work->check) return 0;
    snprintf(error, room, "no memory for the check");
    return -ENOMEM;
}

/* The work without a method. */
static int work_begin(const struct perf_input *input, struct gemm_work **work, char *error, size_t room)
{
    struct gemm_work *w = calloc(1, sizeof *w);
    if (!w) {
        snprintf(error, room, "no memory");
        return -ENOMEM;
    }
    w->workers = input->workers;
    w->product.type = strcmp(perf_setting(input, "type"), "single") == 0 ? GEMM_SINGLE : GEMM_DOUBLE;
    size_t m, n, k, extra;
    int result = gemm_size_parse(input->size, &m, &n, &k, error, room);
    if (result == 0) result = gemm_ld_extra_parse(perf_setting(input, "ld-extra"), &extra, error, room);
    if (result == 0) {
        w->product = (struct gemm_product){
            .type = w->product.type, .m = m, .n = n, .k = k, .lda = k + extra, .ldb = n + extra, .ldc = n + extra};
        result = make_matrices(w, error, room);
    }
    if (result < 0)
        gemm_work_free(w);
    else
        *work = w;
    return result;
}

/* ---- method ---- */

static int choose_method(struct gemm_work *work, const struct perf_input *input, char *error, size_t room)
{
    const struct gemm_product *p = &work->product;
    const char *micro = perf_setting(input, "micro");
    struct gemm_caches caches = gemm_caches_read();
    work->recursive = strcmp(perf_setting(input, "variant"), "recursive") == 0;
    work->method.kernel = gemm_kernel_find(p->type, strcmp(micro, "best") == 0 ? NULL : micro);
    if (!work->method.kernel) {
        snprintf(error, room, "this machine cannot run the micro-kernel '%s'", micro);
        return -ENOTSUP;
    }
    work->method.blocking = gemm_blocking_choose(work->method.kernel, &caches, p->m, p->n, p->k, work->workers);
    if (strcmp(perf_setting(input, "kernel"), "cblas") != 0) return 0;
    int result = gemm_blas_open(NULL, 1, &work->method.blas, error, room);
    if (result == 0) gemm_blocking_for_blas(&work->method.blocking, p->m, p->n, p->k, work->workers);
    return result;
}

static int make_workspace(struct gemm_work *work, char *error, size_t room)
{
    const struct gemm_product *p = &work->product;
    struct gemm_part whole = gemm_part_whole(&work->method, p);
    size_t size = work->recursive ? gemm_leaf_stride(&work->method, p) * work->workers
                                  : gemm_part_workspace_size(&work->method, &whole);
    work->workspace = gemm_workspace_new(size);
    if (work->workspace) return 0;
    snprintf(error, room, "no memory for packed panels");
    return -ENOMEM;
}

/* Appends to the members of the row. */
static void tell_ld_extra(struct gemm_work *work)
{
    size_t used = strlen(work->more), extra = work->product.ldc - work->product.n;
    if (extra) snprintf(work->more + used, sizeof work->more - used, ",\"ld_extra\":%zu", extra);
}

static const char *type_name(const struct gemm_work *work)
{
    return work->product.type == GEMM_DOUBLE ? "double" : "single";
}

int gemm_work_new(const struct perf_input *input, struct gemm_work **work, char *error, size_t room)
{
    struct gemm_work *w;
    int result = work_begin(input, &w, error, room);
    if (result < 0) return result;
    result = choose_method(w, input, error, room);
    if (result == 0) result = make_workspace(w, error, room);
    if (result < 0) {
        gemm_work_free(w);
        return result;
    }
    const struct gemm_kernel *kernel = w->method.kernel;
    int length = snprintf(w->more, sizeof w->more, "\"type\":\"%s\",\"variant\":\"%s\",\"kernel\":\"%s\",",
                          type_name(w), w->recursive ? "recursive" : "tiles", w->method.blas ? "cblas" : "own");
    if (w->method.blas)
        snprintf(w->more + length, sizeof w->more - (size_t)length, "\"library\":\"%s\"",
                 gemm_blas_description(w->method.blas));
    else
        snprintf(w->more + length, sizeof w->more - (size_t)length, "\"micro\":\"%s %zux%zu\"", kernel->name,
                 kernel->rows, kernel->columns);
    tell_ld_extra(w);
    *work = w;
    return 0;
}

int gemm_work_new_for_blas(const struct perf_input *input, const char *which, struct gemm_work **work, char *error,
                           size_t room)
{
    struct gemm_work *w;
    const struct gemm_blas *blas;
    int result = gemm_blas_open(which, input->workers, &blas, error, room); /* first: it is what may be missing */
    if (result == 0) result = work_begin(input, &w, error, room);
    if (result < 0) return result;
    w->method.blas = blas;
    snprintf(w->more, sizeof w->more, "\"type\":\"%s\",\"library\":\"%s\"", type_name(w), gemm_blas_description(blas));
    tell_ld_extra(w);
    *work = w;
    return 0;
}

void gemm_work_free(struct gemm_work *work)
{
    if (!work) return;
    gemm_check_free(work->check);
    gemm_workspace_free(work->workspace);
    free(work->a);
    free(work->b);
    free(work->c);
    free(work->before);
    free(work);
}

/* ---- for perf_implementation ---- */

void gemm_work_reset(void *work)
{
    const struct gemm_work *w = work;
    const struct gemm_product *p = &w->product;
    memcpy(w->c, w->before, p->m * p->ldc * gemm_type_size(p->type));
}

/* Whether the padding between the rows of C is unchanged. */
static bool gaps_are_whole(const struct gemm_work *w)
{
    const struct gemm_product *p = &w->product;
    size_t size = gemm_type_size(p->type);
    for (size_t i = 0; i < p->m; i++) {
        size_t gap = (i * p->ldc + p->n) * size;
        if (memcmp((const char *)w->c + gap, (const char *)w->before + gap, (p->ldc - p->n) * size) != 0) return false;
    }
    return true;
}

void gemm_work_check(void *work, struct perf_outcome *outcome)
{
    const struct gemm_work *w = work;
    const struct gemm_product *p = &w->product;
    outcome->flops = 2 * (double)p->m * (double)p->n * (double)p->k;
    if (perf_interrupted)
        snprintf(outcome->check, sizeof outcome->check, "interrupted");
    else if (!gaps_are_whole(w))
        snprintf(outcome->check, sizeof outcome->check, "C was written beyond the ends of its rows");
    else
        gemm_check_result(w->check, p, outcome->check, sizeof outcome->check);
    snprintf(outcome->more, sizeof outcome->more, "%s", w->more);
}

void gemm_work_discard(void *work)
{
    gemm_work_free(work);
}
