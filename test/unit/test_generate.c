/* Lazy generation: each item once, never more in flight than allowed, one producer at a time, and every end. */
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

/* A source of numbers and what becomes of them. `next` has no lock of its own: one producer at a time, each seeing
 * what the last one did. */
typedef struct {
    int64_t next, count;
    int end;               /* the result of the producer after the last */
    bool ended;            /* it has said so */
    int64_t consumer_ends; /* the number at which the consumer says 77; -1: never */
    unsigned spin;         /* pauses for each item */
    atomic_int producing, in_flight, most_in_flight;
    marks marks;
} source;

static void note_most(source *s, int now)
{
    int most = atomic_load(&s->most_in_flight);
    while (now > most && !atomic_compare_exchange_weak(&s->most_in_flight, &most, now)) {
    }
}

static int produce(void *item, void *context)
{
    source *s = context;
    CHECK(atomic_fetch_add(&s->producing, 1) == 0);
    CHECK(!s->ended);
    CHECK((uintptr_t)item % _Alignof(max_align_t) == 0);
    int result = 1;
    if (s->next < s->count) {
        *(int64_t *)item = s->next++;
        note_most(s, atomic_fetch_add(&s->in_flight, 1) + 1);
    } else {
        s->ended = true;
        result = s->end;
    }
    atomic_fetch_sub(&s->producing, 1);
    return result;
}

static int consume(void *item, void *context)
{
    source *s = context;
    int64_t number = *(int64_t *)item;
    for (volatile unsigned spin = 0; spin < s->spin; spin = spin + 1) {
    }
    mark(&s->marks, (uint64_t)number);
    atomic_fetch_sub(&s->in_flight, 1);
    return number == s->consumer_ends ? 77 : 0;
}

static source source_of(int64_t count)
{
    return (source){.count = count, .consumer_ends = -1, .marks = marks_new((uint64_t)count)};
}

static void check_source(source *s)
{
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&s->in_flight));
    s->marks.places = (uint64_t)s->next; /* the items that were drawn */
    TEST_ASSERT_TRUE(marks_end(&s->marks));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

static void every_item_is_consumed_once(void)
{
    uint64_t seed = test_seed();
    for (unsigned workers = 1; workers <= 8; workers++) {
        heist_pool *pool = loop_pool(workers);
        for (int round = 0; round < test_scale(60); round++) {
            source s = source_of(draw(&seed) % 2000);
            s.spin = draw(&seed) % 200;
            heist_loop_options options = {.batch = draw(&seed) % 5, .in_flight = draw(&seed) % 40};
            TEST_ASSERT_EQUAL_INT(0, heist_generate(pool, sizeof(int64_t), produce, consume, &s, &options));
            TEST_ASSERT_EQUAL_INT64(s.count, s.next);
            if (options.in_flight) TEST_ASSERT_TRUE(atomic_load(&s.most_in_flight) <= (int)options.in_flight);
            check_source(&s);
        }
        free_pool(pool);
    }
}

static int consume_slowly(void *item, void *context)
{
    sleep_us(100);
    return consume(item, context);
}

static void no_more_are_in_flight_than_allowed(void)
{
    static const size_t bounds[] = {1, 2, 3, 7, 100};
    static const uint64_t batches[] = {0, 1, 2, 5, 1000};
    heist_pool *pool = loop_pool(6);
    for (int b = 0; b < 5; b++)
        for (int n = 0; n < 5; n++) {
            source s = source_of(test_scale(300));
            heist_loop_options options = {.in_flight = bounds[b], .batch = batches[n]};
            TEST_ASSERT_EQUAL_INT(0, heist_generate(pool, sizeof(int64_t), produce, consume_slowly, &s, &options));
            TEST_ASSERT_TRUE(atomic_load(&s.most_in_flight) <= (int)bounds[b]);
            check_source(&s);
        }
    free_pool(pool);
}

static void untold_there_are_64_for_each_worker_at_most(void)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        heist_pool *pool = loop_pool(workers);
        source s = source_of(test_scale(20000));
        TEST_ASSERT_EQUAL_INT(0, heist_generate(pool, sizeof(int64_t), produce, consume, &s, NULL));
        TEST_ASSERT_TRUE(atomic_load(&s.most_in_flight) <= (int)workers * 64);
        check_source(&s);
        free_pool(pool);
    }
}

