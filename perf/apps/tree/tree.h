/* A tree with ten children for each inner node. Every node is a task that returns the number of leaves below it. */
#ifndef HEIST_PERF_TREE_H
#define HEIST_PERF_TREE_H

#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TREE_WAYS 10

struct tree {
    int depth;
    long leaves; /* the result */
};

int tree_size(const char *size, char *error, size_t room);
int tree_prepare(const struct perf_input *input, struct tree *tree, char *error, size_t room);
void tree_check(const struct tree *tree, struct perf_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
