/* Reductions: the right result in the right order for any monoid, the same bits every time when asked, and untouched
 * results when a loop fails. */
#include <errno.h>

#include <heist/heist.h>

#include "loop_support.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
}

void tearDown(void)
{
    alarm(0);
}

/* ---- a monoid that is not commutative: runs of neighbouring indices ---- */

/* [first, last); empty is neutral. Two that do not meet are broken, and stay so. */
typedef struct {
    int64_t first, last;
    bool broken;
    int seal; /* a result that did not begin as the identity lacks it */
} run;

#define SEAL 12345

static const run empty_run = {0, 0, false, SEAL};

static void append(void *left, const void *right, void *context)
{
    (void)context;
    run *l = left;
    const run *r = right;
    if (r->broken || r->seal != SEAL || l->seal != SEAL) l->broken = true;
    if (r->first == r->last) return;
    if (l->first == l->last) {
        l->first = r->first;
    } else if (l->last != r->first) {
        l->broken = true;
    }
    l->last = r->last;
}

static int append_part(heist_range part, void *accumulator, void *context)
{
    uint64_t *work = context;
    if (work && heist_range_count(part) < 100) { /* something to steal */
        for (volatile int spin = 0; spin < (int)*work; spin = spin + 1) {
        }
    }
    const run next = {part.begin, part.end, false, SEAL};
    append(accumulator, &next, NULL);
    return 0;
}

static const heist_monoid runs = {sizeof(run), &empty_run, append};

static void parts_are_combined_in_order(void)
{
    static const uint64_t batches[] = {0, 1, 3, 64};
    uint64_t seed = test_seed();
    for (unsigned workers = 1; workers <= 8; workers++) {
        heist_pool *pool = loop_pool(workers);
        for (int round = 0; round < test_scale(300); round++) {
            heist_loop_options options = {.schedule = all_schedules[draw(&seed) % SCHEDULES],
                                          .batch = batches[draw(&seed) % 4],
                                          .take = draw(&seed) % 3,
                                          .deterministic = draw(&seed) % 2};
            int64_t n = draw(&seed) % 5000;
            uint64_t work = draw(&seed) % 300;
            run result = {-1, -1, true, 0};
            TEST_ASSERT_EQUAL_INT(0, heist_reduce(pool, heist_upto(n), &runs, append_part, &work, &result, &options));
            TEST_ASSERT_FALSE_MESSAGE(result.broken, schedule_word(options.schedule));
            TEST_ASSERT_EQUAL_INT64(0, result.first);
            TEST_ASSERT_EQUAL_INT64(n, result.last);
        }
        free_pool(pool);
    }
}

static int append_slowly(heist_range part, void *accumulator, void *context)
{
    sleep_us(100); /* let the rest be stolen */
    return append_part(part, accumulator, context);
}

/* Checks the order. True: a thief came. */
static bool some_parts_are_stolen(void *argument)
{
    heist_pool *pool = argument;
    heist_stats before = stats_of(pool);
    FOR_ALL_SCHEDULES(schedule)
    for (int round = 0; round < 4; round++) {
        heist_loop_options options = {.schedule = *schedule, .batch = 1};
        run result = {-1, -1, true, 0};
        TEST_ASSERT_EQUAL_INT(0, heist_reduce(pool, heist_upto(80), &runs, append_slowly, NULL, &result, &options));
        TEST_ASSERT_FALSE_MESSAGE(result.broken, schedule_word(*schedule));
        TEST_ASSERT_EQUAL_INT64(0, result.first);
        TEST_ASSERT_EQUAL_INT64(80, result.last);
    }
    heist_stats after = stats_of(pool);
    return steals_in(&after) > steals_in(&before);
}

static void stolen_parts_are_combined_in_order(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(4, *mode);
        TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(some_parts_are_stolen, pool), "no thief came");
        free_pool(pool);
    }
}

/* ---- results of any size ---- */

#define BINS 200

typedef struct {
    uint32_t bin[BINS]; /* more than fits where small results lie */
} histogram;

static const histogram no_counts;

static void add_histograms(void *left, const void *right, void *context)
{
    CHECK(*(const char *)context == 'h'); /* the loop's own */
    for (int i = 0; i < BINS; i++) ((histogram *)left)->bin[i] += ((const histogram *)right)->bin[i];
}

