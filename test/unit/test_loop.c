/* Loops: every index runs once, in one dimension and in two, whatever the schedule, the range, the batch and the
 * number of workers; early ends; loops in loops, in tasks and from outside; typed bodies; refused options. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <heist/heist.h>

#include "loop/range.h"
#include "loop_coverage.h"
#include "loop_support.h"

int test_loop_in_cpp(heist_pool *pool); /* test_loop_cpp.cpp; 0: all was right */

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
}

void tearDown(void)
{
    alarm(0);
}

/* ---- every index once ---- */

static heist_range range_of(uint64_t count, int64_t begin, int64_t step)
{
    return heist_stepping(begin, begin + (int64_t)count * step, step);
}

static void every_index_runs_once(void)
{
    static const int64_t steps[] = {1, 1, 2, 7, -1, -3};
    static const uint64_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 64, 100, 1000, 4097, 30000};
    static const uint64_t batches[] = {0, 0, 1, 3, 64, 5000, UINT64_MAX};
    static const uint64_t takes[] = {0, 0, 1, 2, 5, 1000, UINT64_MAX};
    uint64_t seed = test_seed();
    for (unsigned workers = 1; workers <= 8; workers++) {
        heist_pool *pool = loop_pool(workers);
        for (int round = 0; round < test_scale(400); round++) {
            heist_loop_options options = HEIST_LOOP_OPTIONS_INIT;
            options.schedule = all_schedules[draw(&seed) % SCHEDULES];
            options.batch = batches[draw(&seed) % 7];
            options.take = takes[draw(&seed) % 7];
            uint64_t size = sizes[draw(&seed) % 12];
            if (size > 2000 && options.batch && options.batch < 3) options.batch = 3;
            check_coverage(pool, range_of(size, (int64_t)(draw(&seed) % 2000) - 1000, steps[draw(&seed) % 6]),
                           &options);
        }
        free_pool(pool);
    }
}

static void loops_reach_the_ends_of_the_integers(void)
{
    static const heist_range ranges[] = {
        {INT64_MAX - 1000, INT64_MAX, 1},  {INT64_MAX - 1000, INT64_MAX, 7},
        {INT64_MIN + 1000, INT64_MIN, -7}, {INT64_MIN, INT64_MIN + 500, 1},
        {INT64_MIN, INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MAX, INT64_MAX / 400},
        {INT64_MAX, INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MIN, INT64_MIN / 300},
    };
    heist_pool *pool = loop_pool(3);
    FOR_ALL_SCHEDULES(schedule)
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        heist_loop_options options = {.schedule = *schedule};
        check_coverage(pool, ranges[r], &options);
        options.batch = 3;
        check_coverage(pool, ranges[r], &options);
    }
    free_pool(pool);
}

static int stop_at_once(heist_range part, void *context)
{
    (void)part;
    atomic_fetch_add((atomic_int *)context, 1);
    return 42;
}

static void a_loop_over_all_integers_can_be_stopped(void)
{
    heist_pool *pool = loop_pool(3);
    static const uint64_t batches[] = {0, 1, 1000, UINT64_MAX};
    FOR_ALL_SCHEDULES(schedule)
    for (int b = 0; b < 4; b++) {
        atomic_int calls = 0;
        heist_loop_options options = {.schedule = *schedule, .batch = batches[b]};
        TEST_ASSERT_EQUAL_INT(42, heist_for(pool, heist_between(INT64_MIN, INT64_MAX), stop_at_once, &calls, &options));
        TEST_ASSERT_TRUE(atomic_load(&calls) >= 1 && atomic_load(&calls) <= 3); /* at most one for each worker */
    }
    free_pool(pool);
}

static int follow(heist_range part, void *context)
{
    int64_t *next = context;
    CHECK(part.begin == *next);
    *next = part.end;
    return 0;
}

static void one_worker_goes_in_order(void)
{
    heist_pool *pool = loop_pool(1);
    FOR_ALL_SCHEDULES(schedule)
    for (uint64_t batch = 0; batch < 20; batch += 7) {
        int64_t next = 0;
        heist_loop_options options = {.schedule = *schedule, .batch = batch};
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(1000), follow, &next, &options));
        TEST_ASSERT_EQUAL_INT64(1000, next);
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    }
    free_pool(pool);
}

