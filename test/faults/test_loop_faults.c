/* Loops when memory runs out: every allocation that a loop makes fails in its turn. The loop says -ENOMEM, has run
 * nothing (unless a part was stolen and there was no room for its result), has left the result alone, and nothing
 * stays allocated.
 * The linker puts the functions of this file in place of the allocating ones (--wrap), in the library's objects too. */
#include <errno.h>

#include <heist/heist.h>

#include "loop_support.h"

/* How many allocations succeed before one fails; negative: all do. Written by: the test, threads that allocate. */
static atomic_int left_before = -1;
/* Allocated and not freed since the test began to count. Written by: threads that allocate. */
static atomic_int live;
static atomic_int refused;

static bool fails(void)
{
    if (atomic_load(&left_before) < 0 || atomic_fetch_sub(&left_before, 1) != 0) return false;
    atomic_fetch_add(&refused, 1);
    return true;
}

void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size)
{
    if (fails()) return NULL;
    atomic_fetch_add(&live, 1);
    return __real_malloc(size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    if (fails()) return NULL;
    atomic_fetch_add(&live, 1);
    return __real_aligned_alloc(alignment, size);
}

void __wrap_free(void *memory)
{
    if (memory) atomic_fetch_sub(&live, 1);
    __real_free(memory);
}

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
}

void tearDown(void)
{
    atomic_store(&left_before, -1);
    alarm(0);
}

/* ---- scenarios: each returns what the loop returned ---- */

#define WIDE 40

typedef struct {
    uint64_t sum[WIDE]; /* more than fits where small results lie */
} wide;

static const wide zero;
static atomic_int bodies;

static void add_wide(void *left, const void *right, void *context)
{
    (void)context;
    for (int i = 0; i < WIDE; i++) ((wide *)left)->sum[i] += ((const wide *)right)->sum[i];
}

static int count_wide(heist_range part, void *accumulator, void *context)
{
    (void)context;
    atomic_fetch_add(&bodies, 1);
    HEIST_EACH(i, part)((wide *)accumulator)->sum[i % WIDE]++;
    return 0;
}

static int count_only(heist_range part, void *context)
{
    (void)part, (void)context;
    atomic_fetch_add(&bodies, 1);
    return 0;
}

static int three_items(void *item, void *context)
{
    *(int *)item = 1;
    return (*(int *)context)++ < 3;
}

static int count_item(void *item, void *context)
{
    (void)item, (void)context;
    atomic_fetch_add(&bodies, 1);
    return 0;
}

typedef int scenario(heist_pool *pool, heist_schedule schedule);

static int plain_loop(heist_pool *pool, heist_schedule schedule)
{
    heist_loop_report report = {0};
    heist_loop_options options = {.schedule = schedule, .report = &report};
    return heist_for(pool, heist_upto(1000), count_only, NULL, &options);
}

static int reduction(heist_pool *pool, heist_schedule schedule)
{
    const heist_monoid monoid = {sizeof(wide), &zero, add_wide};
    heist_loop_report report = {0};
    heist_loop_options options = {.schedule = schedule, .batch = 10, .report = &report};
    wide result;
    memset(&result, 0x77, sizeof result);
    int error = heist_reduce(pool, heist_upto(1000), &monoid, count_wide, NULL, &result, &options);
    for (int i = 0; i < WIDE; i++) {
        TEST_ASSERT_EQUAL_HEX64(error ? UINT64_C(0x7777777777777777) : UINT64_C(1000) / WIDE, result.sum[i]);
    }
    return error;
}

static int generation(heist_pool *pool, heist_schedule schedule)
{
    (void)schedule;
    int drawn = 0;
    heist_loop_report report = {0};
    heist_loop_options options = {.report = &report};
    int error = heist_generate(pool, sizeof(int), three_items, count_item, &drawn, &options);
    TEST_ASSERT_EQUAL_INT(error ? 0 : 4, drawn);
    return error;
}

