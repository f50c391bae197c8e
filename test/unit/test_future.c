/* Futures: a task started anywhere gives its result anywhere else, once; a wait in a task runs what it waits for and
 * nothing else; futures after others; promises; handles; mistakes are told. test_future_races.c has the threads that
 * get into each other's way. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heist/heist.h>

#include "async/future.h"
#include "schedule/pool.h"
#include "support.h"
#include "test_scale.h"
#include "unity.h"

extern const char *futures_in_cpp(heist_pool *pool);

static atomic_int wrong; /* tasks count, the test asserts */
#define CHECK(good) ((good) ? (void)0 : (void)(atomic_fetch_add(&wrong, 1), printf("line %d: %s\n", __LINE__, #good)))
static atomic_int ran, freed;

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
    atomic_store(&ran, 0);
    atomic_store(&freed, 0);
}

void tearDown(void)
{
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    alarm(0);
}

static heist_pool *make_pool(unsigned workers)
{
    return pool_of(workers, HEIST_FENCES_DEFAULT);
}

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

HEIST_VOID_TASK(count, int, by)
{
    atomic_fetch_add(&ran, by);
}

HEIST_TASK(int, nothing_asked)
{
    return 7;
}

typedef struct {
    long numbers[40];
    double half;
} large;

HEIST_TASK(large, make_large, large, l, long, n)
{
    l.numbers[39] = n;
    l.half = (double)n / 2;
    return l;
}

static void *twice(void *argument)
{
    atomic_fetch_add(&ran, 1);
    return (char *)argument + (uintptr_t)argument;
}

static void count_freed(void *result)
{
    CHECK(result);
    atomic_fetch_add(&freed, 1);
}

/* ---- results ---- */

static void start_and_await(heist_pool *pool)
{
    heist_future *f = HEIST_ASYNC(pool, fib, 15), *g = HEIST_ASYNC(pool, count, 3);
    heist_future *h = HEIST_ASYNC(pool, nothing_asked);
    heist_future *l = HEIST_ASYNC(pool, make_large, (large){.half = 0}, 9);
    heist_future *p = heist_async(pool, twice, (void *)21, NULL);
    CHECK(f && g && h && l && p);
    void *result;
    CHECK(heist_await(p, &result) == 0 && result == (void *)42);
    CHECK(HEIST_AWAIT(f, fib) == 610);
    HEIST_AWAIT(g, count);
    CHECK(HEIST_AWAIT(h, nothing_asked) == 7);
    large got = HEIST_AWAIT(l, make_large);
    CHECK(got.numbers[39] == 9 && got.half == 4.5);
}

HEIST_VOID_TASK(start_inside)
{
    start_and_await(NULL);
}

static void a_result_arrives_from_outside_and_inside(void)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        heist_pool *pool = make_pool(workers);
        for (int i = 0; i < 50; i++) {
            start_and_await(pool);
            HEIST_RUN(pool, start_inside);
        }
        TEST_ASSERT_EQUAL_INT(50 * 2 * 4, atomic_exchange(&ran, 0));
        free_pool(pool);
    }
}

static void the_default_pool_serves_futures(void)
{
    TEST_ASSERT_EQUAL_INT(610, HEIST_AWAIT(HEIST_ASYNC(NULL, fib, 15), fib));
}

static void a_result_can_be_read_by_many_and_taken_once(void)
{
    heist_pool *pool = make_pool(2);
    heist_future *f = HEIST_ASYNC(pool, fib, 10), *p = heist_async(pool, twice, (void *)2, count_freed);
    TEST_ASSERT_EQUAL_INT(55, HEIST_RESULT(f, fib));
    TEST_ASSERT_EQUAL_INT(55, HEIST_RESULT(f, fib));
    TEST_ASSERT_TRUE(heist_future_ready(f));
    TEST_ASSERT_EQUAL_INT(55, HEIST_AWAIT(f, fib));
    void *result;
    TEST_ASSERT_EQUAL_INT(0, heist_future_wait(p));
    TEST_ASSERT_EQUAL_INT(0, heist_future_take(p, &result));
    TEST_ASSERT_EQUAL_PTR((void *)4, result);
    TEST_ASSERT_EQUAL_INT(-EALREADY, heist_future_take(p, &result));
    TEST_ASSERT_NULL(result);
    TEST_ASSERT_NOT_NULL(strstr(heist_explain(), "taken before"));
    TEST_ASSERT_EQUAL_INT(-EALREADY, heist_await(p, &result));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&freed)); /* a taken result is the taker's */
    free_pool(pool);
}

