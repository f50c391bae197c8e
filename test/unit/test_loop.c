/* Loops: every index once, whatever the schedule, the range, the batch and the number of workers; early ends; loops in
 * loops, in tasks and from outside; and what the report says. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#include <heist/heist.h>

#include "loop/plan.h"
#include "loop/range.h"
#include "loop/share.h"
#include "loop_support.h"
#include "platform/clock.h"
#include "schedule/worker.h"

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

typedef struct {
    heist_range range;
    uint64_t batch; /* 0: not given */
    marks marks;
    atomic_uint_fast64_t calls;
} coverage;

static int cover(heist_range part, void *context)
{
    coverage *c = context;
    uint64_t count = heist_range_count(part), step = (uint64_t)c->range.step;
    CHECK(part.step == c->range.step && count > 0);
    CHECK(c->batch == 0 || count <= c->batch);
    uint64_t distance = (uint64_t)part.begin - (uint64_t)c->range.begin;
    if ((int64_t)step < 0) distance = 0 - distance, step = 0 - step;
    CHECK(distance % step == 0);
    CHECK(c->batch == 0 || distance / step % c->batch == 0); /* given batches stay whole */
    for (uint64_t i = 0; i < count; i++) mark(&c->marks, distance / step + i);
    uint64_t seen = 0;
    HEIST_EACH(i, part)
    {
        CHECK((uint64_t)i == (uint64_t)part.begin + seen * (uint64_t)part.step);
        seen++;
    }
    CHECK(seen == count);
    atomic_fetch_add(&c->calls, 1);
    return 0;
}

static void check_coverage(heist_pool *pool, heist_range range, const heist_loop_options *options)
{
    coverage c = {.range = range, .marks = marks_new(heist_range_count(range))};
    if (options) c.batch = options->batch;
    char what[200];
    snprintf(what, sizeof what,
             "%s, workers %u, from %" PRId64 " to %" PRId64 " by %" PRId64 ", batch %" PRIu64 ", take %" PRIu64,
             options ? schedule_word(options->schedule) : "no options", heist_pool_workers(pool), range.begin,
             range.end, range.step, options ? options->batch : 0, options ? options->take : 0);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist_for(pool, range, cover, &c, options), what);
    TEST_ASSERT_TRUE_MESSAGE(marks_end(&c.marks), what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, atomic_load(&wrong), what);
}

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

/* What calls of a body were like. */
typedef struct {
    int64_t end, cheap; /* of the loop, and of the iterations that take no time to speak of */
    int64_t dear_ns;    /* the others */
    atomic_uint_fast64_t largest, last, single;
    atomic_uint_fast64_t most_dear; /* of the dear ones in one call */
} call_sizes;

static void raise_to(atomic_uint_fast64_t *number, uint64_t value)
{
    uint_fast64_t before = atomic_load(number);
    while (value > before && !atomic_compare_exchange_weak(number, &before, value)) {
    }
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
    heist__share share;
    uint64_t first, last, batches = 0;
    heist__share_set(&share, 0, cells);
    while (heist__share_front(&share, plan->least, plan->most, &first, &last)) batches++;
    return batches;
}

/* Taken by halves, each would be more batches, and the last of them small. Iterations are long enough to be taken one by one. */
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

static void add_counts(void *left, const void *right, void *context)
{
    (void)context;
    *(int64_t *)left += *(const int64_t *)right;
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

/* Ten of 320 iterations, all in front, are worth sharing, though the others have told everybody that iterations are cheap. */
static void dear_iterations_in_front_are_shared(void)
{
    static const heist_schedule which[] = {HEIST_SCHEDULE_STEAL, HEIST_SCHEDULE_HYBRID, HEIST_SCHEDULE_AUTO};
    heist_pool *pool = loop_pool(2);
    for (int round = 0; round < 30; round++) {
        call_sizes sizes = {.cheap = 10, .dear_ns = 200000};
        heist_loop_options options = {.schedule = which[round % 3]};
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(320), dear_at_first, &sizes, &options));
        uint64_t most = atomic_load(&sizes.most_dear);
        TEST_ASSERT_TRUE_MESSAGE(most >= 1 && most <= 5, schedule_word(options.schedule));
    }
    free_pool(pool);
}