/* Lets each allocation fail in its turn until the scenario needs no more. Returns how many it needs. */
static int fail_each(scenario *run, heist_pool *pool, heist_schedule schedule)
{
    for (int nth = 0;; nth++) {
        atomic_store(&bodies, 0);
        atomic_store(&refused, 0);
        atomic_store(&live, 0);
        atomic_store(&left_before, nth);
        int error = run(pool, schedule);
        atomic_store(&left_before, -1);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, atomic_load(&live), "something stays allocated");
        if (atomic_load(&refused) == 0) {
            TEST_ASSERT_EQUAL_INT(0, error);
            return nth;
        }
        if (schedule == HEIST_SCHEDULE_AUTO && error == 0) continue; /* it could do without */
        TEST_ASSERT_EQUAL_INT_MESSAGE(-ENOMEM, error, schedule_word(schedule));
        TEST_ASSERT_NOT_NULL(strstr(heist_explain(), "memory"));
        bool stolen_part = run == reduction && nth >= 2;
        if (!stolen_part) TEST_ASSERT_EQUAL_INT_MESSAGE(0, atomic_load(&bodies), schedule_word(schedule));
        TEST_ASSERT_TRUE(nth < 100);
    }
}

static void a_loop_without_memory_says_so(void)
{
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        heist_pool *pool = loop_pool(workers);
        FOR_ALL_SCHEDULES(schedule)
        {
            TEST_ASSERT_TRUE(fail_each(plain_loop, pool, *schedule) >= 1); /* the report at least */
        }
        free_pool(pool);
    }
}

static void a_reduction_without_memory_says_so(void)
{
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        heist_pool *pool = loop_pool(workers);
        FOR_ALL_SCHEDULES(schedule)
        {
            TEST_ASSERT_TRUE(fail_each(reduction, pool, *schedule) >= 2); /* and the result */
        }
        free_pool(pool);
    }
}

static void a_generation_without_memory_says_so(void)
{
    heist_pool *pool = loop_pool(3);
    TEST_ASSERT_EQUAL_INT(2, fail_each(generation, pool, HEIST_SCHEDULE_DEFAULT));
    free_pool(pool);
}

/* A part is stolen, and there is no memory for its result. */
static int sleep_and_count(heist_range part, void *accumulator, void *context)
{
    sleep_us(200);
    return count_wide(part, accumulator, context);
}

/* Checks results and memory. True: a thief came, and ended a loop. */
static bool a_thief_ends_a_loop(void *pool)
{
    const heist_monoid monoid = {sizeof(wide), &zero, add_wide};
    int ended = 0;
    for (int round = 0; round < 5; round++) {
        heist_loop_options options = {.batch = 1};
        wide result;
        atomic_store(&bodies, 0);
        atomic_store(&live, 0);
        atomic_store(&refused, 0);
        atomic_store(&left_before, 1); /* the caller's result is there */
        int error = heist_reduce(pool, heist_upto(1000), &monoid, sleep_and_count, NULL, &result, &options);
        atomic_store(&left_before, -1);
        TEST_ASSERT_EQUAL_INT(atomic_load(&refused) ? -ENOMEM : 0, error);
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&live));
        if (!error) continue;
        ended++;
        TEST_ASSERT_TRUE(atomic_load(&bodies) < 1000);
    }
    return ended > 0;
}

static void a_stolen_part_without_memory_ends_the_loop(void)
{
    heist_pool *pool = loop_pool(4);
    TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(a_thief_ends_a_loop, pool), "no thief came in a second");
    free_pool(pool);
}

/* Checks results and memory. True: a thief came. */
static bool results_are_stolen(void *pool)
{
    const heist_monoid monoid = {sizeof(wide), &zero, add_wide};
    heist_stats before = stats_of(pool);
    for (int round = 0; round < 5; round++) {
        heist_loop_options options = {.batch = 1};
        wide result;
        atomic_store(&live, 0);
        TEST_ASSERT_EQUAL_INT(0,
                              heist_reduce(pool, heist_upto(200), &monoid, sleep_and_count, NULL, &result, &options));
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&live));
        TEST_ASSERT_EACH_EQUAL_UINT64(200 / WIDE, result.sum, WIDE);
    }
    heist_stats after = stats_of(pool);
    return steals_in(&after) > steals_in(&before);
}

static void stolen_results_are_given_back(void)
{
    heist_pool *pool = loop_pool(4);
    TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(results_are_stolen, pool), "no thief came");
    free_pool(pool);
}

int main(void)
{
    canary_begin(); /* under ThreadSanitizer, too: this program does not fork */
    UNITY_BEGIN();
    RUN_TEST(a_loop_without_memory_says_so);
    RUN_TEST(a_reduction_without_memory_says_so);
    RUN_TEST(a_generation_without_memory_says_so);
    RUN_TEST(a_stolen_part_without_memory_ends_the_loop);
    RUN_TEST(stolen_results_are_given_back);
    return UNITY_END();
}
