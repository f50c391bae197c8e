/* strassen with heist. */
#include "apps/strassen/strassen.h"
#include "harness/pool.h"

static struct strassen_job job;
static struct perf_pool pool;

typedef const struct strassen_product *product_pointer;
typedef const struct strassen_split *split_pointer;

HEIST_VOID_TASK_DECL(multiply, product_pointer, whole);

HEIST_VOID_TASK(multiply_part, split_pointer, split, unsigned, number)
{
    struct strassen_product part;
    if (!strassen_product_begin(&part, split, number)) return;
    HEIST_CALL(multiply, &part);
    strassen_product_end(&part);
}

HEIST_VOID_TASK(put_together, split_pointer, split, unsigned, band)
{
    strassen_put_together(split, band);
}

HEIST_VOID_TASK(put_all_together, split_pointer, split)
{
    if (split->bands == 1) {
        strassen_put_together(split, 0);
        return;
    }
    HEIST_CHILD(put_together) bands[split->bands];
    for (unsigned i = 0; i < split->bands; i++) HEIST_SPAWN_AT(&bands[i], put_together, split, i);
    for (unsigned i = split->bands; i-- > 0;) HEIST_SYNC_AT(&bands[i], put_together);
}

HEIST_VOID_TASK_IMPL(multiply, product_pointer, whole)
{
    struct strassen_split split;
    if (whole->n <= job.cutoff) {
        strassen_base(whole);
        return;
    }
    if (!strassen_split_begin(&split, whole)) return;
    HEIST_CHILD(multiply_part) parts[7];
    for (unsigned i = 0; i < 7; i++) HEIST_SPAWN_AT(&parts[i], multiply_part, &split, i);
    for (unsigned i = 7; i-- > 0;) HEIST_SYNC_AT(&parts[i], multiply_part);
    HEIST_CALL(put_all_together, &split);
    strassen_split_end(&split);
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    *state = &job;
    int bad = strassen_prepare(input, &job, error, room);
    if (bad) return bad;
    bad = perf_pool_open(&pool, input->workers, error, room);
    if (bad) strassen_discard(&job);
    return bad;
}

static void run(void *state)
{
    (void)state;
    struct strassen_product whole = strassen_whole(&job);
    HEIST_RUN(pool.pool, multiply, &whole);
}

static void check(void *state, struct perf_outcome *outcome)
{
    strassen_check(state, outcome);
    perf_pool_tell(&pool, outcome);
}

static void discard(void *state)
{
    perf_pool_close(&pool);
    strassen_discard(state);
}

const struct perf_implementation perf_strassen_heist = {"strassen", "heist", prepare, strassen_reset,
                                                        run,        check,   discard};
