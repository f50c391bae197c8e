/* How a tree of UTS grows: the part that needs nothing of the harness, so that heist-sim has the same trees. */
#ifndef HEIST_PERF_UTS_GROW_H
#define HEIST_PERF_UTS_GROW_H

#include <stdint.h>

#include "apps/uts/sha1.h"

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

/* Number of children of a node. */
unsigned uts_children_of(const struct uts_tree *tree, const struct uts_node *node);

#ifdef __cplusplus
}
#endif

#endif
