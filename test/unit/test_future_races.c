/* Threads that start, wait for, follow and drop the same futures at once: each task runs once, each waiter gets the
 * result, each continuation runs once, each result is freed once. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <heist/heist.h>

#include "fork_support.h"
#include "test_scale.h"

enum { THREADS = 4 };

static atomic_int wrong; /* tasks count, the test asserts */
#define CHECK(good) ((good) ? (void)0 : (void)atomic_fetch_add(&wrong, 1))
static atomic_long runs, followed, freed;

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
    atomic_store(&runs, 0);
    atomic_store(&followed, 0);
    atomic_store(&freed, 0);
}

void tearDown(void)
{
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    alarm(0);
}

/* ---- one future, several threads ---- */

typedef struct {
    heist_pool *pool;
    heist_future *future;
    unsigned seed;
} hand;

static void *square(void *argument)
{
    atomic_fetch_add(&runs, 1);
    long n = (long)(intptr_t)argument;
    return (void *)(intptr_t)(n * n + 1);
}

static void count_freed(void *result)
{
    (void)result;
    atomic_fetch_add(&freed, 1);
}

static void *follow(void *argument)
{
    atomic_fetch_add(&followed, 1);
    return argument;
}

HEIST_TASK(int, waits, heist_future *, f)
{
    return heist_future_wait(f);
}

/* What a thread does with its handle; the last step drops it. */
static void *use_handle(void *argument)
{
    hand *h = argument;
    heist_future *after;
    uint64_t state = h->seed;
    switch (draw(&state) % 6) {
    case 0: CHECK(heist_future_wait(h->future) == 0); break;
    case 1: CHECK(HEIST_RUN(h->pool, waits, h->future) == 0); break;
    case 2:
        after = heist_then(h->future, follow, NULL, NULL);
        CHECK(heist_await(after, NULL) == 0);
        break;
    case 3: /* the continuation runs all the same */
        after = heist_then(h->future, follow, NULL, NULL);
        CHECK(heist_future_drop(after) == 0);
        break;
    case 4: {
        int error = heist_future_wait_until(h->future, heist_time() + draw(&state) % 20000);
        CHECK(error == 0 || error == -ETIMEDOUT);
        break;
    }
    default: break; /* only the drop */
    }
    CHECK(heist_future_drop(h->future) == 0);
    return NULL;
}

static long followers_of(const hand *hands)
{
    long count = 0;
    for (int i = 0; i < THREADS; i++) {
        uint64_t state = hands[i].seed;
        uint32_t what = draw(&state) % 6;
        count += what == 2 || what == 3;
    }
    return count;
}

static void waits_continuations_and_drops_meet(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    const int rounds = test_scale(3000);
    long expected = 0;
    for (int i = 0; i < rounds; i++) {
        hand hands[THREADS];
        pthread_t threads[THREADS];
        heist_future *f = heist_async(pool, square, (void *)(intptr_t)i, count_freed);
        TEST_ASSERT_NOT_NULL(f);
        for (int t = 0; t < THREADS; t++) {
            hands[t] = (hand){pool, heist_future_hold(f), (unsigned)(i * THREADS + t) * 2654435761u + 1};
            TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[t], NULL, use_handle, &hands[t]));
        }
        if (i % 3 == 0) TEST_ASSERT_EQUAL_INT(0, heist_future_wait(f));
        heist_future_drop(f);
        for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
        expected += followers_of(hands);
    }
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_EQUAL_INT64(rounds, atomic_load(&runs));
    TEST_ASSERT_EQUAL_INT64(expected, atomic_load(&followed));
    TEST_ASSERT_EQUAL_INT64(rounds, atomic_load(&freed));
    free_pool(pool);
}

/* ---- several threads that start and await on one pool ---- */

static void *round_trips(void *pool)
{
    for (int i = 0; i < test_scale(3000); i++) {
        void *result = NULL;
        heist_future *f = heist_async(pool, square, (void *)(intptr_t)i, NULL), *g = HEIST_ASYNC(pool, fib, 8);
        CHECK(f && g && heist_await(f, &result) == 0 && (intptr_t)result == (intptr_t)i * i + 1);
        CHECK(HEIST_AWAIT(g, fib) == 21);
    }
    return NULL;
}

static void round_trips_of_several_threads_do_not_mix(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(2, *mode);
        pthread_t threads[THREADS];
        for (int t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, round_trips, pool);
        for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
        TEST_ASSERT_EQUAL_INT64(THREADS * (long)test_scale(3000), atomic_exchange(&runs, 0));
        free_pool(pool);
    }
}

/* A pool that ends while threads wait for its futures: none of them touches the pool afterwards. */
static void *wait_and_drop(void *future)
{
    int error = heist_await(future, NULL);
    CHECK(error == 0 || error == -ECANCELED);
    return NULL;
}

static void a_pool_ends_while_others_wait_for_its_futures(void)
{
    const int rounds = test_scale(300);
    for (int i = 0; i < rounds; i++) {
        heist_pool *pool = pool_of(1 + (unsigned)i % 2, HEIST_FENCES_DEFAULT);
        pthread_t threads[THREADS];
        for (int t = 0; t < THREADS; t++) {
            heist_future *f = heist_async(pool, square, (void *)(intptr_t)t, NULL);
            TEST_ASSERT_NOT_NULL(f);
            TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[t], NULL, wait_and_drop, f));
        }
        TEST_ASSERT_EQUAL_INT(0, heist_pool_shutdown(pool, i % 3 ? HEIST_DRAIN : HEIST_CANCEL, NULL));
        for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(waits_continuations_and_drops_meet);
    RUN_TEST(round_trips_of_several_threads_do_not_mix);
    RUN_TEST(a_pool_ends_while_others_wait_for_its_futures);
    return UNITY_END();
}
