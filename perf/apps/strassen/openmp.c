/* strassen with OpenMP tasks. */
#include <omp.h>

#include "apps/strassen/strassen.h"

static struct strassen_job job;

static void put_all_together(const struct strassen_split *split)
{
    if (split->bands == 1) {
        strassen_put_together(split, 0);
        return;
    }
    for (unsigned i = 0; i < split->bands; i++) {
#pragma omp task firstprivate(split, i)
        strassen_put_together(split, i);
    }
#pragma omp taskwait
}

static void multiply(const struct strassen_product *whole)
{
    struct strassen_split split;
    if (whole->n <= job.cutoff) {
        strassen_base(whole);
        return;
    }
    if (!strassen_split_begin(&split, whole)) return;
    for (unsigned i = 0; i < 7; i++) {
#pragma omp task shared(split) firstprivate(i)
        {
            struct strassen_product part;
            if (strassen_product_begin(&part, &split, i)) {
                multiply(&part);
                strassen_product_end(&part);
            }
        }
    }
#pragma omp taskwait
    put_all_together(&split);
    strassen_split_end(&split);
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    *state = &job;
    omp_set_dynamic(0);
    omp_set_num_threads((int)input->workers);
    return strassen_prepare(input, &job, error, room);
}

static void run(void *state)
{
    (void)state;
    struct strassen_product whole = strassen_whole(&job);
#pragma omp parallel
#pragma omp single
    multiply(&whole);
}

const struct perf_implementation PERF_OPENMP(strassen) = {
    "strassen", PERF_OPENMP_RUNTIME, prepare, strassen_reset, run, strassen_check, strassen_discard};