static void a_result_that_no_thread_takes_is_freed(void)
{
    heist_pool *pool = make_pool(2);
    for (size_t i = 1; i <= 100; i++) {
        heist_future *f = heist_async(pool, twice, (void *)i, count_freed);
        if (i % 2) TEST_ASSERT_EQUAL_INT(0, heist_future_wait(f));
        TEST_ASSERT_EQUAL_INT(0, heist_future_drop(f));
    }
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_EQUAL_INT(100, atomic_load(&ran)); /* dropped or not */
    TEST_ASSERT_EQUAL_INT(100, atomic_load(&freed));
    heist_future *f = heist_async(pool, twice, (void *)1, count_freed);
    TEST_ASSERT_EQUAL_INT(0, heist_await(f, NULL));
    TEST_ASSERT_EQUAL_INT(101, atomic_load(&freed));
    free_pool(pool);
}

/* ---- a wait in a task ---- */

static _Thread_local int deep; /* the number of waits on this thread's stack that must not run `stranger` */

static void stranger(void *unused)
{
    (void)unused;
    CHECK(deep == 0);
    atomic_fetch_add(&ran, 1);
}

HEIST_TASK(long, awaits_fib, int, n)
{
    heist_future *f = HEIST_ASYNC(NULL, fib, n), *g = HEIST_ASYNC(NULL, fib, n - 1);
    for (int i = 0; i < 20; i++) CHECK(heist_detach(NULL, stranger, NULL) == 0);
    deep++;
    long sum = HEIST_AWAIT(f, fib) + HEIST_AWAIT(g, fib); /* neither is the youngest */
    deep--;
    return sum;
}

static void a_wait_runs_nothing_that_it_does_not_wait_for(void)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        heist_pool *pool = make_pool(workers);
        for (int i = 0; i < 100; i++) TEST_ASSERT_EQUAL_INT(610 + 377, HEIST_RUN(pool, awaits_fib, 15));
        TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
        TEST_ASSERT_EQUAL_INT(100 * 20, atomic_exchange(&ran, 0));
        free_pool(pool);
    }
}

/* fib with a future for each call: waits within waits, oldest and youngest first. */
HEIST_TASK(long, fib_of_futures, int, n)
{
    if (n < 2) return n;
    heist_future *left = HEIST_ASYNC(NULL, fib_of_futures, n - 1), *right = HEIST_ASYNC(NULL, fib_of_futures, n - 2);
    long first = n % 2 ? HEIST_AWAIT(left, fib_of_futures) : HEIST_AWAIT(right, fib_of_futures);
    return first + (n % 2 ? HEIST_AWAIT(right, fib_of_futures) : HEIST_AWAIT(left, fib_of_futures));
}

static void futures_nest(void)
{
    for (unsigned workers = 1; workers <= 4; workers++) {
        heist_pool *pool = make_pool(workers);
        TEST_ASSERT_EQUAL_INT(987, HEIST_RUN(pool, fib_of_futures, 16));
        TEST_ASSERT_EQUAL_INT(987, HEIST_AWAIT(HEIST_ASYNC(pool, fib_of_futures, 16), fib_of_futures));
        free_pool(pool);
    }
}

/* Jobs that were run out of turn must not fill the deque for as long as the task runs. */
HEIST_TASK(size_t, many_pairs, size_t, n)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        heist_future *f = HEIST_ASYNC(NULL, nothing_asked), *g = HEIST_ASYNC(NULL, nothing_asked);
        CHECK(HEIST_AWAIT(f, nothing_asked) + HEIST_AWAIT(g, nothing_asked) == 14);
        size_t size = heist_deque_size(heist__self()->jobs);
        if (size > most) most = size;
    }
    return most;
}

static void jobs_run_out_of_turn_are_cleared_away(void)
{
    heist_pool *pool = make_pool(1);
    TEST_ASSERT_LESS_THAN_size_t(200, HEIST_RUN(pool, many_pairs, 10000));
    free_pool(pool);
}

/* ---- after others ---- */

HEIST_TASK(long, one_more, heist_future *, f)
{
    CHECK(heist_future_ready(f));
    return HEIST_RESULT(f, one_more) + 1;
}

HEIST_TASK(long, chain_inside, int, length)
{
    heist_promise *start = HEIST_PROMISE(one_more);
    heist_future *f = heist_promise_future(start);
    for (int i = 0; i < length; i++) {
        heist_future *next = HEIST_THEN(f, one_more, f);
        CHECK(next && heist_future_drop(f) == 0);
        f = next;
    }
    CHECK(!heist_future_ready(f));
    CHECK(HEIST_FULFIL(start, one_more, 100) == 0);
    CHECK(heist_promise_drop(start) == 0);
    return HEIST_AWAIT(f, one_more);
}

