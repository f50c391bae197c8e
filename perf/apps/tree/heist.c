/* tree in heist's tasks. */
#include "apps/tree/tree.h"
#include "harness/pool.h"

HEIST_TASK(long, count, int, depth)
{
    if (depth == 0) return 1;
    HEIST_CHILD(count) children[TREE_WAYS];
    for (int i = 0; i < TREE_WAYS; i++) HEIST_SPAWN_AT(&children[i], count, depth - 1);
    long leaves = 0;
    for (int i = TREE_WAYS - 1; i >= 0; i--) leaves += HEIST_SYNC_AT(&children[i], count);
    return leaves;
}

static struct tree only;
static struct perf_pool pool;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    int bad = tree_prepare(input, &only, error, room);
    return bad ? bad : perf_pool_open(&pool, input->workers, error, room);
}

static void run(void *state)
{
    (void)state;
    only.leaves = HEIST_RUN(pool.pool, count, only.depth);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    tree_check(&only, outcome);
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    (void)state;
    perf_pool_close(&pool);
}

const struct perf_implementation perf_tree_heist = {
    .workload = "tree", .runtime = "heist", .prepare = prepare, .run = run, .check = check, .discard = discard};
