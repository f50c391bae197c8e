/* uts with heist: a typed task for each node. */
#include "apps/uts/uts.h"
#include "harness/pool.h"

static struct uts_search search;
static struct perf_pool pool;

typedef const struct uts_tree *tree_pointer;
typedef const struct uts_node *node_pointer;
typedef struct uts_counts counts;

HEIST_TASK_DECL(counts, search_child, tree_pointer, tree, node_pointer, parent, unsigned, number);

/* Children are joined from the last to the first, as they lie on the deque. */
HEIST_TASK(counts, search_below, tree_pointer, tree, node_pointer, node)
{
    unsigned count = uts_children(tree, node);
    counts found = uts_alone(node, count);
    if (count == 0) return found;
    HEIST_CHILD(search_child) children[count];
    for (unsigned i = 0; i < count; i++) HEIST_SPAWN_AT(&children[i], search_child, tree, node, i);
    while (count > 0) {
        counts below = HEIST_SYNC_AT(&children[--count], search_child);
        uts_add(&found, &below);
    }
    return found;
}

HEIST_TASK_IMPL(counts, search_child, tree_pointer, tree, node_pointer, parent, unsigned, number)
{
    struct uts_node node;
    uts_child(tree, parent, number, &node);
    return HEIST_CALL(search_below, tree, &node);
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    *state = &search;
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = input->workers;
    options.stack_size = UTS_STACK;
    int bad = uts_prepare(input, false, &search, error, room);
    return bad ? bad : perf_pool_open_with(&pool, &options, error, room);
}

static void run(void *state)
{
    (void)state;
    struct uts_node root;
    uts_root(&search.tree, &root);
    search.counts = HEIST_RUN(pool.pool, search_below, &search.tree, &root);
}

static void check(void *state, struct perf_outcome *outcome)
{
    uts_check(state, outcome);
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    perf_pool_close(&pool);
    uts_discard(state);
}

const struct perf_implementation perf_uts_heist = {"uts", "heist", prepare, NULL, run, check, discard};
