/* The table of the programs that heist grew from, shown beside ours: double precision, 1000^3, on their authors'
 * machine. */
#ifndef HEIST_PERF_GEMM_SEEDS_H
#define HEIST_PERF_GEMM_SEEDS_H

#include "apps/gemm/gemm.h"

struct gemm_seeds_row {
    unsigned threads;
    double gflops, efficiency; /* efficiency: speed-up over their one thread, divided by the threads */
};

/* NULL: the table does not have that product with that many threads. */
const struct gemm_seeds_row *gemm_seeds_row(const struct gemm_product *product, unsigned threads);

#endif
