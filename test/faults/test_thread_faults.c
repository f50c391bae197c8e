/* Threads that cannot be had. The linker puts this file's pthread_create in place of the library's (--wrap). A pool
 * comes with fewer workers and says so; a strict one, or one without any, does not come at all and leaves nothing. */
#include "fault_support.h"

#define MOST_WORKERS 5u

/* ---- which thread is refused ---- */

typedef struct {
    unsigned first, last; /* numbers of the calls that fail */
    int error;
    size_t too_large; /* stacks from this size on fail as well; 0: none */
} refusal;

static refusal refused; /* Written by: the test. Read by: it, inside the library. */
static unsigned calls;
static size_t stacks[64]; /* asked for */

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument)
{
    unsigned call = calls++;
    size_t stack = 0;
    if (attributes) pthread_attr_getstacksize(attributes, &stack);
    if (call < sizeof stacks / sizeof *stacks) stacks[call] = stack;
    if (refused.error && call >= refused.first && call <= refused.last) return refused.error;
    if (refused.too_large && stack >= refused.too_large) return EAGAIN;
    return __real_pthread_create(thread, attributes, function, argument);
}

static void refuse(unsigned first, unsigned last, int error)
{
    calls = 0;
    refused = (refusal){.first = first, .last = last, .error = error};
}

void setUp(void)
{
    watchdog(PATIENCE_S);
    refuse(0, 0, 0);
}

void tearDown(void)
{
    alarm(0);
    refuse(0, 0, 0);
}

static heist_options workers_wanted(unsigned workers)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.stack_size = (size_t)1 << 20; /* asked for, so not tried again with less */
    return options;
}

static void works_and_ends(heist_pool *pool)
{
    const char *trouble = trouble_with(pool);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    free_pool(pool);
}

/* ---- fewer ---- */

static void fewer_threads_make_a_smaller_pool_with_a_note(void)
{
    for (unsigned had = 1; had < MOST_WORKERS; had++) {
        FOR_BOTH_FENCE_MODES(mode)
        {
            heist_options options = workers_wanted(MOST_WORKERS);
            options.fences = *mode;
            unsigned threads = threads_now();
            refuse(had, MOST_WORKERS, EAGAIN);
            heist_pool *pool = heist_pool_new(&options);
            TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
            TEST_ASSERT_EQUAL_UINT(had, heist_pool_workers(pool));
            TEST_ASSERT_EQUAL_UINT(threads + had, threads_now());
            char note[60];
            snprintf(note, sizeof note, "%u of %u workers could be started", had, MOST_WORKERS);
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heist_pool_notes(pool), note), heist_pool_notes(pool));
            works_and_ends(pool);
            TEST_ASSERT_TRUE(threads_become(threads));
        }
    }
}

/* One call that fails ends the starting, whether a later one would have succeeded or not: the number must be right. */
static void one_refusal_leaves_no_hole(void)
{
    for (unsigned k = 1; k < MOST_WORKERS; k++) {
        heist_options options = workers_wanted(MOST_WORKERS);
        refuse(k, k, EPERM);
        heist_pool *pool = heist_pool_new(&options);
        TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
        unsigned workers = heist_pool_workers(pool);
        TEST_ASSERT_TRUE(workers < MOST_WORKERS && workers >= k);
        TEST_ASSERT_TRUE(strlen(heist_pool_notes(pool)) > 0);
        works_and_ends(pool);
    }
}

static HEIST__ATOMIC(unsigned) odd_numbers; /* workers' numbers outside what the pool tells. Written by: tasks. */
static unsigned told;

HEIST_VOID_TASK(look_at_numbers, int, depth)
{
    int number = heist_worker_number();
    if (number < 0 || (unsigned)number >= told) heist__add_relaxed(&odd_numbers, 1); /* relaxed: read after the run */
    if (depth == 0) return;
    HEIST_SPAWN(other, look_at_numbers, depth - 1);
    HEIST_CALL(look_at_numbers, depth - 1);
    HEIST_SYNC(other);
}

static void workers_are_numbered_below_what_the_pool_tells(void)
{
    heist_options options = workers_wanted(MOST_WORKERS);
    refuse(2, MOST_WORKERS, EAGAIN);
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    told = heist_pool_workers(pool);
    HEIST_RUN(pool, look_at_numbers, 12);
    TEST_ASSERT_EQUAL_UINT(0, heist__load_relaxed(&odd_numbers)); /* relaxed: the run is over */
    TEST_ASSERT_EQUAL_UINT(2, stats_of(pool).workers);
    free_pool(pool);
}

static void *submit_one(void *pool)
{
    static HEIST__ATOMIC(unsigned) next;
    uintptr_t i = heist__add_relaxed(&next, 1); /* relaxed: only to differ */
    return heist_submit(pool, mark, (void *)i, HEIST_WAIT) == 0 ? NULL : pool;
}

/* Submissions go to the inboxes of all nodes, and the only worker is on one of them. */
static void nodes_without_a_worker_have_their_inbox_emptied(void)
{
#if HEIST_HAVE_HWLOC
    enum { THREADS = 8 };
    heist_options options = workers_wanted(4);
    options.topology = "pack:4 [numa] core:1 pu:1";
    refuse(1, 4, EAGAIN);
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_UINT(1, heist_pool_workers(pool));
    refuse(0, 0, 0);
    forget_marks();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[i], NULL, submit_one, pool));
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        TEST_ASSERT_NULL(failed);
    }
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_TRUE(all_marked_once(0, THREADS));
    works_and_ends(pool);
