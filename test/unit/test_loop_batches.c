/* The batches of loops: how many iterations each schedule gives out at once, to which worker, and how it learns
 * their cost. */
#include <unistd.h>

#include <heist/heist.h>

#include "loop/cell_range.h"
#include "loop/plan.h"
#include "loop_coverage.h"
#include "loop_support.h"
#include "platform/clock.h"
#include "schedule/pool.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
}

void tearDown(void)
{
    alarm(0);
}

/* ---- what each schedule promises ---- */

static void static_makes_equal_parts_for_the_workers(void)
{
    for (unsigned workers = 1; workers <= 8; workers++) {
        heist_pool *pool = loop_pool(workers);
        for (int64_t n = 1; n < 50; n += 3) {
            coverage c = {.range = heist_upto(n), .marks = marks_new((uint64_t)n)};
            c.batch = 0;
            heist_loop_options options = {.schedule = HEIST_SCHEDULE_STATIC};
            TEST_ASSERT_EQUAL_INT(0, heist_for(pool, c.range, cover, &c, &options));
            TEST_ASSERT_EQUAL_UINT64(n < (int64_t)workers ? n : (int64_t)workers, atomic_load(&c.calls));
            TEST_ASSERT_TRUE(marks_end(&c.marks));
        }
        free_pool(pool);
    }
}

typedef struct {
    int parts;
    atomic_int begun, out_of_place;
} places;

/* Each part ends when all have begun, so no worker has two. */
static int meet_in_place(heist_range part, void *context)
{
    places *p = context;
    if (part.begin != heist_worker_number()) atomic_fetch_add(&p->out_of_place, 1);
    atomic_fetch_add(&p->begun, 1);
    while (atomic_load(&p->begun) < p->parts) sched_yield(); /* the watchdog ends it */
    return 0;
}

static void static_parts_have_their_places(void)
{
    static const heist_schedule schedules[] = {HEIST_SCHEDULE_STATIC, HEIST_SCHEDULE_HYBRID};
    for (int workers = 2; workers <= 5; workers++) {
        heist_pool *pool = loop_pool((unsigned)workers);
        for (int round = 0; round < 40; round++) { /* at first they come in the order of their numbers */
            places p = {.parts = workers};
            heist_loop_options options = {.schedule = schedules[round % 2], .batch = 1};
            TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(workers), meet_in_place, &p, &options));
            TEST_ASSERT_EQUAL_INT(0, atomic_load(&p.out_of_place));
        }
        free_pool(pool);
    }
}

/* The first iteration of one of two shares lasts until all others are done; `ran` tells in which order these were. */
typedef struct {
    atomic_int begun, done;
    int ran[40];
    atomic_int first_of_the_slow; /* -1: none yet */
} robbery;

static int be_slow_or_rob(heist_range part, void *context)
{
    robbery *r = context;
    int i = (int)part.begin, none = -1;
    if (i % 20 == 0 && atomic_compare_exchange_strong(&r->first_of_the_slow, &none, i)) {
        while (atomic_load(&r->done) < 39) sched_yield();
    } else {
        r->ran[atomic_fetch_add(&r->done, 1)] = i; /* one worker only: the other one waits */
    }
    return 0;
}

static void hybrid_takes_as_many_batches_at_once_as_it_is_told(void)
{
    heist_pool *pool = loop_pool(2);
    for (int take = 1; take <= 5; take += 2) {
        robbery r = {.first_of_the_slow = -1};
        heist_loop_options options = {.schedule = HEIST_SCHEDULE_HYBRID, .batch = 1, .take = (uint64_t)take};
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(40), be_slow_or_rob, &r, &options));
        int slow = atomic_load(&r.first_of_the_slow), mine = 20 - slow, at = 0;
        for (int i = 0; i < 20; i++) TEST_ASSERT_EQUAL_INT(mine + i, r.ran[at++]);
        for (int left = 19; left > 0;) { /* the last ones of the other's share, in order */
            int taken = left < take ? left : take;
            left -= taken;
            for (int i = 0; i < taken; i++) TEST_ASSERT_EQUAL_INT(slow + 1 + left + i, r.ran[at++]);
        }
    }
    free_pool(pool);
}

typedef struct {
    atomic_int runner[1024]; /* worker number + 1 of each iteration */
} runners;

static int note_runner(heist_range part, void *context)
{
    runners *r = context;
    sleep_us(20); /* let others come in between */
    HEIST_EACH(i, part) atomic_store(&r->runner[i], heist_worker_number() + 1);
    return 0;
}

