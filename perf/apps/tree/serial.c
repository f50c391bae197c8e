/* tree as a plain function. */
#include "apps/tree/tree.h"

static __attribute__((noinline)) long count(int depth)
{
    __asm__ __volatile__(""); /* otherwise clang finds that it is a power of ten */
    if (depth == 0) return 1;
    long leaves = 0;
    for (int i = 0; i < TREE_WAYS; i++) leaves += count(depth - 1);
    return leaves;
}

static struct tree only;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    return tree_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
    only.leaves = count(only.depth);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    tree_check(&only, outcome);
}

const struct perf_implementation perf_tree_serial = {
    .workload = "tree", .runtime = "serial", .prepare = prepare, .run = run, .check = check};