static int count_all(heist_range part, void *context)
{
    atomic_fetch_add((atomic_uint_fast64_t *)context, heist_range_count(part));
    return 0;
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

static void the_report_of_nothing_says_what_ran(void)
{
    heist_pool *pool = loop_pool(2);
    FOR_ALL_SCHEDULES(schedule)
    {
        heist_loop_report report = {0};
        heist_loop_options options = {.schedule = *schedule, .report = &report};
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(0), count_all, NULL, &options));
        heist_schedule ran = *schedule == HEIST_SCHEDULE_DEFAULT ? HEIST_SCHEDULE_STEAL : *schedule;
        TEST_ASSERT_EQUAL_INT(ran == HEIST_SCHEDULE_AUTO ? HEIST_SCHEDULE_DEFAULT : ran, report.schedule);
    }
    free_pool(pool);
}

/* However cheap the iterations are. */
static void no_batch_is_more_than_a_sixteenth(void)
{
    static const heist_schedule which[] = {HEIST_SCHEDULE_STEAL, HEIST_SCHEDULE_HYBRID, HEIST_SCHEDULE_AUTO};
    heist_pool *pool = loop_pool(2);
    for (int64_t units = 100000; units < 3000000; units = units * 3 + 1234) {
        for (int s = 0; s < 3; s++) {
            call_sizes sizes = {0};
            heist_loop_options options = {.schedule = which[s]};
            TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(units), only_looks, &sizes, &options));
            uint64_t part = (uint64_t)units / (pool->at_once * 16);
            TEST_ASSERT_TRUE_MESSAGE(atomic_load(&sizes.largest) <= part + 16,
                                     schedule_word(which[s])); /* one a cell */
        }
    }
    free_pool(pool);
}

static void the_last_batches_of_steal_are_small(void)
{
    heist_pool *pool = loop_pool(2);
    heist_loop_options options = {.schedule = HEIST_SCHEDULE_STEAL};
    for (int64_t units = 6000; units < 6016; units++) {
        call_sizes sizes = {.end = units, .dear_ns = 500};
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(units), take_time, &sizes, &options));
        uint64_t largest = atomic_load(&sizes.largest), last = atomic_load(&sizes.last);
        TEST_ASSERT_TRUE(last >= 1 && (last == 1 || last <= largest / 4));
    }
    free_pool(pool);
}

/* Measured when they were cheap, many are given out at once, but not to the end. */
static void auto_learns_that_iterations_got_dear(void)
{
    heist_pool *pool = loop_pool(2);
    heist_loop_options options = {.schedule = HEIST_SCHEDULE_AUTO};
    for (int round = 0; round < 10; round++) {
        call_sizes sizes = {.end = 500, .cheap = 100, .dear_ns = 5000};
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(500), take_time, &sizes, &options));
        TEST_ASSERT_TRUE(atomic_load(&sizes.single) >= 8);
    }
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

static int sleep_a_little(heist_range part, void *context)
{
    (void)context;
    HEIST_EACH(i, part) sleep_us(500);
    return 0;
}

/* A worker that is late for 200 ms is no mistake of ours: there is another try. */
#define TRIES 10

static bool all_four_take_part(heist_pool *pool, heist_schedule schedule)
{
    heist_loop_share shares[4];
    heist_loop_report report = {.shares = shares, .room = 4};
    heist_loop_options options = {.schedule = schedule, .report = &report};
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(400), sleep_a_little, NULL, &options));
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
        int tries = 1;
        while (!all_four_take_part(pool, *schedule) && tries < TRIES) tries++;
        TEST_ASSERT_TRUE_MESSAGE(tries < TRIES, schedule_word(*schedule));
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

static void hybrid_and_steal_even_out_what_is_uneven(void)
{
    static const heist_schedule schedules[] = {HEIST_SCHEDULE_HYBRID, HEIST_SCHEDULE_STEAL};
    heist_pool *pool = loop_pool(4);
    for (int s = 0; s < 2; s++) {
        heist_loop_report report = {0};
        heist_loop_options options = {.schedule = schedules[s], .batch = 1, .report = &report};
        int tries = 0;
        do {
            TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(400), sleep_in_the_first_quarter, NULL, &options));
        } while (report.balance >= 3.0 && ++tries < TRIES); /* 4: one worker did it all */
        TEST_ASSERT_TRUE_MESSAGE(tries < TRIES, schedule_word(schedules[s]));
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

/* ---- reports ---- */

