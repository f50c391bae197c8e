/* The report of a loop: its numbers add up, and it names the schedule that `auto` chose. */
#include <unistd.h>

#include <heist/heist.h>

#include "loop_coverage.h"
#include "loop_support.h"
#include "platform/clock.h"

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

/* Batches that were given out before the plan was made count, too. */
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

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_report_of_nothing_says_what_ran);
    RUN_TEST(reports_add_up);
    RUN_TEST(a_report_with_less_room_gets_less);
    RUN_TEST(auto_says_what_it_chose);
    RUN_TEST(auto_shares_a_loop_that_begins_cheaply);
    RUN_TEST(auto_shares_a_loop_of_which_only_the_end_is_dear);
    RUN_TEST(autos_report_knows_the_largest_batch);
    return UNITY_END();
}