static void a_chain_of_futures_hands_on_its_results(void)
{
    const int length = test_scale(2000);
    for (unsigned workers = 1; workers <= 3; workers++) {
        heist_pool *pool = make_pool(workers);
        TEST_ASSERT_EQUAL_INT(100 + length, HEIST_RUN(pool, chain_inside, length));
        free_pool(pool);
    }
}

static void *take_and_add(void *future)
{
    void *result = NULL;
    CHECK(heist_future_take(future, &result) == 0);
    return (char *)result + 1;
}

static void plain_continuations_run_after_and_at_once(void)
{
    heist_pool *pool = make_pool(2);
    heist_future *f = heist_async(pool, twice, (void *)5, NULL), *g = heist_then(f, take_and_add, f, NULL);
    void *result;
    TEST_ASSERT_EQUAL_INT(0, heist_await(g, &result));
    TEST_ASSERT_EQUAL_PTR((void *)11, result);
    TEST_ASSERT_TRUE(heist_future_ready(f));
    g = heist_then(f, twice, (void *)4, NULL); /* it is done already */
    TEST_ASSERT_EQUAL_INT(0, heist_await(g, &result));
    TEST_ASSERT_EQUAL_PTR((void *)8, result);
    heist_future_drop(f);
    free_pool(pool);
}

enum { SEVERAL = 20 };

static void all_and_any(heist_pool *pool)
{
    heist_future *f[SEVERAL];
    for (int i = 0; i < SEVERAL; i++) f[i] = HEIST_ASYNC(pool, fib, i);
    heist_future *all = heist_all(f, SEVERAL), *any = heist_any(f, SEVERAL);
    size_t first = SEVERAL;
    CHECK(heist_future_wait(any) == 0 && heist_future_first(any, &first) == 0);
    CHECK(first < SEVERAL && heist_future_ready(f[first]));
    CHECK(heist_future_wait(all) == 0);
    long sum = 0;
    for (int i = 0; i < SEVERAL; i++) {
        CHECK(heist_future_ready(f[i]));
        sum += HEIST_AWAIT(f[i], fib);
    }
    CHECK(sum == 6765 + 4181 - 1);
    CHECK(heist_future_drop(all) == 0 && heist_future_drop(any) == 0);
}

HEIST_VOID_TASK(all_and_any_inside)
{
    all_and_any(NULL);
}

static void all_wait_for_all_and_any_for_one(void)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        heist_pool *pool = make_pool(workers);
        for (int i = 0; i < 20; i++) {
            all_and_any(pool);
            HEIST_RUN(pool, all_and_any_inside);
        }
        free_pool(pool);
    }
}

static void of_none_all_are_done_and_any_is_a_mistake(void)
{
    heist_future *all = heist_all(NULL, 0);
    TEST_ASSERT_TRUE(heist_future_ready(all));
    TEST_ASSERT_EQUAL_INT(0, heist_await(all, NULL));
    errno = 0;
    TEST_ASSERT_NULL(heist_any(NULL, 0));
    TEST_ASSERT_EQUAL_INT(EINVAL, errno);
}