static void shared_takes_as_many_batches_at_once_as_it_is_told(void)
{
    heist_pool *pool = loop_pool(4);
    for (int round = 0; round < test_scale(5); round++) {
        runners r = {0};
        heist_loop_options options = {.schedule = HEIST_SCHEDULE_SHARED, .batch = 2, .take = 4};
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(1024), note_runner, &r, &options));
        for (int i = 0; i < 1024; i++) {
            TEST_ASSERT_TRUE(atomic_load(&r.runner[i]) > 0);
            TEST_ASSERT_EQUAL_INT(atomic_load(&r.runner[i / 8 * 8]), atomic_load(&r.runner[i]));
        }
    }
    free_pool(pool);
}

static atomic_int held, go;

static void hold_worker(void *unused)
{
    (void)unused;
    atomic_fetch_add(&held, 1);
    while (!atomic_load(&go)) sched_yield();
}

/* Keeps all workers of the pool but one busy with something else until go is set. */
static void hold_all_but_one(heist_pool *pool)
{
    int others = (int)heist_pool_workers(pool) - 1;
    atomic_store(&held, 0);
    atomic_store(&go, 0);
    for (int i = 0; i < others; i++) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, hold_worker, NULL, HEIST_WAIT));
    while (atomic_load(&held) < others) sched_yield();
}

static void busy_workers_are_not_waited_for(void)
{
    heist_pool *pool = loop_pool(4);
    hold_all_but_one(pool);
    FOR_ALL_SCHEDULES(schedule)
    for (uint64_t batch = 0; batch < 20; batch += 9) {
        heist_loop_options options = {.schedule = *schedule, .batch = batch};
        check_coverage(pool, heist_upto(1000), &options);
    }
    atomic_store(&go, 1);
    free_pool(pool);
}

static int take_time(heist_range part, void *context)
{
    call_sizes *c = context;
    uint64_t size = heist_range_count(part);
    raise_to(&c->largest, size);
    if (part.end == c->end) atomic_store(&c->last, size);
    if (size == 1) atomic_fetch_add(&c->single, 1);
    for (int64_t i = part.begin; i < part.end; i++) {
        int64_t until = heist__clock_ns() + (i < c->cheap ? 100 : c->dear_ns);
        while (heist__clock_ns() < until) {
        }
    }
    return 0;
}

/* Batches of a share whose owner is alone with it. */
static uint64_t batches_of(const heist__plan *plan, uint64_t cells)
{
    heist__cell_range share;
    uint64_t first, last, batches = 0;
    heist__cell_range_set(&share, 0, cells);
    while (heist__cell_range_front(&share, plan->least, plan->most, &first, &last)) batches++;
    return batches;
}

/* Taken by halves, each would be more batches, and the last of them small. Iterations are long enough to be taken
 * one by one. */
static void shares_that_nobody_has_begun_are_taken_whole(void)
{
    heist_pool *pool = loop_pool(4);
    hold_all_but_one(pool);
    heist__plan plan;
    heist__wish wish = {.schedule = HEIST_SCHEDULE_HYBRID, .units = 1000, .workers = 4, .at_once = pool->at_once};
    heist__plan_make(&plan, &wish);
    uint64_t expected = 0;
    for (uint64_t i = 0; i < 4; i++) expected += batches_of(&plan, plan.cells * (i + 1) / 4 - plan.cells * i / 4);
    heist_loop_report report = {0};
    heist_loop_options options = {.schedule = HEIST_SCHEDULE_HYBRID, .report = &report};
    call_sizes sizes = {.end = 1000, .dear_ns = 2000};
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(1000), take_time, &sizes, &options));
    TEST_ASSERT_EQUAL_UINT64(expected, report.all.batches);
    atomic_store(&go, 1);
    free_pool(pool);
}

static int take_time_and_add(heist_range part, void *result, void *context)
{
    *(int64_t *)result += (int64_t)heist_range_count(part);
    return take_time(part, context);
}

/* 0: there is no such number. */
static void no_batch_is_larger_than_the_report_says(void)
{
    heist_pool *pool = loop_pool(3);
    int64_t count, none = 0;
    const heist_monoid sum = {sizeof count, &none, add_counts};
    for (int64_t units = 1; units < 20000; units = units * 3 + 1) {
        FOR_ALL_SCHEDULES(schedule)
        {
            call_sizes sizes = {.end = units, .cheap = units};
            heist_loop_report report = {0};
            heist_loop_options options = {.schedule = *schedule, .report = &report};
            TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(units), take_time, &sizes, &options));
            TEST_ASSERT_TRUE(report.batch == 0 || atomic_load(&sizes.largest) <= report.batch);
            TEST_ASSERT_EQUAL_INT(report.schedule == HEIST_SCHEDULE_STATIC || report.schedule == HEIST_SCHEDULE_SHARED,
                                  report.batch != 0);
            atomic_store(&sizes.largest, 0);
            count = 0;
            TEST_ASSERT_EQUAL_INT(
                0, heist_reduce(pool, heist_upto(units), &sum, take_time_and_add, &sizes, &count, &options));
            TEST_ASSERT_EQUAL_INT64(units, count);
            TEST_ASSERT_TRUE(report.batch == 0 || atomic_load(&sizes.largest) <= report.batch);
        }
    }
    free_pool(pool);
}

