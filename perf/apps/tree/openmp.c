/* tree in OpenMP tasks. */
#include <omp.h>

#include "apps/tree/tree.h"

static long count(int depth)
{
    if (depth == 0) return 1;
    long below[TREE_WAYS], leaves = 0;
    for (int i = 0; i < TREE_WAYS; i++) {
#pragma omp task shared(below) firstprivate(i)
        below[i] = count(depth - 1);
    }
#pragma omp taskwait
    for (int i = 0; i < TREE_WAYS; i++) leaves += below[i];
    return leaves;
}

static struct tree only;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    omp_set_dynamic(0);
    omp_set_num_threads((int)input->workers);
    return tree_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
#pragma omp parallel
#pragma omp single
    only.leaves = count(only.depth);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    tree_check(&only, outcome);
}

const struct perf_implementation PERF_OPENMP(tree) = {
    .workload = "tree", .runtime = PERF_OPENMP_RUNTIME, .prepare = prepare, .run = run, .check = check};