/* ---- two dimensions ---- */

typedef struct {
    heist_range rows, columns;
    uint64_t tile_rows, tile_columns; /* 0: not given */
    marks marks;
} coverage2;

static uint64_t number_in(heist_range range, int64_t index)
{
    return range.step > 0 ? (uint64_t)(index - range.begin) / (uint64_t)range.step
                          : (uint64_t)(range.begin - index) / (uint64_t)-range.step;
}

static int cover2(heist_range rows, heist_range columns, void *context)
{
    coverage2 *c = context;
    CHECK(!c->tile_rows || heist_range_count(rows) <= c->tile_rows);
    CHECK(!c->tile_columns || heist_range_count(columns) <= c->tile_columns);
    HEIST_EACH(i, rows)
    HEIST_EACH(j, columns)
    mark(&c->marks, number_in(c->rows, i) * heist_range_count(c->columns) + number_in(c->columns, j));
    return 0;
}

static void every_pair_runs_once(void)
{
    static const int64_t steps[] = {1, 3, -1, -2};
    static const uint64_t sizes[] = {0, 1, 2, 5, 33, 130};
    static const uint64_t tiles[] = {0, 0, 1, 3, 16, 1000, UINT64_MAX};
    uint64_t seed = test_seed();
    for (unsigned workers = 1; workers <= 8; workers += workers < 4 ? 1 : 4) {
        heist_pool *pool = loop_pool(workers);
        for (int round = 0; round < test_scale(200); round++) {
            coverage2 c = {.rows = range_of(sizes[draw(&seed) % 6], -7, steps[draw(&seed) % 4]),
                           .columns = range_of(sizes[draw(&seed) % 6], 11, steps[draw(&seed) % 4]),
                           .tile_rows = tiles[draw(&seed) % 7],
                           .tile_columns = tiles[draw(&seed) % 7]};
            heist_loop_options options = {.schedule = all_schedules[draw(&seed) % SCHEDULES],
                                          .batch = draw(&seed) % 4,
                                          .take = draw(&seed) % 3,
                                          .tile_rows = c.tile_rows,
                                          .tile_columns = c.tile_columns};
            heist_loop_report report = {0};
            options.report = &report;
            c.marks = marks_new(heist_range_count(c.rows) * heist_range_count(c.columns));
            uint64_t pairs = c.marks.places;
            TEST_ASSERT_EQUAL_INT(0, heist_for2(pool, c.rows, c.columns, cover2, &c, &options));
            TEST_ASSERT_TRUE_MESSAGE(marks_end(&c.marks), schedule_word(options.schedule));
            TEST_ASSERT_EQUAL_UINT64(pairs, report.all.iterations);
            TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        }
        free_pool(pool);
    }
}

static int never2(heist_range rows, heist_range columns, void *context)
{
    (void)rows, (void)columns, (void)context;
    CHECK(false); /* no tile should run */
    return 0;
}

static void more_tiles_than_can_be_counted_are_refused(void)
{
    heist_range all = heist_between(INT64_MIN, INT64_MAX);
    heist_loop_options options = {.tile_rows = 1, .tile_columns = 1};
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_for2(NULL, all, all, never2, NULL, &options));
    TEST_ASSERT_NOT_NULL(strstr(heist_explain(), "tiles"));
    heist__domain d; /* with tiles of our own choice it can be done */
    TEST_ASSERT_EQUAL_INT(0, heist__domain_tiles(&d, all, all, 0, 0, 64));
    TEST_ASSERT_TRUE(d.units >= 64 && d.units < 256);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

/* ---- early ends ---- */

typedef struct {
    int64_t at;
    atomic_int runs;
} ending;

static int end_at(heist_range part, void *context)
{
    ending *e = context;
    HEIST_EACH(i, part)
    {
        atomic_fetch_add(&e->runs, 1);
        if (i == e->at) return 7;
    }
    return 0;
}

