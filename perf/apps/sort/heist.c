/* sort with heist. */
#include "apps/sort/sort.h"
#include "harness/pool.h"

static struct sort_job job;
static struct perf_pool pool;

typedef struct sort_merge two_runs;
typedef uint64_t *keys_pointer;

HEIST_VOID_TASK(merge, two_runs, m, size_t, cutoff)
{
    if (sort_merge_size(&m) <= cutoff) {
        sort_merge_serially(&m);
        return;
    }
    two_runs lower, upper;
    sort_merge_cut(&m, &lower, &upper);
    HEIST_SPAWN(half, merge, lower, cutoff);
    HEIST_CALL(merge, upper, cutoff);
    HEIST_SYNC(half);
}

HEIST_VOID_TASK(sort, keys_pointer, keys, keys_pointer, spare, size_t, n, bool, into_spare, size_t, cutoff)
{
    if (n <= cutoff) {
        sort_serially(keys, spare, n, into_spare);
        return;
    }
    size_t half = n / 2;
    HEIST_SPAWN(left, sort, keys, spare, half, !into_spare, cutoff);
    HEIST_CALL(sort, keys + half, spare + half, n - half, !into_spare, cutoff);
    HEIST_SYNC(left);
    HEIST_CALL(merge, sort_merge_halves(into_spare ? keys : spare, n, into_spare ? spare : keys), cutoff);
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    *state = &job;
    int bad = sort_prepare(input, &job, error, room);
    if (bad) return bad;
    bad = perf_pool_open(&pool, input->workers, error, room);
    if (bad) sort_discard(&job);
    return bad;
}

static void run(void *state)
{
    (void)state;
    HEIST_RUN(pool.pool, sort, job.keys, job.spare, job.n, false, job.cutoff);
}

static void check(void *state, struct perf_outcome *outcome)
{
    sort_check(state, outcome);
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    perf_pool_close(&pool);
    sort_discard(state);
}

const struct perf_implementation perf_sort_heist = {"sort", "heist", prepare, sort_reset, run, check, discard};
