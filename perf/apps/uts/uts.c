/* The parts of a search that all runtimes share. */
#include "apps/uts/uts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

unsigned uts_children(const struct uts_tree *tree, const struct uts_node *node)
{
    return perf_interrupted ? 0 : uts_children_of(tree, node);
}

int uts_prepare(const struct perf_input *input, bool deep, struct uts_search *search, char *error, size_t room)
{
    const struct uts_recipe *recipe = uts_recipe_called(input->size);
    if (!recipe) {
        snprintf(error, room, "there is no tree '%s'", input->size);
        return -EINVAL;
    }
    uts_tree_init(&search->tree, recipe, sha1_fastest(NULL));
    search->counts = (struct uts_counts){0, 0, 0};
    search->thread = NULL;
    int result = deep ? deep_thread_new(&search->thread, UTS_STACK) : 0;
    if (result) snprintf(error, room, "no thread with a deep stack: %s", strerror(-result));
    return result;
}

void uts_check(void *state, struct perf_outcome *outcome)
{
    struct uts_search *search = state;
    const struct uts_recipe *recipe = search->tree.recipe;
    const struct uts_counts found = search->counts, expected = recipe->expected;
    search->counts = (struct uts_counts){0, 0, 0};
    outcome->tasks = found.nodes ? found.nodes - 1 : 0;
    if (perf_interrupted) {
        snprintf(outcome->check, sizeof outcome->check, "interrupted");
    } else if (found.nodes != expected.nodes || found.leaves != expected.leaves || found.depth != expected.depth) {
        snprintf(outcome->check, sizeof outcome->check,
                 "%" PRIu64 " nodes, %" PRIu64 " leaves, depth %" PRIu32 "; %s has %" PRIu64 ", %" PRIu64 ", %" PRIu32,
                 found.nodes, found.leaves, found.depth, recipe->name, expected.nodes, expected.leaves, expected.depth);
    } else {
        snprintf(outcome->check, sizeof outcome->check, "ok");
    }
}

void uts_discard(void *state)
{
    struct uts_search *search = state;
    deep_thread_free(search->thread);
}