static int count_part(heist_range part, void *accumulator, void *context)
{
    CHECK(*(const char *)context == 'h');
    CHECK((uintptr_t)accumulator % _Alignof(max_align_t) == 0);
    HEIST_EACH(i, part)((histogram *)accumulator)->bin[i % BINS]++;
    return 0;
}

static void large_results_are_as_good(void)
{
    const heist_monoid monoid = {sizeof(histogram), &no_counts, add_histograms};
    char context = 'h';
    for (unsigned workers = 1; workers <= 4; workers++) {
        heist_pool *pool = loop_pool(workers);
        FOR_ALL_SCHEDULES(schedule)
        for (int round = 0; round < test_scale(20); round++) {
            histogram result;
            heist_loop_options options = {.schedule = *schedule, .batch = (uint64_t)(round % 3) * 7};
            TEST_ASSERT_EQUAL_INT(
                0, heist_reduce(pool, heist_upto(BINS * 50), &monoid, count_part, &context, &result, &options));
            TEST_ASSERT_EACH_EQUAL_UINT32(50, result.bin, BINS);
        }
        free_pool(pool);
    }
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

/* ---- the same bits ---- */

HEIST_FOLD(float, rough_sum, 0.0f, HEIST_PLUS, sum, i, const float *, x)
{
    return sum + x[i];
}

static void deterministic_sums_are_the_same_to_the_last_bit(void)
{
    enum { N = 20011 };
    static float x[N];
    uint64_t seed = 17;
    for (int i = 0; i < N; i++) x[i] = (float)draw(&seed) / 7.0f * (i % 3 ? 1.0f : -1e-3f);
    static const uint64_t batches[] = {0, 1, 10, 1000, 100000};
    float first[5];
    for (unsigned workers = 1; workers <= 8; workers++) {
        heist_pool *pool = loop_pool(workers);
        FOR_ALL_SCHEDULES(schedule)
        for (int b = 0; b < 5; b++) {
            heist_loop_options options = {.schedule = *schedule, .batch = batches[b], .deterministic = true};
            options.take = workers % 3;
            float sum = -1;
            TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&options, pool, &sum, rough_sum, heist_upto(N), x));
            if (workers == 1 && schedule == all_schedules) first[b] = sum;
            TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&first[b], &sum, sizeof sum, schedule_word(*schedule));
        }
        free_pool(pool);
    }
}

HEIST_FOLD2(float, rough_sum_of_table, 0.0f, HEIST_PLUS, sum, i, j, const float *, x, int64_t, width)
{
    return sum + x[i * width + j];
}

static void tiles_of_our_own_choice_give_the_same_bits_too(void)
{
    enum { ROWS = 90, COLUMNS = 110 };
    static float x[ROWS * COLUMNS];
    uint64_t seed = 19;
    float first = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)draw(&seed) / 7.0f * (i % 3 ? 1.0f : -1e-3f);
    for (unsigned workers = 1; workers <= 8; workers++) {
        heist_pool *pool = loop_pool(workers);
        FOR_ALL_SCHEDULES(schedule)
        {
            heist_loop_options options = {.schedule = *schedule, .deterministic = true};
            float sum = -1;
            TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE2_WITH(&options, pool, &sum, rough_sum_of_table, heist_upto(ROWS),
                                                        heist_upto(COLUMNS), x, COLUMNS));
            if (workers == 1 && schedule == all_schedules) first = sum;
            TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&first, &sum, sizeof sum, schedule_word(*schedule));
        }
        free_pool(pool);
    }
}

static void another_grain_may_round_otherwise(void)
{
    /* Else the test above would show nothing. */
    enum { N = 20011 };
    static float x[N];
    uint64_t seed = 17;
    for (int i = 0; i < N; i++) x[i] = (float)draw(&seed) / 7.0f * (i % 3 ? 1.0f : -1e-3f);
    heist_pool *pool = loop_pool(2);
    heist_loop_options fine = {.batch = 1, .deterministic = true}, coarse = {.batch = 100000, .deterministic = true};
    float by_fine, by_coarse;
    TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&fine, pool, &by_fine, rough_sum, heist_upto(N), x));
    TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&coarse, pool, &by_coarse, rough_sum, heist_upto(N), x));
    TEST_ASSERT_TRUE(memcmp(&by_fine, &by_coarse, sizeof by_fine) != 0);
    free_pool(pool);
}

/* ---- two dimensions ---- */

typedef struct {
    uint64_t tiles, pairs; /* as many as were seen, in order */
    int64_t row, column;   /* where the last one began */
    bool out_of_order;
} walk;