static void the_error_of_one_is_the_error_of_all(void)
{
    heist_promise *p[3];
    heist_future *f[3];
    for (int i = 0; i < 3; i++) f[i] = heist_promise_future(p[i] = heist_promise_new(NULL));
    heist_future *all = heist_all(f, 3), *any = heist_any(f, 3);
    size_t first;
    TEST_ASSERT_EQUAL_INT(-EAGAIN, heist_future_first(any, &first));
    TEST_ASSERT_EQUAL_INT(0, heist_promise_break(p[2], -EIO));
    TEST_ASSERT_EQUAL_INT(-EIO, heist_future_wait(any));
    TEST_ASSERT_EQUAL_INT(0, heist_future_first(any, &first));
    TEST_ASSERT_EQUAL_size_t(2, first);
    TEST_ASSERT_FALSE(heist_future_ready(all));
    TEST_ASSERT_EQUAL_INT(0, heist_promise_fulfil(p[0], NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_promise_break(p[1], -EPERM));
    TEST_ASSERT_EQUAL_INT(-EPERM, heist_future_wait(all)); /* the first in their order */
    heist_future_drop(all);
    heist_future_drop(any);
    for (int i = 0; i < 3; i++) {
        heist_future_drop(f[i]);
        heist_promise_drop(p[i]);
    }
}

/* A future after a promise, on the pool of the task. */
HEIST_TASK(heist_future *, start_after, heist_future *, source)
{
    return heist_then(source, twice, (void *)21, count_freed);
}

/* `all` of two futures after promises: whichever can begin first, the wait runs it, even if the other never begins. */
typedef struct {
    heist_promise *promise[2];
    heist_future *after[2], *all;
} pair;

HEIST_TASK(int, wait_for_pair, heist_future *, all)
{
    return heist_future_wait(all);
}

static void *fulfil_second_first(void *argument)
{
    pair *p = argument;
    sleep_us(20000); /* the worker waits for the first one by now */
    CHECK(heist_promise_fulfil(p->promise[1], NULL) == 0);
    CHECK(heist_future_wait_until(p->after[1], heist_time() + INT64_C(10000000000)) == 0);
    CHECK(heist_promise_fulfil(p->promise[0], NULL) == 0);
    return NULL;
}

static void a_wait_for_all_runs_the_one_that_can_begin(void)
{
    heist_pool *pool = make_pool(1);
    pair p;
    heist_future *nested[2];
    for (int i = 0; i < 2; i++) {
        p.promise[i] = heist_promise_new(NULL);
        heist_future *kept = heist_promise_future(p.promise[i]);
        p.after[i] = HEIST_RUN(pool, start_after, kept);
        nested[i] = heist_all(&p.after[i], 1);
        heist_future_drop(kept);
    }
    p.all = heist_all(nested, 2);
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, fulfil_second_first, &p));
    TEST_ASSERT_EQUAL_INT(0, HEIST_RUN(pool, wait_for_pair, p.all));
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++) {
        heist_promise_drop(p.promise[i]);
        heist_future_drop(p.after[i]);
        heist_future_drop(nested[i]);
    }
    heist_future_drop(p.all);
    free_pool(pool);
}

/* A future that outlives many `any` keeps none of them. */
static void a_long_future_forgets_those_that_no_longer_wait_for_it(void)
{
    heist_promise *stop = heist_promise_new(NULL);
    heist_future *stopped = heist_promise_future(stop), *done = heist_all(NULL, 0);
    for (int i = 0; i < 1000; i++) {
        heist_future *any = heist_any((heist_future *[]){stopped, done}, 2);
        TEST_ASSERT_TRUE(heist_future_ready(any));
        heist_future_drop(any);
    }
    size_t followers = 0;
    for (heist__follower *at = (heist__follower *)heist__load_acquire(&stopped->list); at; at = at->next) followers++;
    TEST_ASSERT_LESS_THAN_size_t(200, followers);
    heist_future *last = heist_any((heist_future *[]){stopped}, 1);
    TEST_ASSERT_EQUAL_INT(0, heist_promise_fulfil(stop, NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_await(last, NULL));
    heist_promise_drop(stop);
    heist_future_drop(stopped);
    heist_future_drop(done);
}

/* ---- what is left behind ---- */

static heist_future *of_itself;

HEIST_TASK(int, holds_itself)
{
    CHECK(heist_future_hold(of_itself) == of_itself);
    return 7;
}

/* The wait that drops the last handle runs the task alone: but an `any` that is done may still be in the list. */
HEIST_VOID_TASK(await_alone, int, unused)
{
    (void)unused;
    heist_promise *p = heist_promise_new(NULL);
    heist_future *kept = heist_promise_future(p), *f = HEIST_ASYNC(NULL, fib, 10);
    heist_future *any = heist_any((heist_future *[]){kept, f}, 2);
    CHECK(heist_promise_fulfil(p, NULL) == 0 && heist_future_ready(any));
    CHECK(HEIST_AWAIT(f, fib) == 55);
    CHECK(heist__load_acquire(&any->refs) == 1);
    heist_future_drop(any);
    heist_future_drop(kept);
    heist_promise_drop(p);

    of_itself = HEIST_ASYNC(NULL, holds_itself);
    CHECK(HEIST_AWAIT(of_itself, holds_itself) == 7);
    CHECK(heist_future_wait(of_itself) == 0); /* by the handle that the task has made */
    CHECK(HEIST_AWAIT(of_itself, holds_itself) == 7);
}

static void a_task_that_is_run_alone_leaves_nothing_behind(void)
{
    heist_pool *pool = make_pool(1);
    HEIST_RUN(pool, await_alone, 0);
    free_pool(pool);
}

/* ---- promises ---- */

static void *fulfil_later(void *promise)
{
    sleep_us(20000);
    CHECK(heist_promise_fulfil(promise, strdup("word")) == 0);
    CHECK(heist_promise_drop(promise) == 0);
    return NULL;
}

HEIST_TASK(int, length_of, heist_future *, f)
{
    void *word = NULL;
    CHECK(heist_await(f, &word) == 0);
    int length = word ? (int)strlen(word) : -1;
    free(word);
    return length;
}

static void a_promise_is_kept_by_another_thread(void)
{
    heist_pool *pool = make_pool(2);
    for (int inside = 0; inside < 2; inside++) {
        heist_promise *promise = heist_promise_new(free);
        heist_future *f = heist_promise_future(promise);
        pthread_t thread;
        TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, fulfil_later, promise));
        if (inside) {
            TEST_ASSERT_EQUAL_INT(4, HEIST_RUN(pool, length_of, f));
        } else {
            void *word;
            TEST_ASSERT_EQUAL_INT(0, heist_await(f, &word));
            TEST_ASSERT_EQUAL_STRING("word", word);
            free(word);
        }
        pthread_join(thread, NULL);
    }
    free_pool(pool);
}

