/* A thread in a seat: it comes back to its own seat from other pools, has the stack of a worker, and may be
 * cancelled or fork. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include <heist/heist.h>

#include "platform/stack_switch.h"
#include "quiet_fork.h"
#include "schedule/pool.h"
#include "seat_support.h"
#include "support.h"
#include "unity.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
    atomic_store(&ran, 0);
}

void tearDown(void)
{
    alarm(0);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

/* ---- several pools ---- */

typedef struct {
    heist_pool *x, *y;
    int depth;
    pthread_t thread;
    heist_scope *scope;
} ring;

static void around(void *argument)
{
    ring r = *(ring *)argument;
    CHECK(pthread_equal(r.thread, pthread_self()));
    CHECK(heist_current_pool() == (r.depth % 2 ? r.x : r.y));
    atomic_fetch_add(&ran, 1);
    CHECK(HEIST_RUN(NULL, fib, 10) == 55);
    CHECK(heist_pool_wait(r.x) == -EDEADLK || r.depth == 6); /* the first is on y */
    CHECK(heist_pool_wait(r.y) == -EDEADLK);
    CHECK(heist_pool_free(r.y) == -EDEADLK);
    int depth = r.depth--;
    if (depth > 0) CHECK(heist_run(depth % 2 ? r.y : r.x, around, &r) == 0);
    CHECK(heist_current_pool() == (depth % 2 ? r.x : r.y));
    CHECK(HEIST_RUN(NULL, fib, 5) == 5);
}

/* Each pool has one worker: a thread that comes back to a pool where it sits finds its own seat, and does not wait
 * for itself. */
static void a_thread_comes_back_to_its_own_seat(void)
{
    ring r = {pool_of(1, HEIST_FENCES_DEFAULT), pool_of(1, HEIST_FENCES_DEFAULT), 6, pthread_self(), NULL};
    let_them_sleep(r.x);
    let_them_sleep(r.y);
    for (int i = 0; i < test_scale(100); i++) {
        atomic_store(&ran, 0);
        TEST_ASSERT_EQUAL_INT(0, heist_run(r.y, around, &r));
        TEST_ASSERT_EQUAL_INT(7, atomic_load(&ran));
        TEST_ASSERT_NULL(heist_current_pool());
    }
    /* The home threads sit below no seat: such a one would find the other pool's seat through it later. */
    TEST_ASSERT_NULL(r.x->workers[0]->outer);
    TEST_ASSERT_NULL(r.y->workers[0]->outer);
    free_pool(r.x);
    free_pool(r.y);
}

static void wait_for_scope_from_afar(void *argument)
{
    ring *r = argument;
    CHECK(heist_scope_wait(r->scope) == -EDEADLK);
    atomic_fetch_add(&ran, 1);
}

static void come_back(void *argument)
{
    CHECK(heist_run(((ring *)argument)->x, wait_for_scope_from_afar, argument) == 0);
}

static void leave_from_scope(void *argument)
{
    CHECK(heist_run(((ring *)argument)->y, come_back, argument) == 0);
}

static void a_task_of_a_scope_cannot_wait_for_it_from_afar(void)
{
    ring r = {pool_of(2, HEIST_FENCES_DEFAULT), pool_of(1, HEIST_FENCES_DEFAULT), 0, pthread_self(), NULL};
    heist_scope scope;
    TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&scope, r.x));
    r.scope = &scope;
    TEST_ASSERT_EQUAL_INT(0, heist_detach(&scope, leave_from_scope, &r));
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
    TEST_ASSERT_EQUAL_INT(1, atomic_load(&ran));
    free_pool(r.x);
    free_pool(r.y);
}

static void wait_for_scope_within(void *unused)
{
    (void)unused;
    heist_scope scope;
    CHECK(heist_scope_begin(&scope, NULL) == 0);
    for (int i = 0; i < 20; i++) heist_spawn(&scope, count_one, NULL);
    for (int i = 0; i < 20; i++) CHECK(heist_detach(&scope, count_one, NULL) == 0);
    heist_join(&scope);
    CHECK(heist_scope_end(&scope) == 0);
}

static void end_the_scope(void *scope)
{
    CHECK(heist_scope_end(scope) == 0);
    CHECK(heist_current_pool() != NULL);
}

static void end_a_scope_from_afar(void *argument)
{
    const ring *r = argument;
    heist_scope scope;
    CHECK(heist_scope_begin(&scope, NULL) == 0);
    for (int i = 0; i < 3; i++) CHECK(heist_detach(&scope, count_one, NULL) == 0);
    CHECK(heist_run(r->y, end_the_scope, &scope) == 0);
    CHECK(heist_current_pool() == r->x);
}