#else
    (void)submit_one;
    TEST_IGNORE_MESSAGE("needs hwloc");
#endif
}

/* ---- none, or not enough ---- */

static void refused_as_a_whole(const heist_options *options, int expected)
{
    unsigned threads = threads_now();
    errno = 0;
    heist_pool *pool = heist_pool_new(options);
    TEST_ASSERT_NULL(pool);
    TEST_ASSERT_EQUAL_INT(expected, errno);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heist_explain(), "workers could be started"), heist_explain());
    TEST_ASSERT_TRUE(threads_become(threads));
}

static void no_thread_is_no_pool(void)
{
    heist_options options = workers_wanted(3);
    refuse(0, 3, EAGAIN);
    refused_as_a_whole(&options, EAGAIN);
    TEST_ASSERT_EQUAL_UINT(1, calls); /* asked for its own size, it is not tried with another */
    refuse(0, 3, EPERM);
    refused_as_a_whole(&options, EPERM);
}

static void a_strict_pool_has_all_its_workers_or_is_none(void)
{
    heist_options options = workers_wanted(MOST_WORKERS);
    options.strict = true;
    for (unsigned k = 0; k < MOST_WORKERS; k++) {
        refuse(k, k, EAGAIN);
        refused_as_a_whole(&options, EAGAIN);
    }
    refuse(0, 0, 0);
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_UINT(MOST_WORKERS, heist_pool_workers(pool));
    works_and_ends(pool);
}

/* ---- stacks ---- */

static void a_default_stack_that_is_too_large_is_halved(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    calls = 0;
    refused = (refusal){.too_large = (size_t)5 << 20};
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_UINT(2, heist_pool_workers(pool));
    TEST_ASSERT_GREATER_THAN_UINT(2, calls);
    TEST_ASSERT_TRUE(stacks[0] >= refused.too_large && stacks[1] == stacks[0] / 2);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heist_pool_notes(pool), "worker 0 has a stack of"), heist_pool_notes(pool));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heist_pool_notes(pool), "worker 1 has a stack of"), heist_pool_notes(pool));
    works_and_ends(pool);
}

/* Only EAGAIN is a matter of size, and even then there is an end. */
static void the_halving_ends(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    refuse(0, UINT32_MAX, EAGAIN);
    refused_as_a_whole(&options, EAGAIN);
    TEST_ASSERT_TRUE(calls > 1 && calls < 40);
    TEST_ASSERT_GREATER_OR_EQUAL_size_t(64 << 10, stacks[calls - 1]);
    refuse(0, UINT32_MAX, EPERM);
    refused_as_a_whole(&options, EPERM);
    TEST_ASSERT_EQUAL_UINT(1, calls);
}

static void a_stack_that_was_asked_for_is_given_or_refused(void)
{
    heist_options options = workers_wanted(2);
    refuse(0, 0, EAGAIN);
    refused_as_a_whole(&options, EAGAIN);
    refuse(0, 0, 0);
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_size_t(options.stack_size, stacks[0]);
    TEST_ASSERT_EQUAL_STRING(USUAL_NOTES, heist_pool_notes(pool));
    works_and_ends(pool);
}

/* ---- a forked child's pool ---- */

static const char *start_again(const void *argument)
{
    heist_pool *pool = *(heist_pool *const *)argument;
    forget_marks();
    refuse(0, UINT32_MAX, EAGAIN);
    DEMAND(heist_run(pool, mark, NULL) == -EAGAIN, "no thread, but no error");
    DEMAND(marks_of(0) == 0, "refused but run");
    DEMAND(HEIST_RUN(pool, fault_fib, 10) == 55, "a typed run has no way to say no");
    refuse(1, UINT32_MAX, EAGAIN);
    const char *trouble = trouble_with(pool);
    DEMAND(!trouble, trouble);
    DEMAND(heist_pool_workers(pool) == 1, "one thread, but not one worker");
    DEMAND(strstr(heist_pool_notes(pool), "1 of 3"), "fewer workers without a note");
    DEMAND(heist_pool_free(pool) == 0, "not freed");
    return NULL;
}

static void a_pool_without_threads_after_fork_can_start_later(void)
{
    if (THREAD_SANITIZED) TEST_IGNORE_MESSAGE("ThreadSanitizer allows no new threads after such a fork");
    heist_options options = workers_wanted(3);
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    child_succeeds(start_again, &pool, "in a child");
    works_and_ends(pool);
}

int main(void)
{
    settle_threads();
    UNITY_BEGIN();
    RUN_TEST(fewer_threads_make_a_smaller_pool_with_a_note);
    RUN_TEST(one_refusal_leaves_no_hole);
    RUN_TEST(workers_are_numbered_below_what_the_pool_tells);
    RUN_TEST(nodes_without_a_worker_have_their_inbox_emptied);
    RUN_TEST(no_thread_is_no_pool);
    RUN_TEST(a_strict_pool_has_all_its_workers_or_is_none);
    RUN_TEST(a_default_stack_that_is_too_large_is_halved);
    RUN_TEST(the_halving_ends);
    RUN_TEST(a_stack_that_was_asked_for_is_given_or_refused);
    RUN_TEST(a_pool_without_threads_after_fork_can_start_later);
    return UNITY_END();
}
