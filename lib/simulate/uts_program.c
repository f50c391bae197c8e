/* uts_program.c: the trees of Unbalanced Tree Search, node by node as in heist-perf: every node but the root is a
 * spawned task. A node's five words of SHA-1 and its height fill the task; its next child is the step. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "apps/uts/grow.h"
#include "simulate/generators.h"

const char *const heist__sim_uts_words[] = {"T1",  "T2",  "T3",  "T4",  "T5",  "T1L", "T2L",
                                            "T3L", "T1S", "T2S", "T3S", "T4S", "T5S", NULL};

typedef struct {
    struct uts_tree tree;
    int64_t grain;
} uts;

static void node_of(const heist__sim_task *t, struct uts_node *node)
{
    _Static_assert(sizeof *node == sizeof t->word, "a node fills a task");
    memcpy(node, t->word, sizeof *node);
}

static heist__sim_kind uts_step(void *state, heist__sim_task *t, uint32_t step, const heist__sim_place *place,
                                heist__sim_step *out)
{
    (void)place;
    const uts *u = state;
    struct uts_node node, child;
    out->ps = u->grain;
    if (step == 0) return HEIST__SIM_WORK;
    node_of(t, &node);
    if (step > uts_children_of(&u->tree, &node)) return HEIST__SIM_END;
    uts_child(&u->tree, &node, step - 1, &child);
    memcpy(out->child.word, &child, sizeof child);
    return HEIST__SIM_SPAWN;
}

int heist__sim_make_uts(heist__sim_program *p, const double *v)
{
    uts *u = malloc(sizeof *u);
    struct uts_node root;
    if (!u) return -ENOMEM;
    uts_tree_init(&u->tree, uts_recipe_called(heist__sim_uts_words[(size_t)v[0]]), sha1_fastest(NULL));
    u->grain = (int64_t)(v[1] * 1e3 + 0.5);
    uts_root(&u->tree, &root);
    memcpy(p->root.word, &root, sizeof root);
    p->state = u;
    p->free = free;
    p->step = uts_step;
    return 0;
}
