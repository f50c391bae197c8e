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
#include "apps/uts/sha1.h"
#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The law by which a node's children are drawn. */
enum uts_kind {
    UTS_BINOMIAL,  /* `children` of them, or none */
    UTS_GEOMETRIC, /* geometrically distributed, the mean a function of the height */
    UTS_HYBRID     /* geometric in the upper half of `depth`, binomial below */
};

/* How the mean of a geometric tree depends on the height. */
enum uts_shape { UTS_LINEAR, UTS_CYCLIC, UTS_FIXED };

struct uts_counts {
    uint64_t nodes, leaves;
    uint32_t depth; /* the root's is 0 */
};

/* The parameters of a tree, and its expected size. */
struct uts_recipe {
    const char *name;
    enum uts_kind kind;
    enum uts_shape shape;
    unsigned depth;     /* of the geometric part */
    double branching;   /* the root's mean; exactly its children in a binomial tree */
    uint32_t seed;      /* of the root */
    double probability; /* binomial: of having children */
    unsigned children;  /* binomial: how many then */
    struct uts_counts expected;
};

/* All that are known; a NULL name ends them. NULL if there is none of that name. */
extern const struct uts_recipe uts_recipes[];
const struct uts_recipe *uts_recipe_called(const char *name);

/* More heights than any geometric part has; those beyond have no children. */
#define UTS_HEIGHTS 128

/* A recipe with its derived values. */
struct uts_tree {
    const struct uts_recipe *recipe;
    sha1_function *hash;
    double log_failure[UTS_HEIGHTS]; /* geometric: log(1 - p) of the distribution at each height */
};

struct uts_node {
    uint32_t state[5];
    uint32_t height;
};

void uts_tree_init(struct uts_tree *tree, const struct uts_recipe *recipe, sha1_function *hash);
void uts_root(const struct uts_tree *tree, struct uts_node *root);
void uts_child(const struct uts_tree *tree, const struct uts_node *parent, uint32_t number, struct uts_node *child);

/* Number of children of a node; none after Ctrl-C. */
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