static void reports_add_up(void)
{
    for (unsigned workers = 1; workers <= 5; workers += 2) {
        heist_pool *pool = loop_pool(workers);
        FOR_ALL_SCHEDULES(schedule)
        {
            heist_loop_share shares[6];
            memset(shares, 0x55, sizeof shares);
            heist_loop_report report = {.shares = shares, .room = 6};
            heist_loop_options options = {.schedule = *schedule, .batch = 10, .report = &report};
            coverage c = {.range = heist_upto(995), .marks = marks_new(995)};
            TEST_ASSERT_EQUAL_INT(0, heist_for(pool, c.range, cover, &c, &options));
            TEST_ASSERT_TRUE(marks_end(&c.marks));
            TEST_ASSERT_EQUAL_UINT(workers, report.workers);
            TEST_ASSERT_EQUAL_UINT64(995, report.all.iterations);
            TEST_ASSERT_EQUAL_UINT64(atomic_load(&c.calls), report.all.batches);
            TEST_ASSERT_EQUAL_UINT64(10, report.batch);
            uint64_t iterations = 0, batches = 0, busy = 0, busiest = 0;
            for (unsigned i = 0; i < workers; i++) {
                iterations += shares[i].iterations;
                batches += shares[i].batches;
                busy += shares[i].busy_ns;
                if (shares[i].busy_ns > busiest) busiest = shares[i].busy_ns;
            }
            TEST_ASSERT_EQUAL_UINT64(report.all.iterations, iterations);
            TEST_ASSERT_EQUAL_UINT64(report.all.batches, batches);
            TEST_ASSERT_EQUAL_UINT64(report.all.busy_ns, busy);
            TEST_ASSERT_EQUAL_UINT64(report.busiest_ns, busiest);
            TEST_ASSERT_TRUE(report.busiest_ns <= report.elapsed_ns);
            TEST_ASSERT_TRUE(report.balance >= 1.0 && report.balance <= workers);
            if (busy) TEST_ASSERT_TRUE(report.balance == (double)busiest * workers / (double)busy);
            TEST_ASSERT_EQUAL_HEX8(0x55, ((unsigned char *)&shares[workers])[0]); /* no such worker */
            if (*schedule == HEIST_SCHEDULE_DEFAULT)
                TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_STEAL, report.schedule);
            else if (*schedule != HEIST_SCHEDULE_AUTO)
                TEST_ASSERT_EQUAL_INT(*schedule, report.schedule);
        }
        free_pool(pool);
    }
}

static void a_report_with_less_room_gets_less(void)
{
    heist_pool *pool = loop_pool(3);
    heist_loop_share shares[2];
    memset(shares, 0x55, sizeof shares);
    heist_loop_report report = {.size = sizeof report, .shares = shares, .room = 1};
    heist_loop_options options = {.report = &report};
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(10), sleep_a_little, NULL, &options));
    TEST_ASSERT_EQUAL_UINT64(10, report.all.iterations);
    TEST_ASSERT_TRUE(shares[0].iterations <= 10);
    TEST_ASSERT_EQUAL_HEX8(0x55, ((unsigned char *)&shares[1])[0]);
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(0), sleep_a_little, NULL, &options));
    TEST_ASSERT_EQUAL_UINT64(0, report.all.iterations); /* of an empty loop, too */
    free_pool(pool);
}

static int nothing(heist_range part, void *context)
{
    (void)part, (void)context;
    return 0;
}

static void auto_says_what_it_chose(void)
{
    heist_pool *pool = loop_pool(2);
    heist_loop_report report = {0};
    heist_loop_options options = {.schedule = HEIST_SCHEDULE_AUTO, .report = &report};
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(3), sleep_a_little, NULL, &options));
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_STEAL, report.schedule); /* too few to measure any */
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(300), sleep_a_little, NULL, &options));
    TEST_ASSERT_TRUE(report.schedule == HEIST_SCHEDULE_STEAL || report.schedule == HEIST_SCHEDULE_HYBRID);
    TEST_ASSERT_EQUAL_UINT64(300, report.all.iterations);
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(1000), nothing, NULL, &options));
    TEST_ASSERT_EQUAL_UINT64(1000, report.all.iterations);
    free_pool(pool);
}

static int sleep_in_the_second_half(heist_range part, void *context)
{
    (void)context;
    for (int64_t i = part.begin < 500 ? 500 : part.begin; i < part.end; i++) sleep_us(50);
    return 0;
}