static void a_body_ends_the_loop(void)
{
    heist_pool *pool = loop_pool(1);
    FOR_ALL_SCHEDULES(schedule)
    {
        ending e = {.at = 500};
        heist_loop_options options = {.schedule = *schedule, .batch = 1};
        TEST_ASSERT_EQUAL_INT(7, heist_for(pool, heist_upto(1000), end_at, &e, &options));
        TEST_ASSERT_EQUAL_INT_MESSAGE(501, atomic_load(&e.runs), schedule_word(*schedule));
    }
    free_pool(pool);
}

static int end_at_once_or_sleep(heist_range part, void *context)
{
    ending *e = context;
    atomic_fetch_add(&e->runs, 1);
    if (part.begin == e->at) return -5; /* any value but 0 will do */
    sleep_us(200);
    return 0;
}

static void an_early_end_is_heard_by_all(void)
{
    heist_pool *pool = loop_pool(4);
    FOR_ALL_SCHEDULES(schedule)
    {
        ending e = {.at = 3};
        heist_loop_options options = {.schedule = *schedule, .batch = 1};
        TEST_ASSERT_EQUAL_INT(-5, heist_for(pool, heist_upto(10000), end_at_once_or_sleep, &e, &options));
        TEST_ASSERT_TRUE_MESSAGE(atomic_load(&e.runs) < 5000, schedule_word(*schedule));
    }
    free_pool(pool);
}

HEIST_LOOP_UNTIL(find, i, const int *, a, int, wanted, atomic_int *, looked)
{
    atomic_fetch_add(looked, 1);
    return a[i] == wanted ? 1000 + (int)i : 0;
}

static void a_typed_body_ends_the_loop(void)
{
    int a[300];
    for (int i = 0; i < 300; i++) a[i] = i * i;
    heist_pool *pool = loop_pool(2);
    atomic_int looked = 0;
    TEST_ASSERT_EQUAL_INT(1017, HEIST_FOR(pool, find, heist_upto(300), a, 289, &looked));
    atomic_store(&looked, 0);
    TEST_ASSERT_EQUAL_INT(0, HEIST_FOR(pool, find, heist_upto(300), a, -1, &looked));
    TEST_ASSERT_EQUAL_INT(300, atomic_load(&looked));
    free_pool(pool);
}

/* ---- loops in loops, in tasks, from outside ---- */

typedef struct {
    const heist_loop_options *options;
    marks *marks;
    int64_t row;
} nest;

/* How many outer bodies this thread is in. */
static _Thread_local int depth;

static int inner(heist_range part, void *context)
{
    nest *n = context;
    if (part.begin % 10 == 0) sleep_us(30); /* let it be stolen, and waited for */
    HEIST_EACH(j, part) mark(n->marks, (uint64_t)(n->row * 20 + j));
    return 0;
}

static int outer(heist_range part, void *context)
{
    nest *n = context;
    CHECK(depth == 0); /* while an outer body waits for its inner loop, its worker runs nothing else of the outer one */
    depth++;
    HEIST_EACH(i, part)
    {
        nest mine = {n->options, n->marks, i};
        CHECK(heist_for(NULL, heist_upto(20), inner, &mine, n->options) == 0);
    }
    depth--;
    return 0;
}

static void loops_nest_and_wait_only_for_their_own(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(4, *mode);
        FOR_ALL_SCHEDULES(outside)
        FOR_ALL_SCHEDULES(inside)
        for (int round = 0; round < test_scale(2); round++) {
            heist_loop_options out = {.schedule = *outside, .batch = 1}, in = {.schedule = *inside, .batch = 2};
            marks m = marks_new(60 * 20);
            nest n = {&in, &m, 0};
            TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(60), outer, &n, &out));
            TEST_ASSERT_TRUE(marks_end(&m));
            TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        }
        free_pool(pool);
    }
}

HEIST_LOOP(mark_each, i, marks *, m, int64_t, base)
{
    mark(m, (uint64_t)(i + base));
}

/* A loop between a spawn and its join, and loops in the children. */
HEIST_TASK(int, marking_tree, int, depth_left, marks *, m, int64_t, base)
{
    if (depth_left == 0) return HEIST_FOR(NULL, mark_each, heist_upto(10), m, base);
    int64_t size = (int64_t)10 << depth_left, half = size / 2;
    HEIST_SPAWN(right, marking_tree, depth_left - 1, m, base + half);
    int first = HEIST_FOR(NULL, mark_each, heist_upto(5), m, base);
    int left = HEIST_FOR(NULL, mark_each, heist_between(5, half), m, base);
    return HEIST_SYNC(right) | left | first;
}

