/* Unbalanced Tree Search (Olivier et al., LCPC 2006): count the nodes of a tree that is grown while it is searched. A
 * node is the SHA-1 of its parent and its number among the children, and the number of its children is drawn from it.
 * So any process can make any node, and the size of the tree below a node is unknown.
 *
 * Every node but the root is a task, without a cut-off. It makes itself from its parent, which waits, and returns the
 * counts of its subtree. */
#ifndef HEIST_PERF_UTS_H
#define HEIST_PERF_UTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/uts/deep_thread.h"
#include "apps/uts/grow.h"
#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of children of a node; none after Ctrl-C. */
unsigned uts_children(const struct uts_tree *tree, const struct uts_node *node);

/* The counts of a node alone; the caller adds those of its children. */
static inline struct uts_counts uts_alone(const struct uts_node *node, unsigned children)
{
    struct uts_counts counts = {1, children == 0, node->height};
    return counts;
}

static inline void uts_add(struct uts_counts *to, const struct uts_counts *below)
{
    to->nodes += below->nodes;
    to->leaves += below->leaves;
    if (below->depth > to->depth) to->depth = below->depth;
}

/* One search after the other. */
struct uts_search {
    struct uts_tree tree;
    struct uts_counts counts;   /* found by the last run */
    struct deep_thread *thread; /* to run in, or NULL */
};

/* Bytes of stack for each thread, reserved and touched only as far as it is used. Searching T3L, 17844 deep, with two
 * workers, the whole process touched about 30 MiB under TBB and libomp, and 13 or less under the others. */
#define UTS_STACK ((size_t)256 << 20)

/* The functions of perf_implementation that all runtimes share: `state` is the search. With `deep`, the search has its
 * own thread. uts_check clears the results: the next run has to find them again. */
int uts_prepare(const struct perf_input *input, bool deep, struct uts_search *search, char *error, size_t room);
void uts_check(void *state, struct perf_outcome *outcome);
void uts_discard(void *state);

#ifdef __cplusplus
}
#endif

#endif
