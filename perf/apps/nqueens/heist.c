/* nqueens in heist's tasks. */
#include "apps/nqueens/nqueens.h"
#include "harness/pool.h"

HEIST_TASK(long, place, struct nqueens_board, board, int, column, int, n)
{
    if (column == n) return 1;
    HEIST_CHILD(place) children[NQUEENS_MOST];
    int count = 0;
    for (int row = 0; row < n; row++) {
        if (!nqueens_fits(board, column, row)) continue;
        HEIST_SPAWN_AT(&children[count++], place, nqueens_with(board, row), column + 1, n);
    }
    long solutions = 0;
    while (count > 0) solutions += HEIST_SYNC_AT(&children[--count], place);
    return solutions;
}

static struct nqueens only;
static struct perf_pool pool;

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    int bad = nqueens_prepare(input, &only, error, room);
    return bad ? bad : perf_pool_open(&pool, input->workers, error, room);
}

static void run(void *state)
{
    (void)state;
    only.solutions = HEIST_RUN(pool.pool, place, (struct nqueens_board){0}, 0, only.n);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    nqueens_check(&only, outcome);
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    (void)state;
    perf_pool_close(&pool);
}

const struct perf_implementation perf_nqueens_heist = {
    .workload = "nqueens", .runtime = "heist", .prepare = prepare, .run = run, .check = check, .discard = discard};