static int consume_and_end(void *item, void *context)
{
    int64_t number = *(int64_t *)item;
    consume(item, context);
    return (int)number + 1;
}

static void the_first_result_counts_and_the_report_tells_the_batches(void)
{
    heist_pool *pool = loop_pool(1);
    heist_loop_report report = {0};
    heist_loop_options options = {.batch = 4, .report = &report};
    source s = source_of(10);
    TEST_ASSERT_EQUAL_INT(1, heist_generate(pool, sizeof(int64_t), produce, consume_and_end, &s, &options));
    TEST_ASSERT_EQUAL_INT64(4, s.next);
    check_source(&s);
    s = source_of(10);
    TEST_ASSERT_EQUAL_INT(0, heist_generate(pool, sizeof(int64_t), produce, consume, &s, &options));
    check_source(&s);
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_SHARED, report.schedule);
    TEST_ASSERT_EQUAL_UINT64(4, report.batch);
    TEST_ASSERT_EQUAL_UINT64(3, report.all.batches); /* 4, 4 and 2 */
    TEST_ASSERT_EQUAL_UINT64(10, report.all.iterations);
    free_pool(pool);
}

static bool all_four_consume(void *pool)
{
    heist_loop_share shares[4];
    heist_loop_report report = {.shares = shares, .room = 4};
    heist_loop_options options = {.report = &report};
    source s = source_of(400);
    TEST_ASSERT_EQUAL_INT(0, heist_generate(pool, sizeof(int64_t), produce, consume_slowly, &s, &options));
    check_source(&s);
    TEST_ASSERT_EQUAL_UINT64(400, report.all.iterations);
    bool all = true;
    for (int i = 0; i < 4; i++) all = all && shares[i].iterations > 0;
    return all;
}

static void several_consume_at_once(void)
{
    heist_pool *pool = loop_pool(4);
    TEST_ASSERT_TRUE(succeeds_with_cpu(all_four_consume, pool));
    free_pool(pool);
}

static int produce_slowly(void *item, void *context)
{
    sleep_us(200);
    return produce(item, context);
}

static void a_slow_producer_is_waited_for(void)
{
    heist_pool *pool = loop_pool(4);
    source s = source_of(test_scale(200));
    heist_loop_options options = {.batch = 1};
    TEST_ASSERT_EQUAL_INT(0, heist_generate(pool, sizeof(int64_t), produce_slowly, consume, &s, &options));
    TEST_ASSERT_EQUAL_INT64(s.count, s.next);
    check_source(&s);
    free_pool(pool);
}

static void the_producers_error_is_the_result(void)
{
    heist_pool *pool = loop_pool(3);
    for (int round = 0; round < test_scale(50); round++) {
        source s = source_of(100);
        s.end = -EIO;
        TEST_ASSERT_EQUAL_INT(-EIO, heist_generate(pool, sizeof(int64_t), produce, consume, &s, NULL));
        TEST_ASSERT_EQUAL_INT64(100, s.next);
        check_source(&s); /* items drawn before are consumed */
    }
    free_pool(pool);
}

static void a_consumer_ends_it(void)
{
    heist_pool *pool = loop_pool(3);
    for (int round = 0; round < test_scale(50); round++) {
        source s = source_of(1000000);
        s.consumer_ends = 50;
        heist_loop_options options = {.in_flight = 30};
        TEST_ASSERT_EQUAL_INT(77, heist_generate(pool, sizeof(int64_t), produce, consume, &s, &options));
        TEST_ASSERT_TRUE(s.next > 50 && s.next < s.count);
        check_source(&s); /* all that was drawn is consumed all the same */
    }
    free_pool(pool);
}

/* ---- large items, and work within ---- */

typedef struct {
    int64_t number;
    char rest[100000];
} large;

static int produce_large(void *item, void *context)
{
    int more = produce(item, context);
    if (more > 0) memset(((large *)item)->rest, (int)(*(int64_t *)item % 100), sizeof((large *)item)->rest);
    return more;
}

static int consume_large(void *item, void *context)
{
    const large *l = item;
    for (size_t i = 0; i < sizeof l->rest; i += 999) CHECK(l->rest[i] == l->number % 100);
    return consume(item, context);
}