static const walk no_walk = {0, 0, INT64_MIN, INT64_MIN, false};

static void walk_on(void *left, const void *right, void *context)
{
    (void)context;
    walk *l = left;
    const walk *r = right;
    if (r->tiles == 0) return;
    l->tiles += r->tiles;
    l->pairs += r->pairs;
    l->out_of_order = l->out_of_order || r->out_of_order;
    l->row = r->row;
    l->column = r->column;
}

static int walk_tile(heist_range rows, heist_range columns, void *accumulator, void *context)
{
    (void)context;
    walk *w = accumulator;
    if (w->tiles && (rows.begin < w->row || (rows.begin == w->row && columns.begin <= w->column)))
        w->out_of_order = true;
    w->tiles++;
    w->pairs += heist_range_count(rows) * heist_range_count(columns);
    w->row = rows.begin;
    w->column = columns.begin;
    return 0;
}

HEIST_FOLD2(int64_t, product_sum, 0, HEIST_PLUS, sum, i, j, int64_t, by)
{
    return sum + i * j * by;
}

static void two_dimensions_are_reduced_tile_by_tile(void)
{
    const heist_monoid monoid = {sizeof(walk), &no_walk, walk_on};
    heist_pool *pool = loop_pool(4);
    FOR_ALL_SCHEDULES(schedule)
    for (int fixed = 0; fixed < 2; fixed++) {
        heist_loop_options options = {
            .schedule = *schedule, .tile_rows = 7, .tile_columns = 11, .deterministic = fixed == 1};
        walk w;
        TEST_ASSERT_EQUAL_INT(
            0, heist_reduce2(pool, heist_upto(100), heist_upto(90), &monoid, walk_tile, NULL, &w, &options));
        TEST_ASSERT_EQUAL_UINT64(15 * 9, w.tiles);
        TEST_ASSERT_EQUAL_UINT64(9000, w.pairs);
        TEST_ASSERT_FALSE(w.out_of_order);
        int64_t sum;
        TEST_ASSERT_EQUAL_INT(
            0, HEIST_REDUCE2_WITH(&options, pool, &sum, product_sum, heist_upto(100), heist_stepping(0, 90, 2), 3));
        TEST_ASSERT_EQUAL_INT64(4950 * 1980 * 3, sum);
    }
    free_pool(pool);
}

/* ---- typed folds ---- */

HEIST_FOLD(int64_t, greatest, INT64_MIN, HEIST_GREATEST, most, i, const int64_t *, a)
{
    return HEIST_GREATEST(most, a[i]);
}

HEIST_FOLD(int64_t, least, INT64_MAX, HEIST_LEAST, fewest, i, const int64_t *, a)
{
    return HEIST_LEAST(fewest, a[i]);
}

HEIST_FOLD(uint64_t, factorial, 1, HEIST_TIMES, product, i)
{
    return product * (uint64_t)i;
}

static void typed_folds_fold(void)
{
    enum { N = 5000 };
    static int64_t a[N];
    for (int i = 0; i < N; i++) a[i] = (int64_t)i * 7919 % N - 100;
    heist_pool *pool = loop_pool(3);
    FOR_ALL_SCHEDULES(schedule)
    {
        heist_loop_options options = {.schedule = *schedule};
        int64_t most, fewest;
        uint64_t product;
        TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&options, pool, &most, greatest, heist_upto(N), a));
        TEST_ASSERT_EQUAL_INT64(N - 101, most);
        TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&options, pool, &fewest, least, heist_upto(N), a));
        TEST_ASSERT_EQUAL_INT64(-100, fewest);
        TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&options, pool, &product, factorial, heist_between(1, 21)));
        TEST_ASSERT_EQUAL_UINT64(2432902008176640000u, product);
        TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&options, pool, &product, factorial, heist_stepping(20, 0, -1)));
        TEST_ASSERT_EQUAL_UINT64(2432902008176640000u, product);
    }
    free_pool(pool);
}

/* ---- in tasks and loops ---- */

HEIST_FOLD(int64_t, row_sum, 0, HEIST_PLUS, sum, j, int64_t, row)
{
    return sum + row * j;
}

HEIST_FOLD(int64_t, table_sum, 0, HEIST_PLUS, sum, i, int64_t, width)
{
    int64_t row = 0;
    CHECK(HEIST_REDUCE(NULL, &row, row_sum, heist_upto(width), i) == 0);
    return sum + row;
}

