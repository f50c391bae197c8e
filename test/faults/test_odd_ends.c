/* Ends in odd places: exit() and its relatives from unusual places, pools that are ended by destructors,
 * handlers, twice or in the middle of somebody's cancellation, exceptions. The process or the pool comes to its end,
 * with the status that was asked for and everything run that was promised; test/unit/test_shutdown.c has the more
 * usual ways. */
#include <sys/mman.h>

#include "fault_support.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

/* Of the leak checker, where there is one. A process that ends in the middle of its work frees nothing. */
void __lsan_disable(void) __attribute__((weak));

/* The words of the children, in memory that they share. */
static struct {
    HEIST__ATOMIC(unsigned) ran, wrong;
} * told;

#define EXPECT(condition) ((condition) ? 0u : heist__add_relaxed(&told->wrong, 1)) /* relaxed: read after waitpid */

static void count_one(void *unused)
{
    (void)unused;
    heist__add_relaxed(&told->ran, 1); /* relaxed: as above */
}

/* Runs `body` in a child, which is to end by itself with status 7. */
static void ends_with_seven(void (*body)(void), const char *what)
{
    heist__store_relaxed(&told->ran, 0); /* relaxed throughout: fork publishes them, waitpid brings them back */
    heist__store_relaxed(&told->wrong, 0);
    fflush(NULL);
    pid_t child = fork();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0) {
        watchdog_of_child(CHILD_PATIENCE_S);
        if (__lsan_disable) __lsan_disable();
        body();
        _exit(100);
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0) TEST_ASSERT_EQUAL_INT(EINTR, errno);
    TEST_ASSERT_TRUE_MESSAGE(WIFEXITED(status), what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(7, WEXITSTATUS(status), what);
    TEST_ASSERT_EQUAL_UINT_MESSAGE(0, heist__load_relaxed(&told->wrong), what);
}

static unsigned tasks_told(void)
{
    return heist__load_relaxed(&told->ran);
}

static heist_pool *new_pool(unsigned workers)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    heist_pool *pool = heist_pool_new(&options);
    if (!pool) _exit(101);
    return pool;
}

/* ---- exit ---- */

static void leave(void *how)
{
    (*(void (**)(int))how)(7);
}

static void (*const ways_to_leave[])(int) = {exit, quick_exit, _exit};
static void (*way_to_leave)(int);

static void leave_from_a_detached_task(void)
{
    heist_run(NULL, count_one, NULL);
    heist_detach(NULL, leave, &way_to_leave);
    for (;;) heist_run(NULL, count_one, NULL);
}

static int leave_in_loop(heist_range part, void *unused)
{
    (void)unused;
    if (part.begin <= 700 && part.end > 700) leave(&way_to_leave);
    return 0;
}

static void leave_from_a_loop(void)
{
    heist_for(NULL, heist_upto(1000), leave_in_loop, NULL, NULL);
}

static heist_pool *other;

static void leave_on_the_other(void *unused)
{
    (void)unused;
    heist_run(other, leave, &way_to_leave);
}

/* The default pool's task waits for what calls exit(), which would wait for the default pool. */
static void leave_from_another_pools_run(void)
{
    other = new_pool(2);
    heist_run(NULL, leave_on_the_other, NULL);
}

static void *leave_soon(void *unused)
{
    (void)unused;
    sleep_us(3000);
    leave(&way_to_leave);
    return NULL;
}

static void leave_from_a_thread_while_tasks_run(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, leave_soon, NULL) != 0) _exit(102);
    other = new_pool(3);
    for (;;) {
        HEIST_RUN(other, fault_fib, 12);
        HEIST_RUN(NULL, fault_fib, 12);
    }
}

static void the_process_ends_from_wherever_it_is_told_to(void)
{
    static const struct {
        void (*body)(void);
        const char *what;
    } places[] = {{leave_from_a_detached_task, "a detached task"},
                  {leave_from_a_loop, "a loop"},
                  {leave_from_another_pools_run, "a run for a task of the default pool"},
                  {leave_from_a_thread_while_tasks_run, "a thread beside"}};
    for (size_t way = 0; way < sizeof ways_to_leave / sizeof *ways_to_leave; way++) {
        way_to_leave = ways_to_leave[way];
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            for (int round = 0; round < test_scale(3); round++) ends_with_seven(places[i].body, places[i].what);
        }
    }
}

/* ---- exit handlers ---- */

static void use_default(void)
{
    EXPECT(HEIST_RUN(NULL, fault_fib, 10) == 55);
    EXPECT(heist_run(NULL, count_one, NULL) == 0);
}

static void free_other(void)
{
    for (int i = 0; i < 10; i++) EXPECT(heist_submit(other, count_one, NULL, HEIST_WAIT) == 0);
    EXPECT(heist_pool_free(other) == 0);
    other = NULL;
}

/* The handlers run in the order from last to first: this one before the default pool ends, the other one after. */
static void handlers_around_the_default_pool(void)
{
    atexit(use_default); /* runs last: there is a new default pool for it */
    use_default();
    atexit(use_default);
    other = new_pool(2);
    atexit(free_other);
    exit(7);
}