static void a_promise_is_kept_or_broken_once(void)
{
    heist_promise *promise = heist_promise_new(count_freed);
    heist_future *f = heist_promise_future(promise);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_promise_break(promise, 5));
    TEST_ASSERT_EQUAL_INT(0, heist_promise_fulfil(promise, promise));
    TEST_ASSERT_EQUAL_INT(-EALREADY, heist_promise_fulfil(promise, promise));
    TEST_ASSERT_EQUAL_INT(-EALREADY, heist_promise_break(promise, -EIO));
    TEST_ASSERT_NOT_NULL(strstr(heist_explain(), "before"));
    TEST_ASSERT_EQUAL_INT(0, heist_promise_drop(promise));
    TEST_ASSERT_EQUAL_INT(0, heist_future_drop(f));
    TEST_ASSERT_EQUAL_INT(1, atomic_load(&freed));
    promise = HEIST_PROMISE(fib);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_promise_fulfil(promise, NULL)); /* it has a type */
    TEST_ASSERT_EQUAL_INT(0, HEIST_FULFIL(promise, fib, 3));
    TEST_ASSERT_EQUAL_INT(-EALREADY, HEIST_FULFIL(promise, fib, 4));
    TEST_ASSERT_EQUAL_INT(3, HEIST_AWAIT(heist_promise_future(promise), fib));
    heist_promise_drop(promise);
}

static void a_dropped_promise_is_broken(void)
{
    heist_pool *pool = make_pool(1);
    heist_promise *promise = heist_promise_new(NULL);
    heist_future *f = heist_promise_future(promise), *g = heist_then(f, twice, (void *)1, NULL);
    TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, heist_future_wait_until(f, 0));
    heist_promise_drop(promise);
    TEST_ASSERT_EQUAL_INT(-ECANCELED, heist_future_wait(f));
    TEST_ASSERT_EQUAL_INT(0, heist_await(g, NULL)); /* it comes after, whatever f was */
    heist_future_drop(f);
    free_pool(pool);
}

/* ---- time ---- */

static void sleep_a_while(void *unused)
{
    (void)unused;
    sleep_us(50000);
}

static void *sleep_and_return(void *argument)
{
    sleep_us(50000);
    return argument;
}

HEIST_TASK(int, waits_until, heist_future *, f, int64_t, when)
{
    return heist_future_wait_until(f, when);
}

static void a_wait_ends_at_its_point_in_time(void)
{
    heist_pool *pool = make_pool(2);
    heist_promise *never = heist_promise_new(NULL);
    heist_future *f = heist_promise_future(never);
    int64_t began = heist_time();
    TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, heist_future_wait_until(f, began + 20000000));
    TEST_ASSERT_TRUE(heist_time() - began >= 20000000);
    began = heist_time();
    TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, HEIST_RUN(pool, waits_until, f, began + 20000000));
    TEST_ASSERT_TRUE(heist_time() - began >= 20000000);
    TEST_ASSERT_NOT_NULL(strstr(heist_explain(), "in time"));
    heist_promise_drop(never);
    TEST_ASSERT_EQUAL_INT(-ECANCELED, heist_future_wait(f));
    TEST_ASSERT_NOT_NULL(strstr(heist_explain(), "a promise was dropped")); /* not the sentence of the wait before */
    heist_future_drop(f);
    /* A look does not begin the task. */
    heist_run(pool, sleep_a_while, NULL);
    f = heist_async(pool, sleep_and_return, NULL, NULL);
    began = heist_time();
    while (heist_future_wait_until(f, began) == -ETIMEDOUT) sleep_us(1000);
    TEST_ASSERT_TRUE(heist_future_ready(f));
    heist_future_drop(f);
    free_pool(pool);
}

/* ---- mistakes ---- */

static _Atomic(heist_future *) own;
static atomic_bool open_gate; /* the handles are where the tasks look for them */

