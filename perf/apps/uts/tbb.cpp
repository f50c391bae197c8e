/* uts with TBB: a task_group for each node that has children. */
#include <alloca.h>

#include <oneapi/tbb/task_group.h>

#include "apps/uts/uts.h"
#include "harness/arena.hpp"

namespace
{

uts_search search;
std::unique_ptr<perf_arena> arena;
std::unique_ptr<tbb::global_control> stacks; /* of the threads that TBB starts */

uts_counts search_below(const uts_tree &tree, const uts_node &node)
{
    unsigned count = uts_children(&tree, &node);
    uts_counts found = uts_alone(&node, count);
    if (count == 0) return found;
    auto below = static_cast<uts_counts *>(alloca(count * sizeof(uts_counts)));
    tbb::task_group children;
    for (unsigned i = 0; i < count; i++) {
        children.run([&tree, &node, below, i] {
            uts_node child;
            uts_child(&tree, &node, i, &child);
            below[i] = search_below(tree, child);
        });
    }
    children.wait();
    for (unsigned i = 0; i < count; i++) uts_add(&found, &below[i]);
    return found;
}

void search_all(void *)
{
    uts_node root;
    uts_root(&search.tree, &root);
    arena->arena.execute([&] { search.counts = search_below(search.tree, root); });
}

void discard(void *state)
{
    arena.reset();
    stacks.reset();
    uts_discard(state);
}

int prepare(const perf_input *input, void **state, char *error, size_t room)
{
    *state = &search;
    int bad = uts_prepare(input, true, &search, error, room);
    if (bad) return bad;
    try {
        stacks = std::make_unique<tbb::global_control>(tbb::global_control::thread_stack_size, UTS_STACK);
        bad = perf_arena_open(arena, input->workers, error, room);
    } catch (const std::exception &e) {
        std::snprintf(error, room, "TBB: %s", e.what());
        bad = -ENOMEM;
    }
    if (bad) discard(&search);
    return bad;
}

void run(void *state)
{
    deep_thread_call(search.thread, search_all, state);
}

} // namespace

extern "C" const perf_implementation perf_uts_tbb;
const perf_implementation perf_uts_tbb = {"uts", "tbb", prepare, nullptr, run, uts_check, discard};