static void a_handler_at_exit_may_use_and_end_pools(void)
{
    ends_with_seven(handlers_around_the_default_pool, "handlers");
    TEST_ASSERT_EQUAL_UINT(3 + 10, tasks_told());
}

static void handler_of_an_exit_in_a_task(void)
{
    atexit(use_default);
    way_to_leave = exit;
    heist_run(NULL, leave, &way_to_leave);
}

/* On the worker that called exit() it is a plain call. */
static void a_handler_may_run_tasks_when_a_task_has_called_exit(void)
{
    ends_with_seven(handler_of_an_exit_in_a_task, "a handler on a worker");
    TEST_ASSERT_EQUAL_UINT(1, tasks_told());
}

/* ---- destructors ---- */

static pthread_key_t key;

static void free_pool_of_thread(void *pool)
{
    EXPECT(heist_pool_free(pool) == 0);
}

static void *thread_with_a_pool(void *unused)
{
    (void)unused;
    heist_pool *pool = new_pool(2);
    for (int i = 0; i < 20; i++) EXPECT(heist_submit(pool, count_one, NULL, HEIST_WAIT) == 0);
    pthread_setspecific(key, pool);
    return NULL;
}

static void pools_of_threads(void)
{
    pthread_key_create(&key, free_pool_of_thread);
    for (int i = 0; i < 5; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_with_a_pool, NULL) != 0) _exit(102);
        pthread_join(thread, NULL);
    }
    exit(7);
}

static void a_threads_destructor_may_end_its_pool(void)
{
    ends_with_seven(pools_of_threads, "destructors");
    TEST_ASSERT_EQUAL_UINT(100, tasks_told());
}

/* A destructor of a worker's own thread: it is no worker any more, but its pool waits for it to end. */
static HEIST__ATOMIC(unsigned) worker_number_seen;

static void look_around(void *unused)
{
    (void)unused;
    heist__store_release(&worker_number_seen, (unsigned)(heist_worker_number() + 2));
}

static void set_key(void *unused)
{
    (void)unused;
    pthread_setspecific(key, &key);
}

static void a_workers_destructor_is_outside(void)
{
    TEST_ASSERT_EQUAL_INT(0, pthread_key_create(&key, look_around));
    heist__store_release(&worker_number_seen, 0);
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, set_key, NULL, HEIST_WAIT)); /* on the worker's own thread */
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    free_pool(pool);
    TEST_ASSERT_EQUAL_UINT(1, heist__load_acquire(&worker_number_seen)); /* -1 */
    pthread_key_delete(key);
}

/* ---- twice ---- */

static void a_pool_that_is_gone_is_told(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    free_pool(pool);
    size_t cancelled = 7;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_pool_free(pool));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_pool_shutdown(pool, HEIST_CANCEL, &cancelled));
    TEST_ASSERT_EQUAL_size_t(0, cancelled);
    TEST_ASSERT_TRUE(strlen(heist_explain()) > 0);
}

typedef struct {
    heist_pool *pool;
    pthread_barrier_t *together;
    int result;
} ender;

static void *end_it(void *argument)
{
    ender *e = argument;
    pthread_barrier_wait(e->together);
    e->result = heist_pool_free(e->pool);
    return NULL;
}

static void one_of_many_enders_succeeds(void)
{
    enum { ENDERS = 4 };
    for (int round = 0; round < test_scale(50); round++) {
        ender enders[ENDERS];
        pthread_t threads[ENDERS];
        pthread_barrier_t together;
        pthread_barrier_init(&together, NULL, ENDERS);
        heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
        for (uintptr_t i = 0; i < 10; i++) heist_submit(pool, mark, (void *)i, HEIST_WAIT);
        for (int i = 0; i < ENDERS; i++) {
            enders[i] = (ender){pool, &together, 1};
            TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[i], NULL, end_it, &enders[i]));
        }
        int succeeded = 0;
        for (int i = 0; i < ENDERS; i++) {
            pthread_join(threads[i], NULL);
            TEST_ASSERT_TRUE(enders[i].result == 0 || enders[i].result == -EINVAL);
            succeeded += enders[i].result == 0;
        }
        TEST_ASSERT_EQUAL_INT(1, succeeded);
        pthread_barrier_destroy(&together);
    }
}

static void the_default_pool_may_be_freed_and_comes_again(void)
{
    for (int round = 0; round < 3; round++) {
        TEST_ASSERT_EQUAL_INT(610, HEIST_RUN(NULL, fault_fib, 15));
        TEST_ASSERT_EQUAL_INT(0, heist_pool_free(heist_default_pool()));
    }
    TEST_ASSERT_EQUAL_INT(610, HEIST_RUN(NULL, fault_fib, 15));
}

/* ---- cancellation ---- */

static HEIST__ATOMIC(unsigned) stage; /* how far the cancelled thread came. Written by: it. */
static HEIST__ATOMIC(unsigned) task_may_end;