static void pass_gate(void)
{
    while (!atomic_load(&open_gate)) sleep_us(1000);
}

static void *waits_for_itself(void *unused)
{
    (void)unused;
    pass_gate();
    return (void *)(intptr_t)heist_future_wait(own);
}

static void a_task_that_waits_for_its_own_future_is_told(void)
{
    heist_pool *pool = make_pool(2);
    atomic_store(&open_gate, false);
    own = heist_async(pool, waits_for_itself, NULL, NULL);
    atomic_store(&open_gate, true);
    TEST_ASSERT_EQUAL_INT(0, heist_future_wait(own));
    void *result;
    TEST_ASSERT_EQUAL_INT(0, heist_await(own, &result));
    TEST_ASSERT_EQUAL_INT(-EDEADLK, (int)(intptr_t)result);
    free_pool(pool);
}

/* Futures that wait for each other in a ring, on as many workers: at least one of them is told. */
enum { RING = 3 };
static heist_future *ring[RING];
static atomic_int begun, told;

static void *waits_for_the_next(void *argument)
{
    size_t self = (size_t)argument;
    pass_gate();
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) < RING) sleep_us(1000);
    int error = heist_future_wait(ring[(self + 1) % RING]);
    if (error == -EDEADLK) atomic_fetch_add(&told, 1);
    return NULL;
}

static void a_ring_of_waits_is_told(void)
{
    heist_pool *pool = make_pool(RING);
    atomic_store(&begun, 0);
    atomic_store(&told, 0);
    atomic_store(&open_gate, false);
    for (size_t i = 0; i < RING; i++) ring[i] = heist_async(pool, waits_for_the_next, (void *)i, NULL);
    atomic_store(&open_gate, true);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    for (size_t i = 0; i < RING; i++) heist_future_drop(ring[i]);
    TEST_ASSERT_GREATER_THAN_INT(0, atomic_load(&told));
    free_pool(pool);
}

/* The ring may lead through a join: the child waits for the future whose task joins it. */
HEIST_TASK(int, child_waits, heist_future *, f)
{
    atomic_fetch_add(&begun, 1);
    return heist_future_wait(f);
}

HEIST_TASK(int, joins_a_child)
{
    pass_gate();
    HEIST_SPAWN(child, child_waits, own);
    while (!atomic_load(&begun)) sleep_us(1000); /* a thief has it */
    return HEIST_SYNC(child);
}

static void a_ring_through_a_join_is_told(void)
{
    heist_pool *pool = make_pool(2);
    atomic_store(&begun, 0);
    atomic_store(&open_gate, false);
    own = HEIST_ASYNC(pool, joins_a_child);
    atomic_store(&open_gate, true);
    TEST_ASSERT_EQUAL_INT(-EDEADLK, HEIST_AWAIT(own, joins_a_child));
    free_pool(pool);
}

static void mistakes_are_told(void)
{
    heist_pool *pool = make_pool(1);
    void *result;
    size_t number;
    TEST_ASSERT_NULL(heist_async(pool, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(EINVAL, errno);
    TEST_ASSERT_NULL(heist_then(NULL, twice, NULL, NULL));
    TEST_ASSERT_NULL(heist_future_hold(NULL));
    TEST_ASSERT_NULL(heist_all((heist_future *[]){NULL}, 1));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_future_wait(NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_await(NULL, &result));
    TEST_ASSERT_EQUAL_INT(0, heist_future_drop(NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_promise_drop(NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_promise_fulfil(NULL, NULL));
    TEST_ASSERT_FALSE(heist_future_ready(NULL));
    heist_promise *never = heist_promise_new(NULL);
    heist_future *f = heist_promise_future(never);
    TEST_ASSERT_EQUAL_INT(-EAGAIN, heist_future_take(f, &result));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_future_first(f, &number));
    heist_promise_drop(never);
    heist_future_drop(f);
    heist_pool_close(pool);
    TEST_ASSERT_NULL(heist_async(pool, twice, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(ESHUTDOWN, errno);
    free_pool(pool);
    TEST_ASSERT_NULL(HEIST_ASYNC(pool, fib, 3)); /* it is gone */
    TEST_ASSERT_EQUAL_INT(EINVAL, errno);
}

/* ---- the end of a pool ---- */

static void *hold_until(void *semaphore)
{
    while (sem_wait(semaphore) != 0) {
    }
    return NULL;
}

static void *shut_down(void *pool)
{
    heist_pool_shutdown(pool, HEIST_CANCEL, NULL);
    return NULL;
}

static void futures_of_a_cancelled_pool_are_done_with_an_error(void)
{
    heist_pool *pool = make_pool(1);
    sem_t go;
    sem_init(&go, 0, 0);
    heist_future *first = heist_async(pool, hold_until, &go, NULL), *f[10], *after;
    for (size_t i = 0; i < 10; i++) f[i] = heist_async(pool, twice, (void *)i, count_freed);
    after = heist_then(f[9], twice, (void *)1, NULL);
    while (heist__load_acquire(&pool->workers[0]->depth) == 0) sleep_us(1000); /* the worker is in `first` */
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, shut_down, pool));
    while (heist__load_acquire(&pool->state) != HEIST__POOL_CANCELLING) sleep_us(1000);
    sem_post(&go);
    TEST_ASSERT_EQUAL_INT(0, heist_future_wait(first));
    for (size_t i = 0; i < 10; i++) TEST_ASSERT_EQUAL_INT(-ECANCELED, heist_future_wait(f[i]));
    pthread_join(thread, NULL);
    TEST_ASSERT_NOT_EQUAL_INT(0, heist_future_wait(after)); /* handles outlive the pool */
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&ran));
    for (size_t i = 0; i < 10; i++) heist_future_drop(f[i]);
    heist_future_drop(after);
    heist_future_drop(first);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&freed));
    sem_destroy(&go);
}

