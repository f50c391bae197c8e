/* gemm for the command line: its sizes and options. */
#include <stdio.h>

#include "apps/gemm/seeds.h"
#include "apps/gemm/work.h"

static int fits(size_t m, size_t n, size_t k, size_t extra, char *error, size_t room)
{
    char what[64];
    /* C twice, and for the check at most two more of its size and one of that of B; packed data is small */
    double bytes =
        sizeof(double) * (4.0 * (double)m * (double)n + (double)m * (double)k + 2.0 * (double)k * (double)n) +
        sizeof(double) * (double)extra * (3.0 * (double)m + (double)k);
    snprintf(what, sizeof what, "size %zux%zux%zu", m, n, k);
    return perf_fits(bytes, what, error, room);
}

static int valid_size(const char *size, char *error, size_t room)
{
    size_t m, n, k;
    int result = gemm_size_parse(size, &m, &n, &k, error, room);
    return result < 0 ? result : fits(m, n, k, 0, error, room);
}

static int valid_ld_extra(const char *value, char *error, size_t room)
{
    size_t extra;
    return gemm_ld_extra_parse(value, &extra, error, room);
}

static int agree(const struct perf_input *input, char *error, size_t room)
{
    size_t m, n, k, extra;
    int result = gemm_size_parse(input->size, &m, &n, &k, error, room);
    if (!result) result = gemm_ld_extra_parse(perf_setting(input, "ld-extra"), &extra, error, room);
    return result < 0 ? result : fits(m, n, k, extra, error, room);
}

static int valid_type(const char *value, char *error, size_t room)
{
    return perf_word(value, "double,single", error, room);
}

static int valid_variant(const char *value, char *error, size_t room)
{
    return perf_word(value, "tiles,recursive", error, room);
}

static int valid_kernel(const char *value, char *error, size_t room)
{
    return perf_word(value, "own,cblas", error, room);
}

static int valid_micro(const char *value, char *error, size_t room)
{
    return perf_word(value, "best,avx512,avx2,portable", error, room);
}

#define OUR_TILES "serial,heist,openmp,libomp,tbb" /* the runtimes that compute with them */

static const struct perf_option options[] = {
    {
        .name = "type",
        .value = "TYPE",
        .preset = "double",
        .help = "double or single precision",
        .list = true,
        .valid = valid_type,
    },
    {
        .name = "variant",
        .value = "NAME",
        .preset = "tiles",
        .help =
            "tiles: panels packed for each part, tiles of C as tasks; recursive: the longest side halved, a leaf packs",
        .list = true,
        .valid = valid_variant,
        .only = OUR_TILES,
    },
    {
        .name = "kernel",
        .value = "NAME",
        .preset = "own",
        .help = "own: our micro-kernels; cblas: a serial BLAS for each tile, OpenBLAS or else BLIS",
        .list = true,
        .valid = valid_kernel,
        .only = OUR_TILES,
    },
    {
        .name = "micro",
        .value = "NAME",
        .preset = "best",
        .help = "which of our micro-kernels: best, avx512, avx2, portable",
        .list = true,
        .valid = valid_micro,
        .only = OUR_TILES,
    },
    {
        .name = "ld-extra",
        .value = "N",
        .preset = "0",
        .help = "entries between the rows of A, B and C: the leading dimension minus the length of a row",
        .list = true,
        .valid = valid_ld_extra,
    },
    {.name = NULL},
};

/* clang-format off */
static const char help[] =
    "A size N is the product of two N by N matrices; MxNxK one of M by K with K by N. Row-major, entries between\n"
    "-1 and 1. Every run is checked: each entry takes part in a sum that must be within the rounding-error bound\n"
    "gamma(k+1) * (|C| + |A||B|).\n"
    "\n"
    "OpenBLAS and BLIS are loaded at run time. On a processor with AVX-512 heist-perf selects their kernels for it\n"
    "(OPENBLAS_CORETYPE=SKYLAKEX, BLIS_ARCH_TYPE of skx) unless these variables are set, because the versions in\n"
    "distributions do not know newer AMD processors. The rows name the library and its kernels.\n";

/* clang-format on */

#define SEEDS_LINE(threads, gflops, percent) "  " #threads "\t\t" #gflops "\t" #percent "%\n"
#define SEEDS_LINES GEMM_SEEDS(SEEDS_LINE)

static const char note[] = "seeds_gflops, seeds_efficiency: earlier programs, from which heist grew, double, 1000^3, "
                           "on their authors' machine:\n"
                           "  threads\tGFLOP/s\tefficiency\n" SEEDS_LINES;

const struct perf_workload perf_gemm_workload = {
    .name = "gemm",
    .summary = "C = A*B + C, in blocks: tiles as tasks, against OpenBLAS and BLIS",
    .help = help,
    .note = note,
    .sizes = "500,1000,2000",
    .quick_sizes = "64,100x70x130",
    .valid_size = valid_size,
    .options = options,
    .agree = agree,
};
