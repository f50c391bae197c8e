/* OpenBLAS and BLIS through their common interface, cblas.
 *
 * Both choose their kernels by the model of the processor. The versions in distributions do not know newer AMD
 * processors and leave their AVX-512 unused, which halves the speed. Where there is AVX-512, this file selects the
 * kernels for it (OPENBLAS_CORETYPE=SKYLAKEX, BLIS_ARCH_TYPE of skx), unless the user has set these variables. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gemm/blas.h"

enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 }; /* of cblas */

typedef void dgemm_function(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha,
                            const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
typedef void sgemm_function(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

struct gemm_blas {
    dgemm_function *dgemm;
    sgemm_function *sgemm;
    char description[96];
};

void gemm_blas_multiply(const struct gemm_blas *blas, const struct gemm_product *p)
{
    int m = (int)p->m, n = (int)p->n, k = (int)p->k, lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
    if (p->type == GEMM_DOUBLE)
        blas->dgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, m, n, k, 1, p->a, lda, p->b, ldb, 1, p->c, ldc);
    else
        blas->sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, m, n, k, 1, p->a, lda, p->b, ldb, 1, p->c, ldc);
}

const char *gemm_blas_description(const struct gemm_blas *blas)
{
    return blas->description;
}

/* Converts pointers to data to pointers to functions: POSIX allows it, ISO C does not. */
typedef void any_function(void);

static any_function *find(void *library, const char *name)
{
    any_function *function;
    void *symbol = dlsym(library, name);
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static void *open_first(const char *const *names)
{
    for (; *names; names++) {
        void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

static bool has_avx512(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

/* ---- OpenBLAS ---- */

static void *open_openblas(unsigned threads)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", NULL};
    char number[16];
    snprintf(number, sizeof number, "%u", threads);
    setenv("OPENBLAS_NUM_THREADS", number, 1); /* read at load time, as is the type of core */
    if (has_avx512()) setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
    return open_first(names);
}

static void set_up_openblas(struct gemm_blas *blas, void *library, unsigned threads)
{
    typedef void set_threads_function(int);
    typedef const char *text_function(void);
    set_threads_function *set_threads = (set_threads_function *)find(library, "openblas_set_num_threads");
    text_function *config = (text_function *)find(library, "openblas_get_config");
    text_function *core = (text_function *)find(library, "openblas_get_corename");
    if (set_threads) set_threads((int)threads);
    /* the configuration begins with "OpenBLAS 0.3.21 " */
    const char *name = config ? config() : "OpenBLAS";
    const char *blank = strchr(name, ' '), *end = blank ? strchr(blank + 1, ' ') : NULL;
    int length = (int)(end ? (size_t)(end - name) : strlen(name));
    snprintf(blas->description, sizeof blas->description, "%.*s %s", length, name, core ? core() : "");
}

/* ---- BLIS ---- */

typedef const char *arch_name_function(int);

/* The numbers of its kernels differ between versions: found by name. BLIS reads the variable on first use. */
static void prefer_avx512_in_blis(void *library)
{
    arch_name_function *name = (arch_name_function *)find(library, "bli_arch_string");
    if (!has_avx512() || !name) return;
    for (int i = 0; i < 4; i++) {
        const char *text = name(i);
        if (!text || strcmp(text, "skx") != 0) continue;
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        setenv("BLIS_ARCH_TYPE", number, 0);
    }
}

static void *open_blis(unsigned threads)
{
    static const char *const names[] = {"libblis.so.4", "libblis.so.3", "libblis.so", NULL};
    char number[16];
    snprintf(number, sizeof number, "%u", threads);
    setenv("BLIS_NUM_THREADS", number, 1);
    void *library = open_first(names);
    if (library) prefer_avx512_in_blis(library);
    return library;
}

static void set_up_blis(struct gemm_blas *blas, void *library, unsigned threads)
{
    typedef void set_threads_function(long);
    typedef const char *text_function(void);
    typedef int number_function(void);
    set_threads_function *set_threads = (set_threads_function *)find(library, "bli_thread_set_num_threads");
    text_function *version = (text_function *)find(library, "bli_info_get_version_str");
    number_function *arch = (number_function *)find(library, "bli_arch_query_id");
    arch_name_function *arch_name = (arch_name_function *)find(library, "bli_arch_string");
    if (set_threads) set_threads((long)threads);
    snprintf(blas->description, sizeof blas->description, "BLIS %s %s", version ? version() : "",
             arch && arch_name ? arch_name(arch()) : "");
}

/* ---- both ---- */

static bool open_as(struct gemm_blas *blas, bool openblas, unsigned threads)
{
    void *library = openblas ? open_openblas(threads) : open_blis(threads);
    if (!library) return false;
    blas->dgemm = (dgemm_function *)find(library, "cblas_dgemm");
    blas->sgemm = (sgemm_function *)find(library, "cblas_sgemm");
    if (!blas->dgemm || !blas->sgemm) return false;
    if (openblas)
        set_up_openblas(blas, library, threads);
    else
        set_up_blis(blas, library, threads);
    return true;
}

int gemm_blas_open(const char *which, unsigned threads, const struct gemm_blas **blas, char *error, size_t room)
{
    static struct gemm_blas opened;
    bool any = !which, found = false;
    if (any || strcmp(which, "openblas") == 0) found = open_as(&opened, true, threads);
    if (!found && (any || strcmp(which, "blis") == 0)) found = open_as(&opened, false, threads);
    if (!found) {
        snprintf(error, room, "%s found",
                 any               ? "neither OpenBLAS nor BLIS was"
                 : which[0] == 'o' ? "OpenBLAS was not"
                                   : "BLIS was not");
        return -ENOTSUP;
    }
    *blas = &opened;
    return 0;
}
