/* How a tree grows, the same for every runtime and for heist-sim. */
#include "apps/uts/grow.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Only the root of a binomial tree has more. */
#define MOST_CHILDREN 100u

/* The mean number of children at a height of a geometric tree. */
static double mean_children(const struct uts_recipe *r, unsigned height)
{
    double part = (double)height / (double)r->depth;
    if (height == 0) return r->branching;
    switch (r->shape) {
    case UTS_CYCLIC: return height > 5 * r->depth ? 0 : pow(r->branching, sin(2 * 3.141592653589793 * part));
    case UTS_FIXED: return height < r->depth ? r->branching : 0;
    case UTS_LINEAR: break;
    }
    return height < r->depth ? r->branching * (1 - part) : 0;
}

void uts_tree_init(struct uts_tree *tree, const struct uts_recipe *recipe, sha1_function *hash)
{
    tree->recipe = recipe;
    tree->hash = hash;
    for (unsigned height = 0; recipe->kind != UTS_BINOMIAL && height < UTS_HEIGHTS; height++)
        tree->log_failure[height] = log(1 - 1 / (1 + mean_children(recipe, height)));
}

/* A message of the first `count` words: SHA-1 puts a one bit behind it and its length at the end. */
static void hash_words(const struct uts_tree *tree, uint32_t block[16], unsigned count, uint32_t state[5])
{
    block[count] = 0x80000000u;
    for (unsigned i = count + 1; i < 15; i++) block[i] = 0;
    block[15] = 32 * count;
    memcpy(state, sha1_start, sizeof sha1_start);
    tree->hash(state, block);
}

void uts_root(const struct uts_tree *tree, struct uts_node *root)
{
    uint32_t block[16] = {0, 0, 0, 0, tree->recipe->seed};
    root->height = 0;
    hash_words(tree, block, 5, root->state);
}

void uts_child(const struct uts_tree *tree, const struct uts_node *parent, uint32_t number, struct uts_node *child)
{
    uint32_t block[16];
    memcpy(block, parent->state, sizeof parent->state);
    block[5] = number;
    child->height = parent->height + 1;
    hash_words(tree, block, 6, child->state);
}

/* The number that is drawn from a node, from 0 to less than 1. */
static double drawn(const struct uts_node *node)
{
    return (double)(node->state[4] & 0x7fffffffu) / 2147483648.0;
}

static bool is_geometric_at(const struct uts_recipe *r, uint32_t height)
{
    return r->kind == UTS_GEOMETRIC || (r->kind == UTS_HYBRID && height < 0.5 * r->depth);
}

unsigned uts_children_of(const struct uts_tree *tree, const struct uts_node *node)
{
    const struct uts_recipe *r = tree->recipe;
    if (is_geometric_at(r, node->height)) {
        if (node->height >= UTS_HEIGHTS) return 0;
        double count = floor(log(1 - drawn(node)) / tree->log_failure[node->height]);
        return count < MOST_CHILDREN ? (unsigned)count : MOST_CHILDREN;
    }
    if (node->height == 0) return (unsigned)r->branching;
    return drawn(node) < r->probability ? r->children : 0;
}