/* Each pool has one worker: the tasks of the scope lie in the seat below, and only the thread that waits can run
 * them. Both seats must be free, or a worker would run what is to run here. */
static void a_scope_ends_from_a_seat_of_another_pool(void)
{
    ring r = {pool_of(1, HEIST_FENCES_DEFAULT), pool_of(1, HEIST_FENCES_DEFAULT), 0, pthread_self(), NULL};
    let_them_sleep(r.x);
    let_them_sleep(r.y);
    TEST_ASSERT_EQUAL_INT(0, heist_run(r.x, end_a_scope_from_afar, &r));
    TEST_ASSERT_EQUAL_INT(3, atomic_load(&ran));
    free_pool(r.x);
    free_pool(r.y);
}

static void scopes_work_in_a_seat(void)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        heist_pool *pool = pool_of(workers, HEIST_FENCES_DEFAULT);
        for (int i = test_scale(100); i > 0; i--) {
            atomic_store(&ran, 0);
            TEST_ASSERT_EQUAL_INT(0, heist_run(pool, wait_for_scope_within, NULL));
            TEST_ASSERT_EQUAL_INT(40, atomic_load(&ran));
        }
        free_pool(pool);
    }
}

/* ---- the stack ---- */

/* Goes down until `bytes` of the stack are in use below `top`, then returns the depth. Each level joins the next. */
HEIST_TASK(long, sink, char *, top, size_t, bytes)
{
    volatile char ballast[512];
    ballast[0] = 1;
    __asm__ volatile("" : : "r"(ballast) : "memory");
    char *here = __builtin_frame_address(0);
    if (!top) top = here;
    if ((size_t)(top - here) >= bytes) return 0;
    HEIST_SPAWN(child, sink, top, bytes);
    return HEIST_SYNC(child) + ballast[0];
}

typedef struct {
    heist_pool *pool;
    size_t bytes;
} depth;

static void *run_deep(void *argument)
{
    depth *d = argument;
    CHECK(HEIST_RUN(d->pool, fib, 12) == 144); /* shallow first */
    CHECK(HEIST_RUN(d->pool, sink, NULL, d->bytes) > 100);
    CHECK(HEIST_RUN(d->pool, fib, 12) == 144);
    CHECK(HEIST_RUN(d->pool, sink, NULL, d->bytes) > 100);
    return NULL;
}

static void run_deep_in_thread(depth *d, size_t stack_size)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack_size) TEST_ASSERT_EQUAL_INT(0, pthread_attr_setstacksize(&attributes, stack_size));
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, &attributes, run_deep, d));
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

/* With ThreadSanitizer each call takes room of a fixed size elsewhere. */
static size_t deep_for(const heist_pool *pool)
{
    size_t bytes = pool->settings.stack_size;
#if defined(__SANITIZE_THREAD__)
    if (bytes > (size_t)16 << 20) bytes = (size_t)16 << 20;
#endif
    return bytes - bytes / 8;
}

/* One worker: there is no thief, so the whole path lies on one stack. */
static void a_caller_has_the_stack_of_a_worker(void)
{
    if (THREAD_SANITIZED) TEST_IGNORE_MESSAGE("ThreadSanitizer has a shadow stack of its own, which is less deep");
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(1, *mode);
        depth d = {pool, deep_for(pool)};
        let_them_sleep(pool);
        run_deep(&d);
        run_deep_in_thread(&d, 0);
        run_deep_in_thread(&d, (size_t)sysconf(_SC_THREAD_STACK_MIN) + ((size_t)64 << 10));
        free_pool(pool);
    }
}

/* Another pool's worker, too, whatever is left of its own. */
static void run_deep_from_task(void *argument)
{
    run_deep(argument);
}