static void large_items_have_room(void)
{
    heist_pool *pool = loop_pool(3);
    source s = source_of(test_scale(300));
    TEST_ASSERT_EQUAL_INT(0, heist_generate(pool, sizeof(large), produce_large, consume_large, &s, NULL));
    TEST_ASSERT_TRUE(atomic_load(&s.most_in_flight) <= 3);
    check_source(&s);
    free_pool(pool);
}

HEIST_FOLD(int64_t, count_up, 0, HEIST_PLUS, sum, i)
{
    return sum + 1;
}

static int produce_with_loop(void *item, void *context)
{
    int64_t n = 0;
    CHECK(HEIST_REDUCE(NULL, &n, count_up, heist_upto(500)) == 0 && n == 500);
    return produce(item, context);
}

static int consume_with_loop(void *item, void *context)
{
    int64_t n = 0;
    CHECK(HEIST_REDUCE(NULL, &n, count_up, heist_upto(500)) == 0 && n == 500);
    return consume(item, context);
}

static void producers_and_consumers_may_have_loops(void)
{
    heist_pool *pool = loop_pool(4);
    for (int round = 0; round < test_scale(10); round++) {
        source s = source_of(200);
        TEST_ASSERT_EQUAL_INT(0, heist_generate(pool, sizeof(int64_t), produce_with_loop, consume_with_loop, &s, NULL));
        check_source(&s);
    }
    free_pool(pool);
}

static int generate_in_a_loop(heist_range part, void *context)
{
    (void)context;
    HEIST_EACH(i, part)
    {
        source s = {.count = 50, .consumer_ends = -1, .marks = {calloc(51, sizeof(atomic_uchar)), 50}};
        CHECK(heist_generate(NULL, sizeof(int64_t), produce, consume, &s, NULL) == 0);
        CHECK(marks_end(&s.marks));
    }
    return 0;
}

static void generation_nests_in_loops(void)
{
    heist_pool *pool = loop_pool(4);
    heist_loop_options options = {.batch = 1};
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(test_scale(100)), generate_in_a_loop, NULL, &options));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

static void an_empty_source_is_no_error(void)
{
    heist_pool *pool = loop_pool(2);
    source s = source_of(0);
    TEST_ASSERT_EQUAL_INT(0, heist_generate(pool, sizeof(int64_t), produce, consume, &s, NULL));
    check_source(&s);
    free_pool(pool);
}

static void what_makes_no_sense_is_refused(void)
{
    heist_pool *pool = loop_pool(2);
    source s = source_of(10);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_generate(pool, 8, NULL, consume, &s, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_generate(pool, 8, produce, NULL, &s, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_generate(pool, 0, produce, consume, &s, NULL));
    heist_loop_options options = {.size = 1};
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_generate(pool, 8, produce, consume, &s, &options));
    TEST_ASSERT_EQUAL_INT(-ENOMEM, heist_generate(pool, SIZE_MAX, produce, consume, &s, NULL));
    options = (heist_loop_options){.in_flight = SIZE_MAX, .batch = SIZE_MAX / 2};
    TEST_ASSERT_EQUAL_INT(-ENOMEM, heist_generate(pool, 8, produce, consume, &s, &options));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_close(pool));
    TEST_ASSERT_EQUAL_INT(-ESHUTDOWN, heist_generate(pool, 8, produce, consume, &s, NULL));
    TEST_ASSERT_EQUAL_INT64(0, s.next); /* nothing was drawn */
    check_source(&s);
    free_pool(pool);
}

int main(void)
{
    canary_begin(); /* under ThreadSanitizer, too: this program does not fork */
    UNITY_BEGIN();
    RUN_TEST(every_item_is_consumed_once);
    RUN_TEST(no_more_are_in_flight_than_allowed);
    RUN_TEST(untold_there_are_64_for_each_worker_at_most);
    RUN_TEST(the_first_result_counts_and_the_report_tells_the_batches);
    RUN_TEST(several_consume_at_once);
    RUN_TEST(a_slow_producer_is_waited_for);
    RUN_TEST(the_producers_error_is_the_result);
    RUN_TEST(a_consumer_ends_it);
    RUN_TEST(large_items_have_room);
    RUN_TEST(producers_and_consumers_may_have_loops);
    RUN_TEST(generation_nests_in_loops);
    RUN_TEST(an_empty_source_is_no_error);
    RUN_TEST(what_makes_no_sense_is_refused);
    return UNITY_END();
}