static void auto_shares_a_loop_that_begins_cheaply(void)
{
    heist_pool *pool = loop_pool(2);
    heist_loop_options options = {.schedule = HEIST_SCHEDULE_AUTO};
    for (int round = 0; round < 10; round++) { /* in one of them at least the first iterations were measured as cheap */
        heist_loop_report report = {0};
        options.report = &report;
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(1000), sleep_in_the_second_half, NULL, &options));
        TEST_ASSERT_EQUAL_UINT64(1000, report.all.iterations);
        TEST_ASSERT_TRUE(report.schedule != HEIST_SCHEDULE_DEFAULT);
    }
    free_pool(pool);
}

static int busy_at_the_end(heist_range part, void *context)
{
    call_sizes *c = context;
    raise_to(&c->largest, heist_range_count(part));
    for (int64_t i = part.begin < 900 ? 900 : part.begin; i < part.end; i++) {
        int64_t until = heist__clock_ns() + 1200;
        while (heist__clock_ns() < until) {
        }
    }
    return 0;
}

/* Over all of them it would not be worth it. */
static void auto_shares_a_loop_of_which_only_the_end_is_dear(void)
{
    heist_pool *pool = loop_pool(2);
    for (int round = 0; round < 10; round++) {
        call_sizes sizes = {0};
        heist_loop_report report = {0};
        heist_loop_options options = {.schedule = HEIST_SCHEDULE_AUTO, .report = &report};
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(1000), busy_at_the_end, &sizes, &options));
        TEST_ASSERT_TRUE(report.schedule != HEIST_SCHEDULE_DEFAULT);
    }
    free_pool(pool);
}

static int busy_at_the_end_and_adds(heist_range part, void *result, void *context)
{
    *(int64_t *)result += (int64_t)heist_range_count(part);
    return busy_at_the_end(part, context);
}

/* What was given out before the plan was made counts, too. */
static void autos_report_knows_the_largest_batch(void)
{
    heist_pool *pool = loop_pool(2);
    int64_t count = 0, none = 0;
    const heist_monoid sum = {sizeof count, &none, add_counts};
    for (int round = 0; round < 10; round++) {
        call_sizes sizes = {0};
        heist_loop_report report = {0};
        heist_loop_options options = {.schedule = HEIST_SCHEDULE_AUTO, .report = &report};
        TEST_ASSERT_EQUAL_INT(
            0, heist_reduce(pool, heist_upto(1000), &sum, busy_at_the_end_and_adds, &sizes, &count, &options));
        TEST_ASSERT_EQUAL_INT64(1000, count);
        TEST_ASSERT_TRUE(report.batch == 0 || atomic_load(&sizes.largest) <= report.batch);
    }
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
    RUN_TEST(static_makes_equal_parts_for_the_workers);
    RUN_TEST(static_parts_have_their_places);
    RUN_TEST(shared_takes_as_many_batches_at_once_as_it_is_told);
    RUN_TEST(hybrid_takes_as_many_batches_at_once_as_it_is_told);
    RUN_TEST(busy_workers_are_not_waited_for);
    RUN_TEST(shares_that_nobody_has_begun_are_taken_whole);
    RUN_TEST(no_batch_is_larger_than_the_report_says);
    RUN_TEST(dear_iterations_in_front_are_shared);
    RUN_TEST(no_batch_is_more_than_a_sixteenth);
    RUN_TEST(the_largest_batches_are_whole);
    RUN_TEST(the_report_of_nothing_says_what_ran);
    RUN_TEST(the_last_batches_of_steal_are_small);
    RUN_TEST(auto_learns_that_iterations_got_dear);
    RUN_TEST(nothing_is_split_that_nobody_wants);
    RUN_TEST(others_take_part);
    RUN_TEST(hybrid_and_steal_even_out_what_is_uneven);
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
    RUN_TEST(reports_add_up);
    RUN_TEST(a_report_with_less_room_gets_less);
    RUN_TEST(auto_says_what_it_chose);
    RUN_TEST(auto_shares_a_loop_that_begins_cheaply);
    RUN_TEST(auto_shares_a_loop_of_which_only_the_end_is_dear);
    RUN_TEST(autos_report_knows_the_largest_batch);
    RUN_TEST(bad_options_are_refused);
    RUN_TEST(options_of_other_versions_are_read);
    RUN_TEST(a_closed_pool_runs_no_loop);
    return UNITY_END();
}
