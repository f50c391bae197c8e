/* uts without tasks: a recursion. */
#include "apps/uts/uts.h"

static struct uts_search search;

static struct uts_counts search_below(const struct uts_tree *tree, const struct uts_node *node)
{
    unsigned count = uts_children(tree, node);
    struct uts_counts counts = uts_alone(node, count);
    for (unsigned i = 0; i < count; i++) {
        struct uts_node child;
        uts_child(tree, node, i, &child);
        struct uts_counts below = search_below(tree, &child);
        uts_add(&counts, &below);
    }
    return counts;
}

static void search_all(void *nothing)
{
    (void)nothing;
    struct uts_node root;
    uts_root(&search.tree, &root);
    search.counts = search_below(&search.tree, &root);
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    *state = &search;
    return uts_prepare(input, true, &search, error, room);
}

static void run(void *state)
{
    deep_thread_call(search.thread, search_all, state);
}

const struct perf_implementation perf_uts_serial = {"uts", "serial", prepare, NULL, run, uts_check, uts_discard};