/* Futures that have run are not among those that a pool drops, though their jobs may still lie in a queue. */
typedef struct {
    heist_pool *pool;
    size_t cancelled;
} ending;

static void *end_and_count(void *argument)
{
    ending *e = argument;
    heist_pool_shutdown(e->pool, HEIST_CANCEL, &e->cancelled);
    return NULL;
}

HEIST_TASK(heist_future *, run_one_of_two, heist_pool *, pool)
{
    heist_future *first = HEIST_ASYNC(NULL, fib, 5), *second = HEIST_ASYNC(NULL, fib, 5);
    CHECK(HEIST_AWAIT(first, fib) == 5);
    while (heist__load_acquire(&pool->state) != HEIST__POOL_CANCELLING) sleep_us(1000);
    return second;
}

static void a_cancelled_pool_counts_what_it_has_dropped(void)
{
    ending e = {make_pool(1), 0};
    heist_future *f = HEIST_ASYNC(e.pool, run_one_of_two, e.pool);
    while (heist__load_acquire(&e.pool->workers[0]->depth) == 0) sleep_us(1000);
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, end_and_count, &e));
    heist_future *second = HEIST_AWAIT(f, run_one_of_two);
    pthread_join(thread, NULL);
    TEST_ASSERT_EQUAL_INT(-ECANCELED, heist_await(second, NULL));
    TEST_ASSERT_EQUAL_size_t(1, e.cancelled);
}

static uint64_t detached_of(const heist_pool *pool)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < pool->count; i++) sum += heist__load_relaxed(&pool->workers[i]->counters.detached);
    return sum;
}

static void a_future_that_runs_in_a_seat_is_counted_once(void)
{
    const int rounds = test_scale(1000);
    heist_pool *pool = make_pool(2);
    for (int i = 0; i < rounds; i++) TEST_ASSERT_EQUAL_INT64(5, HEIST_AWAIT(HEIST_ASYNC(pool, fib, 5), fib));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_EQUAL_UINT64((uint64_t)rounds, detached_of(pool));
    free_pool(pool);
}

/* The inbox is full, so the job of `after` waits for room; meanwhile a worker runs its task; then the pool is closed,
 * and refuses the job. */
static void do_nothing(void *unused)
{
    (void)unused;
}

static sem_t after_has_run, may_end;

HEIST_TASK(int, wait_for_after, heist_future *, after)
{
    int error = heist_future_wait(after);
    sem_post(&after_has_run);
    hold_until(&may_end);
    return error;
}

static void *fulfil(void *promise)
{
    CHECK(heist_promise_fulfil(promise, NULL) == 0);
    return NULL;
}

static void a_task_that_ran_is_not_refused(void)
{
    sem_init(&after_has_run, 0, 0);
    sem_init(&may_end, 0, 0);
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1;
    options.inbox = 2;
    heist_pool *pool = heist_pool_new(&options);
    heist_promise *p = heist_promise_new(NULL);
    heist_future *kept = heist_promise_future(p), *after = HEIST_RUN(pool, start_after, kept);
    heist_future *waits = HEIST_ASYNC(pool, wait_for_after, after);
    while (heist__load_acquire(&pool->workers[0]->depth) == 0) sleep_us(1000);
    while (heist_submit(pool, do_nothing, NULL, 0) == 0) {
    }
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, fulfil, p));
    hold_until(&after_has_run);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_close(pool));
    pthread_join(thread, NULL);
    sem_post(&may_end);
    void *result = NULL;
    TEST_ASSERT_EQUAL_INT(0, HEIST_AWAIT(waits, wait_for_after));
    TEST_ASSERT_EQUAL_INT(0, heist_await(after, &result));
    TEST_ASSERT_EQUAL_PTR((void *)42, result);
    TEST_ASSERT_EQUAL_UINT32(2, heist__load_acquire(&kept->refs)); /* the promise, and the handle */
    heist_future_drop(kept);
    heist_promise_drop(p);
    free_pool(pool);
    sem_destroy(&after_has_run);
    sem_destroy(&may_end);
}