static void task_that_waits(void *unused)
{
    (void)unused;
    heist__store_release(&stage, 1);
    while (!heist__load_acquire(&task_may_end)) sleep_us(200);
    heist__store_release(&stage, 2);
}

static void *run_and_be_cancelled(void *pool)
{
    int error = heist_run(pool, task_that_waits, NULL);
    if (error == 0 && heist__load_acquire(&stage) == 2) heist__store_release(&stage, 3);
    pthread_testcancel();
    heist__store_release(&stage, 99);
    return NULL;
}

static void a_thread_that_is_cancelled_in_a_run_finishes_it_first(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    for (int round = 0; round < test_scale(20); round++) {
        pthread_t thread;
        void *result = NULL;
        heist__store_release(&stage, 0);
        heist__store_release(&task_may_end, 0);
        TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, run_and_be_cancelled, pool));
        while (heist__load_acquire(&stage) == 0) sleep_us(100);
        TEST_ASSERT_EQUAL_INT(0, pthread_cancel(thread));
        sleep_us(1000); /* if it could be cancelled there it would be gone by now */
        heist__store_release(&task_may_end, 1);
        pthread_join(thread, &result);
        TEST_ASSERT_EQUAL_UINT(3, heist__load_acquire(&stage));
        TEST_ASSERT_TRUE(result == PTHREAD_CANCELED);
    }
    free_pool(pool);
}

/* With the cancellation pending all the time. */
static void *make_use_and_free(void *unused)
{
    (void)unused;
    pthread_cancel(pthread_self());
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    heist_pool *pool = heist_pool_new(&options);
    if (pool && !trouble_with(pool) && !loop_trouble_with(pool) && heist_pool_free(pool) == 0)
        heist__store_release(&stage, 3);
    pthread_testcancel();
    return NULL;
}

static void a_cancelled_thread_leaves_no_half_a_pool(void)
{
    settle_threads();
    unsigned threads = threads_now();
    pthread_t thread;
    void *result = NULL;
    heist__store_release(&stage, 0);
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, make_use_and_free, NULL));
    pthread_join(thread, &result);
    TEST_ASSERT_TRUE(result == PTHREAD_CANCELED);
    TEST_ASSERT_EQUAL_UINT(3, heist__load_acquire(&stage));
    TEST_ASSERT_TRUE(threads_become(threads));
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT); /* no lock was left behind */
    TEST_ASSERT_NULL(trouble_with(pool));
    free_pool(pool);
}

/* ---- exceptions ---- */

#ifndef HAS_CPP
#define HAS_CPP 0
#endif
#if HAS_CPP
int odd_throw_inside(heist_pool *pool);
void odd_throw_out(heist_pool *pool);
void odd_throw_out_plainly(heist_pool *pool);

static void an_exception_that_is_caught_in_its_task_does_no_harm(void)
{
    heist_pool *pool = pool_of(3, HEIST_FENCES_DEFAULT);
    for (int round = 0; round < test_scale(20); round++) TEST_ASSERT_EQUAL_INT(256, odd_throw_inside(pool));
    free_pool(pool);
}

typedef struct {
    void (*throw)(heist_pool *pool);
} thrower;

static const char *throw_out(const void *how)
{
    if (!freopen("/dev/null", "w", stderr)) return "no /dev/null"; /* the C++ library says something */
    signal(SIGABRT, SIG_DFL);
    ((const thrower *)how)->throw(new_pool(2));
    return "it went on";
}

static void ends_the_process(thrower how)
{
    child_end end = in_child(throw_out, &how);
    TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGABRT, end.sentence);
}

static void an_exception_that_leaves_a_task_ends_the_process_and_does_not_hang_it(void)
{
    ends_the_process((thrower){odd_throw_out});
}

static void an_exception_that_leaves_a_plain_run_ends_the_process(void)
{
    ends_the_process((thrower){odd_throw_out_plainly});
}
#endif

int main(void)
{
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED) return 1;
    UNITY_BEGIN();
    RUN_TEST(the_process_ends_from_wherever_it_is_told_to); /* first: this process has no pool yet */
    RUN_TEST(a_handler_at_exit_may_use_and_end_pools);
    RUN_TEST(a_handler_may_run_tasks_when_a_task_has_called_exit);
    RUN_TEST(a_threads_destructor_may_end_its_pool);
    RUN_TEST(a_workers_destructor_is_outside);
    RUN_TEST(a_pool_that_is_gone_is_told);
    RUN_TEST(one_of_many_enders_succeeds);
    RUN_TEST(a_thread_that_is_cancelled_in_a_run_finishes_it_first);
    RUN_TEST(a_cancelled_thread_leaves_no_half_a_pool);
#if HAS_CPP
    RUN_TEST(an_exception_that_is_caught_in_its_task_does_no_harm);
    RUN_TEST(an_exception_that_leaves_a_task_ends_the_process_and_does_not_hang_it);
    RUN_TEST(an_exception_that_leaves_a_plain_run_ends_the_process);
#endif
    RUN_TEST(the_default_pool_may_be_freed_and_comes_again);
    return UNITY_END();
}
