/* The input and the check of tree, the same for every runtime. */
#include "apps/tree/tree.h"

#include <errno.h>
#include <stdio.h>

static long leaves_at(int depth)
{
    long leaves = 1;
    while (depth-- > 0) leaves *= TREE_WAYS;
    return leaves;
}

static int read_depth(const char *size, int *depth, char *error, size_t room)
{
    long leaves;
    int bad = perf_number(size, "leaves:", 10, 1000000000, &leaves, error, room);
    if (bad) return bad;
    for (*depth = 1; leaves_at(*depth) < leaves; ++*depth) {
    }
    if (leaves_at(*depth) == leaves) return 0;
    snprintf(error, room, "leaves: '%s' is not a power of ten", size);
    return -EINVAL;
}

int tree_size(const char *size, char *error, size_t room)
{
    int depth;
    return read_depth(size, &depth, error, room);
}

int tree_prepare(const struct perf_input *input, struct tree *tree, char *error, size_t room)
{
    return read_depth(input->size, &tree->depth, error, room);
}

void tree_check(const struct tree *tree, struct perf_outcome *outcome)
{
    long expected = leaves_at(tree->depth);
    outcome->tasks = (uint64_t)(expected * TREE_WAYS - TREE_WAYS) / (TREE_WAYS - 1); /* all nodes but the root */
    perf_expect(outcome, "leaves", tree->leaves, expected);
}