HEIST_TASK(int64_t, sum_in_a_task, int64_t, n)
{
    int64_t sum = -1;
    if (n < 10) return 0;
    HEIST_SPAWN(half, sum_in_a_task, n / 2);
    CHECK(HEIST_REDUCE(NULL, &sum, row_sum, heist_upto(n), 1) == 0);
    CHECK(HEIST_SYNC(half) >= 0);
    return sum;
}

static void reductions_nest(void)
{
    heist_pool *pool = loop_pool(4);
    FOR_ALL_SCHEDULES(schedule)
    for (int round = 0; round < test_scale(20); round++) {
        heist_loop_options options = {.schedule = *schedule, .batch = 1};
        int64_t sum;
        TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&options, pool, &sum, table_sum, heist_upto(50), 60));
        TEST_ASSERT_EQUAL_INT64(1225 * 1770, sum);
    }
    TEST_ASSERT_EQUAL_INT64(499500, HEIST_RUN(pool, sum_in_a_task, 1000));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

/* ---- ends ---- */

static void nothing_reduces_to_the_identity(void)
{
    heist_pool *pool = loop_pool(2);
    FOR_ALL_SCHEDULES(schedule)
    {
        heist_loop_options options = {.schedule = *schedule, .deterministic = true};
        uint64_t product = 99;
        TEST_ASSERT_EQUAL_INT(0, HEIST_REDUCE_WITH(&options, pool, &product, factorial, heist_between(5, 5)));
        TEST_ASSERT_EQUAL_UINT64(1, product);
    }
    free_pool(pool);
}

static int fail_in_the_middle(heist_range part, void *accumulator, void *context)
{
    (void)context;
    if (part.begin <= 300 && part.end > 300) return 9;
    return append_part(part, accumulator, NULL);
}

static void a_failed_reduction_leaves_the_result_alone(void)
{
    heist_pool *pool = loop_pool(3);
    FOR_ALL_SCHEDULES(schedule)
    for (int fixed = 0; fixed < 2; fixed++) {
        heist_loop_options options = {.schedule = *schedule, .batch = 5, .deterministic = fixed == 1};
        run result = {-3, -4, false, 0};
        TEST_ASSERT_EQUAL_INT(9,
                              heist_reduce(pool, heist_upto(1000), &runs, fail_in_the_middle, NULL, &result, &options));
        TEST_ASSERT_EQUAL_INT64(-3, result.first);
        TEST_ASSERT_EQUAL_INT64(-4, result.last);
    }
    free_pool(pool);
}

static void bad_monoids_are_refused(void)
{
    heist_pool *pool = loop_pool(2);
    const heist_range ten = heist_upto(10);
    run result;
    const heist_monoid no_size = {0, &empty_run, append}, no_identity = {sizeof(run), NULL, append},
                       no_combine = {sizeof(run), &empty_run, NULL}, monstrous = {SIZE_MAX / 2, &empty_run, append};
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_reduce(pool, ten, NULL, append_part, NULL, &result, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_reduce(pool, ten, &no_size, append_part, NULL, &result, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_reduce(pool, ten, &no_identity, append_part, NULL, &result, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_reduce(pool, ten, &no_combine, append_part, NULL, &result, NULL));
    TEST_ASSERT_EQUAL_INT(-ENOMEM, heist_reduce(pool, ten, &monstrous, append_part, NULL, &result, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_reduce(pool, ten, &runs, NULL, NULL, &result, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_reduce(pool, ten, &runs, append_part, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_reduce2(pool, ten, ten, &runs, NULL, NULL, &result, NULL));
    free_pool(pool);
}

int main(void)
{
    canary_begin(); /* under ThreadSanitizer, too: this program does not fork */
    UNITY_BEGIN();
    RUN_TEST(parts_are_combined_in_order);
    RUN_TEST(stolen_parts_are_combined_in_order);
    RUN_TEST(large_results_are_as_good);
    RUN_TEST(deterministic_sums_are_the_same_to_the_last_bit);
    RUN_TEST(tiles_of_our_own_choice_give_the_same_bits_too);
    RUN_TEST(another_grain_may_round_otherwise);
    RUN_TEST(two_dimensions_are_reduced_tile_by_tile);
    RUN_TEST(typed_folds_fold);
    RUN_TEST(reductions_nest);
    RUN_TEST(nothing_reduces_to_the_identity);
    RUN_TEST(a_failed_reduction_leaves_the_result_alone);
    RUN_TEST(bad_monoids_are_refused);
    return UNITY_END();
}