static int only_looks(heist_range part, void *context)
{
    raise_to(&((call_sizes *)context)->largest, heist_range_count(part));
    return 0;
}

/* The same, and takes two nanoseconds for each iteration. */
static int looks_for_long(heist_range part, void *context)
{
    const int64_t until = heist__clock_ns() + 2 * (int64_t)heist_range_count(part);
    only_looks(part, context);
    while (heist__clock_ns() < until) {
    }
    return 0;
}

static int dear_at_first(heist_range part, void *context)
{
    call_sizes *c = context;
    int64_t dear = (part.end < c->cheap ? part.end : c->cheap) - part.begin;
    if (dear <= 0) return 0;
    raise_to(&c->most_dear, (uint64_t)dear);
    int64_t until = heist__clock_ns() + dear * c->dear_ns;
    while (heist__clock_ns() < until) {
    }
    return 0;
}

/* Of one schedule, in a test that must have CPU. */
typedef struct {
    heist_pool *pool;
    heist_schedule schedule;
} attempt;

static bool dear_ones_are_shared(void *argument)
{
    attempt *a = argument;
    call_sizes sizes = {.cheap = 10, .dear_ns = 200000};
    heist_loop_options options = {.schedule = a->schedule};
    TEST_ASSERT_EQUAL_INT(0, heist_for(a->pool, heist_upto(320), dear_at_first, &sizes, &options));
    uint64_t most = atomic_load(&sizes.most_dear);
    return most >= 1 && most <= 5;
}

/* Ten of 320 iterations, all in front, are worth sharing, though the others have told all workers that iterations are
 * cheap. */
static void dear_iterations_in_front_are_shared(void)
{
    static const heist_schedule which[] = {HEIST_SCHEDULE_STEAL, HEIST_SCHEDULE_HYBRID, HEIST_SCHEDULE_AUTO};
    heist_pool *pool = loop_pool(2);
    for (int round = 0; round < 30; round++) {
        attempt a = {pool, which[round % 3]};
        TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(dear_ones_are_shared, &a), schedule_word(a.schedule));
    }
    free_pool(pool);
}

/* Twice such a batch is none. */
static void the_largest_batches_are_whole(void)
{
    static const uint64_t batches[] = {UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1, (UINT64_C(1) << 63) + 1, UINT64_MAX};
    heist_pool *pool = loop_pool(2);
    FOR_ALL_SCHEDULES(schedule)
    for (int b = 0; b < 4; b++) {
        atomic_uint_fast64_t count = 0;
        heist_loop_options options = {.schedule = *schedule, .batch = batches[b]};
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_between(INT64_MIN, INT64_MAX), count_all, &count, &options));
        TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, atomic_load(&count));
    }
    free_pool(pool);
}

static void no_batch_is_more_than(uint64_t parts, heist_for_body *body)
{
    static const heist_schedule which[] = {HEIST_SCHEDULE_STEAL, HEIST_SCHEDULE_HYBRID, HEIST_SCHEDULE_AUTO};
    heist_pool *pool = loop_pool(2);
    for (int64_t units = 100000; units < 3000000; units = units * 3 + 1234) {
        for (int s = 0; s < 3; s++) {
            call_sizes sizes = {0};
            heist_loop_options options = {.schedule = which[s]};
            TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(units), body, &sizes, &options));
            uint64_t part = (uint64_t)units / (pool->at_once * parts);
            TEST_ASSERT_TRUE_MESSAGE(atomic_load(&sizes.largest) <= part + parts,
                                     schedule_word(which[s])); /* one a cell */
        }
    }
    free_pool(pool);
}

static void no_batch_is_more_than_a_sixteenth(void)
{
    no_batch_is_more_than(16, looks_for_long);
}

/* However cheap the iterations are: a loop that seems to take no time may have larger batches, but not much larger. */
static void no_batch_of_a_brief_loop_is_more_than_a_quarter(void)
{
    no_batch_is_more_than(4, only_looks);
}

static bool last_batches_are_small(void *pool)
{
    heist_loop_options options = {.schedule = HEIST_SCHEDULE_STEAL};
    for (int64_t units = 6000; units < 6016; units++) {
        call_sizes sizes = {.end = units, .dear_ns = 500};
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(units), take_time, &sizes, &options));
        uint64_t largest = atomic_load(&sizes.largest), last = atomic_load(&sizes.last);
        if (last < 1 || (last > 1 && last > largest / 4)) return false;
    }
    return true;
}

