/* The table of the seeds, the programs from which heist grew, shown beside ours: double precision, 1000^3, on their
 * authors' machine. */
#ifndef HEIST_PERF_GEMM_SEEDS_H
#define HEIST_PERF_GEMM_SEEDS_H

#include "apps/gemm/gemm.h"

/* X(threads, GFLOP/s, efficiency in percent: speed-up over their one thread, divided by the threads). The only place of
 * these figures: the table's note and the rows, which the report reads, are made from it. */
#define GEMM_SEEDS(X) X(1, 3.5, 100) X(2, 6.9, 99) X(4, 13.5, 97) X(8, 28.2, 101) X(16, 48.8, 87)

struct gemm_seeds_row {
    unsigned threads;
    double gflops, efficiency;
};

/* NULL: the table does not have that product with that many threads. */
const struct gemm_seeds_row *gemm_seeds_row(const struct gemm_product *product, unsigned threads);

#endif