static void a_worker_of_another_pool_has_it_too(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1;
    options.stack_size = (size_t)256 << 10;
    heist_pool *small = heist_pool_new(&options), *large = pool_of(1, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_NOT_NULL_MESSAGE(small, heist_explain());
    depth d = {large, deep_for(large)};
    TEST_ASSERT_EQUAL_INT(0, heist_submit(small, run_deep_from_task, &d, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(small));
    TEST_ASSERT_EQUAL_INT(0, heist_run(small, run_deep_from_task, &d));
    free_pool(small);
    free_pool(large);
}

/* ---- threads that are ended, and fork ---- */

static atomic_int cancel_now;

static void comes_to_cancellation_points(void *unused)
{
    (void)unused;
    atomic_store(&cancel_now, 1);
    await(&cancel_now, 2);
    for (int i = 0; i < 10; i++) {
        sleep_us(100);
        pthread_testcancel();
    }
    atomic_fetch_add(&ran, 1);
}

static void *run_and_be_cancelled(void *pool)
{
    CHECK(heist_run(pool, comes_to_cancellation_points, NULL) == 0);
    pthread_testcancel();
    CHECK(false);
    return NULL;
}

static void a_cancelled_thread_ends_after_its_run(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    pthread_t thread;
    void *result;
    atomic_store(&cancel_now, 0);
    pthread_create(&thread, NULL, run_and_be_cancelled, pool);
    await(&cancel_now, 1);
    pthread_cancel(thread);
    atomic_store(&cancel_now, 2);
    pthread_join(thread, &result);
    TEST_ASSERT_TRUE(result == PTHREAD_CANCELED);
    TEST_ASSERT_EQUAL_INT(1, atomic_load(&ran));
    TEST_ASSERT_EQUAL(55, HEIST_RUN(pool, fib, 10)); /* its seat is there again */
    free_pool(pool);
}

#if !defined(__SANITIZE_THREAD__) /* which does not like threads in the child of a fork */
static int status_of(pid_t child)
{
    int status = -1;
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static pid_t forked;

static void fork_and_use(void *pool)
{
    forked = fork_quietly();
    if (forked != 0) return;
    char frame[4096];
    memset(frame, 7, sizeof frame);
    bool good = heist_worker_number() == -1;
    for (int i = 0; i < 20; i++) good = good && HEIST_RUN(pool, fib, 15) == 610;
    for (size_t i = 0; i < sizeof frame; i++) good = good && frame[i] == 7; /* no run has come across this frame */
    _exit(good ? 0 : 1);
}

static void the_child_of_a_fork_in_a_seat_may_use_the_pool(void)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        heist_pool *pool = pool_of(workers, HEIST_FENCES_DEFAULT);
        TEST_ASSERT_EQUAL_INT(0, heist_run(pool, fork_and_use, pool));
        TEST_ASSERT_EQUAL_INT(0, status_of(forked));
        TEST_ASSERT_EQUAL(610, HEIST_RUN(pool, fib, 15));
        free_pool(pool);
    }
}

static void fork_only(void *unused)
{
    (void)unused;
    forked = fork_quietly();
}

static void the_child_of_a_fork_in_a_seat_may_return(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    int error = heist_run(pool, fork_only, NULL);
    if (forked == 0) {
        bool good = error == 0 && heist_worker_number() == -1 && HEIST_RUN(pool, fib, 15) == 610;
        _exit(good && heist_pool_free(pool) == 0 ? 0 : 1);
    }
    TEST_ASSERT_EQUAL_INT(0, error);
    TEST_ASSERT_EQUAL_INT(0, status_of(forked));
    TEST_ASSERT_EQUAL(610, HEIST_RUN(pool, fib, 15));
    free_pool(pool);
}

static void a_fork_beside_callers_has_free_seats_in_the_child(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    holder h;
    pthread_t thread, caller;
    holder_begin(&h, pool, &thread);
    pthread_create(&caller, NULL, run_count, pool);
    await_waiting(pool, 1);
    forked = fork_quietly();
    if (forked == 0) _exit(HEIST_RUN(pool, fib, 15) == 610 && heist_pool_free(pool) == 0 ? 0 : 1);
    TEST_ASSERT_EQUAL_INT(0, status_of(forked));
    sem_post(&h.go);
    pthread_join(thread, NULL);
    pthread_join(caller, NULL);
    free_pool(pool);
}
#endif

int main(void)
{
    UNITY_BEGIN();
    if (!HEIST__CAN_SWITCH_STACKS) return UNITY_END(); /* runs are handed over to workers here */
    RUN_TEST(a_thread_comes_back_to_its_own_seat);
    RUN_TEST(a_task_of_a_scope_cannot_wait_for_it_from_afar);
    RUN_TEST(a_scope_ends_from_a_seat_of_another_pool);
    RUN_TEST(scopes_work_in_a_seat);
    RUN_TEST(a_caller_has_the_stack_of_a_worker);
    RUN_TEST(a_worker_of_another_pool_has_it_too);
    RUN_TEST(a_cancelled_thread_ends_after_its_run);
#if !defined(__SANITIZE_THREAD__)
    RUN_TEST(the_child_of_a_fork_in_a_seat_may_use_the_pool);
    RUN_TEST(the_child_of_a_fork_in_a_seat_may_return);
    RUN_TEST(a_fork_beside_callers_has_free_seats_in_the_child);
#endif
    return UNITY_END();
}