static void loops_stand_between_spawn_and_join(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(4, *mode);
        for (int round = 0; round < test_scale(50); round++) {
            marks m = marks_new(10 << 7);
            TEST_ASSERT_EQUAL_INT(0, HEIST_RUN(pool, marking_tree, 7, &m, 0));
            TEST_ASSERT_TRUE(marks_end(&m));
        }
        free_pool(pool);
    }
}

static void loop_in_a_plain_task(void *context)
{
    marks *m = context;
    CHECK(HEIST_FOR(NULL, mark_each, heist_upto(1000), m, 0) == 0);
}

static void plain_tasks_have_loops(void)
{
    heist_pool *pool = loop_pool(3);
    marks m = marks_new(1000);
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, loop_in_a_plain_task, &m));
    TEST_ASSERT_TRUE(marks_end(&m));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

typedef struct {
    heist_pool *other;
    marks marks;
} elsewhere;

static void loop_on_another_pool(void *context)
{
    elsewhere *e = context;
    CHECK(HEIST_FOR(e->other, mark_each, heist_upto(1000), &e->marks, 0) == 0);
}

static void loops_run_on_the_pool_that_is_named(void)
{
    heist_pool *pool = loop_pool(2), *other = loop_pool(2);
    elsewhere e = {other, marks_new(1000)};
    heist_stats before = stats_of(other);
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, loop_on_another_pool, &e));
    TEST_ASSERT_TRUE(stats_of(other).tasks > before.tasks);
    TEST_ASSERT_TRUE(marks_end(&e.marks));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
    free_pool(other);
}

static void the_default_pool_runs_loops_from_outside(void)
{
    marks m = marks_new(1000);
    TEST_ASSERT_EQUAL_INT(0, HEIST_FOR(NULL, mark_each, heist_upto(1000), &m, 0));
    TEST_ASSERT_TRUE(marks_end(&m));
}

static void *loop_in_a_thread(void *pool)
{
    for (int round = 0; round < test_scale(100); round++) {
        marks m = marks_new(777);
        CHECK(HEIST_FOR(pool, mark_each, heist_upto(777), &m, 0) == 0);
        CHECK(marks_end(&m));
    }
    return NULL;
}

static void threads_share_a_pool(void)
{
    heist_pool *pool = loop_pool(3);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[i], NULL, loop_in_a_thread, pool));
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

/* ---- typed bodies ---- */

HEIST_LOOP(count_runs, i)
{
    CHECK(heist_worker_number() >= 0);
}

HEIST_LOOP(with_ten, i, int *, to, int, b, int, c, int, d, int, e, int, f, int, g, int, h, int, j, int, k)
{
    to[i] = b + c + d + e + f + g + h + j + k;
}

HEIST_LOOP2(cross, i, j, marks *, m, int64_t, width)
{
    mark(m, (uint64_t)(i * width + j));
}

