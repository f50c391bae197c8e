/* Callers while all seats are taken: each gets a seat or a worker, also when the pool ends meanwhile. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include <heist/heist.h>

#include "platform/stack_switch.h"
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

/* ---- all seats are taken ---- */

static void a_caller_waits_for_a_seat(void)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        heist_pool *pool = pool_of(workers, HEIST_FENCES_DEFAULT);
        for (int round = test_scale(30); round > 0; round--) {
            holder holders[2];
            pthread_t threads[2], callers[3];
            void *error;
            atomic_store(&ran, 0);
            for (unsigned i = 0; i < workers; i++) holder_begin(&holders[i], pool, &threads[i]);
            for (int i = 0; i < 3; i++) pthread_create(&callers[i], NULL, run_count, pool);
            await_waiting(pool, 3);
            TEST_ASSERT_EQUAL_INT(0, atomic_load(&ran));
            sem_post(&holders[0].go); /* one seat will do for all of them */
            for (int i = 0; i < 3; i++) {
                pthread_join(callers[i], &error);
                TEST_ASSERT_NULL(error);
            }
            TEST_ASSERT_EQUAL_INT(3, atomic_load(&ran));
            for (unsigned i = 1; i < workers; i++) sem_post(&holders[i].go);
            for (unsigned i = 0; i < workers; i++) pthread_join(threads[i], NULL);
        }
        free_pool(pool);
    }
}

typedef struct {
    heist_pool *pool;
    atomic_int inside;
} meeting;

static void meet_inside(void *argument)
{
    meeting *m = argument;
    atomic_fetch_add(&m->inside, 1);
    await(&m->inside, 2);
}

static void *run_meeting(void *argument)
{
    meeting *m = argument;
    return (void *)(intptr_t)heist_run(m->pool, meet_inside, m);
}

/* Each of the two that waited needs the other: both must be told of the two seats. */
static void two_seats_given_up_at_once_serve_two(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    let_them_sleep(pool);
    for (int round = test_scale(300); round > 0; round--) {
        holder holders[2];
        pthread_t threads[2], callers[2];
        meeting m = {.pool = pool};
        for (int i = 0; i < 2; i++) holder_begin(&holders[i], pool, &threads[i]);
        for (int i = 0; i < 2; i++) pthread_create(&callers[i], NULL, run_meeting, &m);
        await_waiting(pool, 2);
        for (int i = 0; i < 2; i++) sem_post(&holders[i].go);
        for (int i = 0; i < 2; i++) pthread_join(callers[i], NULL);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    }
    free_pool(pool);
}

/* The seat's own thread has a task; the caller gets the seat when that thread has nothing more to do. */
static void a_caller_waits_for_a_worker_that_works(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    for (int round = test_scale(30); round > 0; round--) {
        holder h = {.pool = pool};
        pthread_t caller;
        sem_init(&h.begun, 0, 0);
        sem_init(&h.go, 0, 0);
        TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, hold, &h, HEIST_WAIT));
        while (sem_wait(&h.begun) != 0) {
        }
        pthread_create(&caller, NULL, run_count, pool);
        await_waiting(pool, 1);
        sem_post(&h.go);
        pthread_join(caller, NULL);
        TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    }
    TEST_ASSERT_EQUAL_INT(test_scale(30), atomic_load(&ran));
    free_pool(pool);
}

static void a_run_that_waits_for_a_seat_is_run_by_a_closed_pool(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    holder h;
    pthread_t thread, caller;
    void *error;
    holder_begin(&h, pool, &thread);
    pthread_create(&caller, NULL, run_count, pool);
    await_waiting(pool, 1);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_close(pool));
    TEST_ASSERT_EQUAL_INT(-ESHUTDOWN, heist_run(pool, count_one, NULL));
    TEST_ASSERT_TRUE(heist_explain()[0] != '\0');
    sem_post(&h.go);
    free_pool(pool);
    pthread_join(caller, &error);
    pthread_join(thread, NULL);
    TEST_ASSERT_NULL(error);
    TEST_ASSERT_EQUAL_INT(0, h.error);
    TEST_ASSERT_EQUAL_INT(1, atomic_load(&ran));
}

static void a_run_that_waits_for_a_seat_is_dropped_by_a_cancelled_pool(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    holder h;
    pthread_t thread, callers[2];
    void *error;
    size_t cancelled = 0;
    holder_begin(&h, pool, &thread);
    for (int i = 0; i < 2; i++) pthread_create(&callers[i], NULL, run_count, pool);
    await_waiting(pool, 2);
    heist__store_seq_cst(&pool->state,
                         HEIST__POOL_CANCELLING); /* as the shutdown below does, but surely before the seat is free */
    sem_post(&h.go);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_shutdown(pool, HEIST_CANCEL, &cancelled));
    for (int i = 0; i < 2; i++) {
        pthread_join(callers[i], &error);
        TEST_ASSERT_EQUAL_INT(-ECANCELED, (int)(intptr_t)error);
    }
    pthread_join(thread, NULL);
    TEST_ASSERT_EQUAL_size_t(2, cancelled);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&ran));
}

static void *run_until_refused(void *pool)
{
    int error;
    while ((error = heist_run(pool, count_one, NULL)) == 0) {
    }
    return (void *)(intptr_t)error;
}

static void pools_end_under_callers(void)
{
    for (int round = test_scale(200); round > 0; round--) {
        heist_pool *pool = pool_of(1 + (unsigned)round % 3, round % 2 ? HEIST_FENCES_THIEF : HEIST_FENCES_BOTH);
        pthread_t callers[3];
        void *error;
        for (int i = 0; i < 3; i++) pthread_create(&callers[i], NULL, run_until_refused, pool);
        sleep_us((unsigned)round % 7 * 100);
        TEST_ASSERT_EQUAL_INT(0, heist_pool_close(pool));
        for (int i = 0; i < 3; i++) {
            pthread_join(callers[i], &error);
            TEST_ASSERT_EQUAL_INT(-ESHUTDOWN, (int)(intptr_t)error);
        }
        free_pool(pool);
    }
}

/* The pool ends while a caller leaves its seat. */
static void a_pool_outlives_a_caller_that_leaves(void)
{
    for (int round = test_scale(300); round > 0; round--) {
        heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
        holder h = {.pool = pool};
        pthread_t thread;
        sem_init(&h.begun, 0, 0);
        sem_init(&h.go, 0, 0);
        pthread_create(&thread, NULL, run_once, &h);
        while (sem_wait(&h.begun) != 0) {
        }
        sem_post(&h.go);
        free_pool(pool);
        pthread_join(thread, NULL);
        TEST_ASSERT_EQUAL_INT(0, h.error);
    }
}

int main(void)
{
    UNITY_BEGIN();
    if (!HEIST__CAN_SWITCH_STACKS) return UNITY_END(); /* runs are handed over to workers here */
    RUN_TEST(a_caller_waits_for_a_seat);
    RUN_TEST(two_seats_given_up_at_once_serve_two);
    RUN_TEST(a_caller_waits_for_a_worker_that_works);
    RUN_TEST(a_run_that_waits_for_a_seat_is_run_by_a_closed_pool);
    RUN_TEST(a_run_that_waits_for_a_seat_is_dropped_by_a_cancelled_pool);
    RUN_TEST(pools_end_under_callers);
    RUN_TEST(a_pool_outlives_a_caller_that_leaves);
    return UNITY_END();
}
