/* Memory that runs out while a pool is made: every allocation fails in its turn, once alone and once with all that
 * follow. The pool is made whole or refused with a sentence, and nothing is left allocated. */
#include "../topologies/fixture.h"
#include "alloc_support.h"
#include "schedule/overflow.h"

/* ---- making a pool ---- */

/* Returns false when the scenario does not come to the nth allocation. */
static bool make_with_refusal(const heist_options *options, int nth, how_long how)
{
    char what[100];
    unsigned threads = threads_now();
    refuse(ANYTHING, nth, how);
    errno = 0;
    heist_pool *pool = heist_pool_new(options);
    int error = errno;
    unsigned hit = refuse_no_more();
    snprintf(what, sizeof what, "allocation %d fails %s, of kind %#x", nth, how == ONCE ? "alone" : "with all after it",
             hit);
    if (pool) {
        if (hit & ~(unsigned)MMAP) /* less address space is not worth a word */
            TEST_ASSERT_TRUE_MESSAGE(strlen(heist_pool_notes(pool)) > 0, what);
        const char *trouble = trouble_with(pool);
        TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
        free_pool(pool);
    } else {
        TEST_ASSERT_NOT_EQUAL_MESSAGE(0, hit, heist_explain());
        TEST_ASSERT_EQUAL_INT_MESSAGE(ENOMEM, error, what);
        TEST_ASSERT_TRUE_MESSAGE(strlen(heist_explain()) > 0, what);
    }
    nothing_is_left(what);
    TEST_ASSERT_TRUE_MESSAGE(threads_become(threads), what);
    return hit != 0;
}

static void make_with_each_refusal(const heist_options *options, int at_least)
{
    for (size_t way = 0; way < 2; way++) {
        int nth = 1;
        while (nth < MOST_CALLS && make_with_refusal(options, nth, both_ways[way])) nth++;
        TEST_ASSERT_GREATER_THAN_INT(at_least, nth); /* it did fail, in many places */
        TEST_ASSERT_LESS_THAN_INT(MOST_CALLS, nth);
    }
}

static void a_pool_is_made_or_refused_whole(void)
{
    heist_options options = small_stacks(2);
    make_with_each_refusal(&options, 15);
}

static void a_pool_of_default_size_is_made_or_refused_whole(void)
{
    heist_options options = small_stacks(0);
    make_with_each_refusal(&options, 10);
}

static void a_bound_pool_is_made_or_refused_whole(void)
{
    heist_options options = small_stacks(2);
    options.bind = HEIST_BIND_CORE;
    make_with_each_refusal(&options, 15);
}

static void a_pool_on_a_described_machine_is_made_or_refused_whole(void)
{
#if HEIST_HAVE_HWLOC
    heist_options options = small_stacks(3);
    options.topology = "pack:2 [numa] core:2 pu:1";
    make_with_each_refusal(&options, 20);
#else
    TEST_IGNORE_MESSAGE("needs hwloc");
#endif
}

static void a_pool_on_a_recorded_machine_is_made_or_refused_whole(void)
{
#if HEIST_HAVE_HWLOC
    heist_options options = small_stacks(3);
    options.topology = fixture("eight-in-a-row.xml");
    make_with_each_refusal(&options, 20);
#else
    TEST_IGNORE_MESSAGE("needs hwloc");
#endif
}

/* ---- a forked child's pool ---- */

static const char *restart_with_each_refusal(const void *argument)
{
    heist_pool *pool = *(heist_pool *const *)argument;
    for (int nth = 1; nth < MOST_CALLS; nth++) {
        forget_marks();
        refuse(ANYTHING, nth, FROM_THEN_ON);
        int error = heist_run(pool, mark, NULL);
        refuse_no_more();
        DEMAND(error == 0 || error == -ENOMEM, "neither run nor refused for want of memory");
        DEMAND(marks_of(0) == (error == 0), "refused and run, or neither");
        if (error) continue;
        DEMAND(nth > 3, "nothing was refused");
        const char *trouble = trouble_with(pool);
        DEMAND(!trouble, trouble);
        DEMAND(heist_pool_free(pool) == 0, "not freed");
        DEMAND(held_now() == held_before, "something is left");
        return misuse;
    }
    return "it never started again";
}

static void a_pool_that_cannot_start_again_after_fork_can_later(void)
{
    if (THREAD_SANITIZED) TEST_IGNORE_MESSAGE("ThreadSanitizer allows no new threads after such a fork");
    heist_options options = small_stacks(2);
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    child_succeeds(restart_with_each_refusal, &pool, "in a child");
    free_pool(pool);
    nothing_is_left("after fork");
}

/* ---- the default pool ---- */

static void the_default_pool_can_be_had_later(void)
{
    forget_marks();
    refuse(ANYTHING, 1, FROM_THEN_ON);
    heist_pool *pool = heist_default_pool();
    int error = errno;
    int submitted = heist_submit(NULL, mark, (void *)(uintptr_t)0, HEIST_WAIT);
    int run = heist_run(NULL, mark, (void *)(uintptr_t)1);
    int fib = HEIST_RUN(NULL, fault_fib, 15); /* has no way to say no: runs right here */
    refuse_no_more();
    TEST_ASSERT_NULL(pool);
    TEST_ASSERT_EQUAL_INT(ENOMEM, error);
    TEST_ASSERT_EQUAL_INT(-ENOMEM, submitted);
    TEST_ASSERT_EQUAL_INT(-ENOMEM, run);
    TEST_ASSERT_EQUAL_INT(610, fib);
    nothing_is_left("without a default pool");

    const char *trouble = trouble_with(NULL);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    free_pool(heist_default_pool());
    nothing_is_left("after the default pool");
}

static void the_default_pool_is_made_or_refused_whole(void)
{
    for (size_t way = 0; way < 2; way++) {
        unsigned hit = 1;
        int nth = 1;
        for (; nth < MOST_CALLS && hit; nth++) {
            refuse(ANYTHING, nth, both_ways[way]);
            heist_pool *pool = heist_default_pool();
            int error = errno;
            hit = refuse_no_more();
            if (!pool) TEST_ASSERT_EQUAL_INT(ENOMEM, error);
            const char *trouble = trouble_with(NULL); /* with memory it can be had, whatever was before */
            TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
            free_pool(heist_default_pool());
            nothing_is_left("after a default pool");
        }
        TEST_ASSERT_GREATER_THAN_INT(10, nth);
        TEST_ASSERT_LESS_THAN_INT(MOST_CALLS, nth);
    }
}

int main(void)
{
    settle_threads();
    heist__overflow_prepare(); /* before there is a pool: this thread keeps no alternate stack, which would count */
    UNITY_BEGIN();
    RUN_TEST(a_pool_is_made_or_refused_whole);
    RUN_TEST(a_pool_of_default_size_is_made_or_refused_whole);
    RUN_TEST(a_bound_pool_is_made_or_refused_whole);
    RUN_TEST(a_pool_on_a_described_machine_is_made_or_refused_whole);
    RUN_TEST(a_pool_on_a_recorded_machine_is_made_or_refused_whole);
    RUN_TEST(a_pool_that_cannot_start_again_after_fork_can_later);
    RUN_TEST(the_default_pool_can_be_had_later);
    RUN_TEST(the_default_pool_is_made_or_refused_whole);
    return UNITY_END();
}