static void typed_bodies_get_their_arguments(void)
{
    heist_pool *pool = loop_pool(3);
    int to[10] = {0};
    TEST_ASSERT_EQUAL_INT(0, HEIST_FOR(pool, with_ten, heist_stepping(9, -1, -1), to, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    for (int i = 0; i < 10; i++) TEST_ASSERT_EQUAL_INT(45, to[i]);
    TEST_ASSERT_EQUAL_INT(0, HEIST_FOR(pool, count_runs, heist_upto(100)));
    marks m = marks_new(40 * 30);
    TEST_ASSERT_EQUAL_INT(0, HEIST_FOR2(pool, cross, heist_upto(40), heist_stepping(0, 30, 2), &m, 30));
    TEST_ASSERT_EQUAL_INT(0, HEIST_FOR2(pool, cross, heist_upto(40), heist_stepping(1, 30, 2), &m, 30));
    TEST_ASSERT_TRUE(marks_end(&m));
    TEST_ASSERT_EQUAL_INT(0, test_loop_in_cpp(pool));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

static void a_step_of_0_is_1(void)
{
    heist_pool *pool = loop_pool(3);
    FOR_ALL_SCHEDULES(schedule)
    {
        heist_loop_options options = {.schedule = *schedule};
        marks m = marks_new(40 * 30);
        TEST_ASSERT_EQUAL_INT(0, HEIST_FOR_WITH(&options, pool, mark_each, heist_stepping(0, 40 * 30, 0), &m, 0));
        TEST_ASSERT_TRUE(marks_end(&m));
        m = marks_new(40 * 30);
        TEST_ASSERT_EQUAL_INT(
            0, HEIST_FOR2_WITH(&options, pool, cross, heist_stepping(0, 40, 0), heist_stepping(0, 30, 0), &m, 30));
        TEST_ASSERT_TRUE(marks_end(&m));
    }
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

/* ---- what is refused ---- */

static int never(heist_range part, void *context)
{
    (void)part, (void)context;
    CHECK(false); /* no body should run */
    return 0;
}

static void bad_options_are_refused(void)
{
    heist_pool *pool = loop_pool(2);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_for(pool, heist_upto(10), NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_for2(pool, heist_upto(10), heist_upto(10), NULL, NULL, NULL));
    heist_loop_options options = {.schedule = (heist_schedule)6};
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_for(pool, heist_upto(10), never, NULL, &options));
    TEST_ASSERT_NOT_NULL(strstr(heist_explain(), "schedule"));
    options = (heist_loop_options){.size = 3};
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_for(pool, heist_upto(10), never, NULL, &options));
    options = (heist_loop_options){.size = 100000};
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_for(pool, heist_upto(10), never, NULL, &options));
    heist_loop_report report = {.size = 1};
    options = (heist_loop_options){.report = &report};
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_for(pool, heist_upto(10), never, NULL, &options));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

static void options_of_other_versions_are_read(void)
{
    heist_pool *pool = loop_pool(2);
    heist_loop_options early = {.size = offsetof(heist_loop_options, batch), .schedule = HEIST_SCHEDULE_STATIC};
    early.batch = 1; /* not part of it */
    coverage c = {.range = heist_upto(100), .marks = marks_new(100)};
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, c.range, cover, &c, &early));
    TEST_ASSERT_EQUAL_UINT64(2, atomic_load(&c.calls));
    TEST_ASSERT_TRUE(marks_end(&c.marks));
    struct {
        heist_loop_options known;
        uint64_t unknown;
    } later = {.known = {.size = sizeof later}};
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(10), nothing, NULL, &later.known));
    later.unknown = 1; /* wants something that is not known here */
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_for(pool, heist_upto(10), never, NULL, &later.known));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

static void a_closed_pool_runs_no_loop(void)
{
    heist_pool *pool = loop_pool(2);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_close(pool));
    TEST_ASSERT_EQUAL_INT(-ESHUTDOWN, heist_for(pool, heist_upto(10), never, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_index_runs_once);
    RUN_TEST(loops_reach_the_ends_of_the_integers);
    RUN_TEST(a_loop_over_all_integers_can_be_stopped);
    RUN_TEST(one_worker_goes_in_order);
    RUN_TEST(every_pair_runs_once);
    RUN_TEST(more_tiles_than_can_be_counted_are_refused);
    RUN_TEST(a_body_ends_the_loop);
    RUN_TEST(an_early_end_is_heard_by_all);
    RUN_TEST(a_typed_body_ends_the_loop);
    RUN_TEST(loops_nest_and_wait_only_for_their_own);
    RUN_TEST(loops_stand_between_spawn_and_join);
    RUN_TEST(plain_tasks_have_loops);
    RUN_TEST(loops_run_on_the_pool_that_is_named);
    RUN_TEST(the_default_pool_runs_loops_from_outside);
    RUN_TEST(threads_share_a_pool);
    RUN_TEST(typed_bodies_get_their_arguments);
    RUN_TEST(a_step_of_0_is_1);
    RUN_TEST(bad_options_are_refused);
    RUN_TEST(options_of_other_versions_are_read);
    RUN_TEST(a_closed_pool_runs_no_loop);
    return UNITY_END();
}