static void the_last_batches_of_steal_are_small(void)
{
    heist_pool *pool = loop_pool(2);
    TEST_ASSERT_TRUE(succeeds_with_cpu(last_batches_are_small, pool));
    free_pool(pool);
}

static bool auto_goes_one_by_one(void *pool)
{
    heist_loop_options options = {.schedule = HEIST_SCHEDULE_AUTO};
    call_sizes sizes = {.end = 500, .cheap = 100, .dear_ns = 5000};
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(500), take_time, &sizes, &options));
    return atomic_load(&sizes.single) >= 8;
}

/* Measured when they were cheap, many are given out at once, but not to the end. */
static void auto_learns_that_iterations_got_dear(void)
{
    heist_pool *pool = loop_pool(2);
    for (int round = 0; round < 10; round++) TEST_ASSERT_TRUE(succeeds_with_cpu(auto_goes_one_by_one, pool));
    free_pool(pool);
}

static void nothing_is_split_that_nobody_wants(void)
{
    heist_pool *pool = loop_pool(2);
    hold_all_but_one(pool);
    heist_stats before = stats_of(pool);
    heist_loop_options options = {.schedule = HEIST_SCHEDULE_STEAL, .batch = 1};
    check_coverage(pool, heist_upto(1 << 14), &options);
    heist_stats after = stats_of(pool);
    TEST_ASSERT_TRUE(after.spawns - before.spawns <= 14); /* once for each power of two */
    TEST_ASSERT_TRUE(after.spawns - before.spawns >= 1);
    atomic_store(&go, 1);
    free_pool(pool);
}

static bool all_four_take_part(void *argument)
{
    attempt *a = argument;
    heist_loop_share shares[4];
    heist_loop_report report = {.shares = shares, .room = 4};
    heist_loop_options options = {.schedule = a->schedule, .report = &report};
    TEST_ASSERT_EQUAL_INT(0, heist_for(a->pool, heist_upto(400), sleep_a_little, NULL, &options));
    TEST_ASSERT_EQUAL_UINT64(400, report.all.iterations);
    bool all = true;
    for (int i = 0; i < 4; i++) all = all && shares[i].iterations > 0;
    return all;
}

static void others_take_part(void)
{
    heist_pool *pool = loop_pool(4);
    FOR_ALL_SCHEDULES(schedule)
    {
        attempt a = {pool, *schedule};
        TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(all_four_take_part, &a), schedule_word(*schedule));
    }
    free_pool(pool);
}

/* All of the work lies in one worker's part. */
static int sleep_in_the_first_quarter(heist_range part, void *context)
{
    (void)context;
    HEIST_EACH(i, part)
    if (i < 100) sleep_us(500);
    return 0;
}

static bool is_even(void *argument)
{
    attempt *a = argument;
    heist_loop_report report = {0};
    heist_loop_options options = {.schedule = a->schedule, .batch = 1, .report = &report};
    TEST_ASSERT_EQUAL_INT(0, heist_for(a->pool, heist_upto(400), sleep_in_the_first_quarter, NULL, &options));
    return report.balance < 3.0; /* 4: one worker did it all */
}

static void hybrid_and_steal_even_out_what_is_uneven(void)
{
    static const heist_schedule schedules[] = {HEIST_SCHEDULE_HYBRID, HEIST_SCHEDULE_STEAL};
    heist_pool *pool = loop_pool(4);
    for (int s = 0; s < 2; s++) {
        attempt a = {pool, schedules[s]};
        TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(is_even, &a), schedule_word(schedules[s]));
    }
    free_pool(pool);
}

int main(void)
{
    canary_begin(); /* under ThreadSanitizer, too: this program does not fork */
    UNITY_BEGIN();
    RUN_TEST(static_makes_equal_parts_for_the_workers);
    RUN_TEST(static_parts_have_their_places);
    RUN_TEST(shared_takes_as_many_batches_at_once_as_it_is_told);
    RUN_TEST(hybrid_takes_as_many_batches_at_once_as_it_is_told);
    RUN_TEST(busy_workers_are_not_waited_for);
    RUN_TEST(shares_that_nobody_has_begun_are_taken_whole);
    RUN_TEST(no_batch_is_larger_than_the_report_says);
    RUN_TEST(dear_iterations_in_front_are_shared);
    RUN_TEST(no_batch_is_more_than_a_sixteenth);
    RUN_TEST(no_batch_of_a_brief_loop_is_more_than_a_quarter);
    RUN_TEST(the_largest_batches_are_whole);
    RUN_TEST(the_last_batches_of_steal_are_small);
    RUN_TEST(auto_learns_that_iterations_got_dear);
    RUN_TEST(nothing_is_split_that_nobody_wants);
    RUN_TEST(others_take_part);
    RUN_TEST(hybrid_and_steal_even_out_what_is_uneven);
    return UNITY_END();
}