static void a_drained_pool_runs_its_futures_and_those_after_them(void)
{
    heist_pool *pool = make_pool(2);
    heist_future *f = HEIST_ASYNC(pool, fib, 15), *g = HEIST_THEN(f, count, 1), *h = HEIST_THEN(g, count, 1);
    heist_promise *late = heist_promise_new(NULL);
    heist_future *started = heist_promise_future(late);
    heist_future *k = heist_then(started, twice, (void *)1, NULL);
    free_pool(pool);
    TEST_ASSERT_EQUAL_INT(2, atomic_load(&ran));
    TEST_ASSERT_EQUAL_INT(0, heist_await(h, NULL));
    TEST_ASSERT_EQUAL_INT(610, HEIST_AWAIT(f, fib));
    heist_promise_fulfil(late, NULL);
    TEST_ASSERT_EQUAL_INT(0, heist_await(k, NULL)); /* on the default pool */
    heist_promise_drop(late);
    heist_future_drop(started);
    heist_future_drop(g);
}

static void a_future_of_one_pool_is_awaited_in_another(void)
{
    heist_pool *one = make_pool(1), *other = make_pool(1);
    for (int i = 0; i < 100; i++) {
        heist_future *f = HEIST_ASYNC(one, fib, 10);
        TEST_ASSERT_EQUAL_INT(0, HEIST_RUN(other, waits_until, f, HEIST_FOREVER));
        TEST_ASSERT_EQUAL_INT(55, HEIST_AWAIT(f, fib));
    }
    free_pool(one);
    free_pool(other);
}

static void futures_are_written_in_cpp_too(void)
{
#if HAS_CPP
    heist_pool *pool = make_pool(2);
    const char *trouble = futures_in_cpp(pool);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    free_pool(pool);
#else
    TEST_IGNORE_MESSAGE("no compiler for C++");
#endif
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_result_arrives_from_outside_and_inside);
    RUN_TEST(the_default_pool_serves_futures);
    RUN_TEST(a_result_can_be_read_by_many_and_taken_once);
    RUN_TEST(a_result_that_no_thread_takes_is_freed);
    RUN_TEST(a_wait_runs_nothing_that_it_does_not_wait_for);
    RUN_TEST(futures_nest);
    RUN_TEST(jobs_run_out_of_turn_are_cleared_away);
    RUN_TEST(a_chain_of_futures_hands_on_its_results);
    RUN_TEST(plain_continuations_run_after_and_at_once);
    RUN_TEST(all_wait_for_all_and_any_for_one);
    RUN_TEST(of_none_all_are_done_and_any_is_a_mistake);
    RUN_TEST(the_error_of_one_is_the_error_of_all);
    RUN_TEST(a_long_future_forgets_those_that_no_longer_wait_for_it);
    RUN_TEST(a_wait_for_all_runs_the_one_that_can_begin);
    RUN_TEST(a_task_that_is_run_alone_leaves_nothing_behind);
    RUN_TEST(a_promise_is_kept_by_another_thread);
    RUN_TEST(a_promise_is_kept_or_broken_once);
    RUN_TEST(a_dropped_promise_is_broken);
    RUN_TEST(a_wait_ends_at_its_point_in_time);
    RUN_TEST(a_task_that_waits_for_its_own_future_is_told);
    RUN_TEST(a_ring_of_waits_is_told);
    RUN_TEST(a_ring_through_a_join_is_told);
    RUN_TEST(mistakes_are_told);
    RUN_TEST(futures_of_a_cancelled_pool_are_done_with_an_error);
    RUN_TEST(a_cancelled_pool_counts_what_it_has_dropped);
    RUN_TEST(a_future_that_runs_in_a_seat_is_counted_once);
    RUN_TEST(a_task_that_ran_is_not_refused);
    RUN_TEST(a_drained_pool_runs_its_futures_and_those_after_them);
    RUN_TEST(a_future_of_one_pool_is_awaited_in_another);
    RUN_TEST(futures_are_written_in_cpp_too);
    return UNITY_END();
}
