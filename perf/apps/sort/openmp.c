/* sort with OpenMP tasks. */
#include <omp.h>

#include "apps/sort/sort.h"

static struct sort_job job;

static void merge(struct sort_merge m, size_t cutoff)
{
    if (sort_merge_size(&m) <= cutoff) {
        sort_merge_serially(&m);
        return;
    }
    struct sort_merge lower, upper;
    sort_merge_cut(&m, &lower, &upper);
#pragma omp task firstprivate(lower, cutoff)
    merge(lower, cutoff);
    merge(upper, cutoff);
#pragma omp taskwait
}

static void sort(uint64_t *keys, uint64_t *spare, size_t n, bool into_spare, size_t cutoff)
{
    if (n <= cutoff) {
        sort_serially(keys, spare, n, into_spare);
        return;
    }
    size_t half = n / 2;
#pragma omp task firstprivate(keys, spare, half, into_spare, cutoff)
    sort(keys, spare, half, !into_spare, cutoff);
    sort(keys + half, spare + half, n - half, !into_spare, cutoff);
#pragma omp taskwait
    merge(sort_merge_halves(into_spare ? keys : spare, n, into_spare ? spare : keys), cutoff);
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    *state = &job;
    omp_set_dynamic(0);
    omp_set_num_threads((int)input->workers);
    return sort_prepare(input, &job, error, room);
}

static void run(void *state)
{
    (void)state;
#pragma omp parallel
#pragma omp single
    sort(job.keys, job.spare, job.n, false, job.cutoff);
}

const struct perf_implementation PERF_OPENMP(sort) = {"sort", PERF_OPENMP_RUNTIME, prepare,     sort_reset,
                                                      run,    sort_check,          sort_discard};
