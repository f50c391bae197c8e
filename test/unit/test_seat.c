/* Threads from outside in seats of a pool: such a thread runs its own tasks, workers steal from it, several callers
 * share the seats, and the work that a caller leaves behind is found. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include <heist/heist.h>

#include "platform/stack_switch.h"
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

/* ---- on the calling thread ---- */

typedef struct {
    pthread_t thread;
    heist_pool *pool;
    int number;
} place;

static void note_place(void *argument)
{
    *(place *)argument = (place){pthread_self(), heist_current_pool(), heist_worker_number()};
}

HEIST_TASK(int, note_place_in, place *, at)
{
    note_place(at);
    return 7;
}

static void check_here(const place *at, heist_pool *pool)
{
    CHECK(pthread_equal(at->thread, pthread_self()));
    CHECK(at->pool == pool);
    CHECK(at->number >= 0 && at->number < (int)heist_pool_workers(pool));
    CHECK(heist_worker_number() == -1);
    CHECK(heist_current_pool() == NULL);
}

static void a_run_is_on_the_calling_thread(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 1; workers <= 4; workers++) {
            heist_pool *pool = pool_of(workers, *mode);
            let_them_sleep(pool);
            for (int i = test_scale(200); i > 0; i--) {
                place at = {0};
                TEST_ASSERT_EQUAL_INT(0, heist_run(pool, note_place, &at));
                check_here(&at, pool);
                TEST_ASSERT_EQUAL_INT(7, HEIST_RUN(pool, note_place_in, &at));
                check_here(&at, pool);
                if (i % 50 == 0) sleep_us(3000); /* from a pool that sleeps, too */
            }
            free_pool(pool);
        }
    }
}

static int iterate(heist_range part, void *thread)
{
    CHECK(pthread_equal(*(pthread_t *)thread, pthread_self()));
    atomic_fetch_add(&ran, (int)(part.end - part.begin));
    return 0;
}

static int produce(void *item, void *left)
{
    *(int *)item = 1;
    return (*(int *)left)-- > 0;
}

static int consume(void *item, void *unused)
{
    (void)unused;
    atomic_fetch_add(&ran, *(int *)item);
    return 0;
}

static void with_one_worker_a_loop_is_the_callers(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    pthread_t self = pthread_self();
    let_them_sleep(pool);
    for (int schedule = HEIST_SCHEDULE_DEFAULT; schedule <= HEIST_SCHEDULE_AUTO; schedule++) {
        heist_loop_options options = {.schedule = (heist_schedule)schedule};
        atomic_store(&ran, 0);
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, (heist_range){0, 1000, 1}, iterate, &self, &options));
        TEST_ASSERT_EQUAL_INT(1000, atomic_load(&ran));
    }
    int left = 100;
    atomic_store(&ran, 0);
    TEST_ASSERT_EQUAL_INT(0, heist_generate(pool, sizeof(int), produce, consume, &left, NULL));
    TEST_ASSERT_EQUAL_INT(100, atomic_load(&ran));
    TEST_ASSERT_EQUAL_INT(-1, heist_worker_number());
    free_pool(pool);
}

HEIST_VOID_TASK(meets, atomic_int *, here, int, all)
{
    atomic_fetch_add(here, 1);
    await(here, all);
}

/* None of them ends before all have begun, so each has a thread of its own. */
HEIST_VOID_TASK(meet, int, all)
{
    HEIST_CHILD(meets) child[8];
    atomic_int here = 0;
    for (int i = 0; i < all; i++) HEIST_SPAWN_AT(&child[i], meets, &here, all);
    for (int i = all - 1; i >= 0; i--) HEIST_SYNC_AT(&child[i], meets);
}

static void others_steal_from_a_caller(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (int workers = 1; workers <= 4; workers++) {
            heist_pool *pool = pool_of((unsigned)workers, *mode);
            for (int i = test_scale(100); i > 0; i--) {
                HEIST_RUN(pool, meet, workers);
                if (i % 3 == 0) sleep_us((unsigned)i * 10);
            }
            free_pool(pool);
        }
    }
}

static void a_callers_tasks_are_counted_in_its_seat(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_THIEF);
    let_them_sleep(pool);
    for (int i = 0; i < 100; i++) TEST_ASSERT_EQUAL(1, HEIST_RUN(pool, fib, 2)); /* one child each */
    heist_stats stats = {.size = sizeof stats};
    TEST_ASSERT_EQUAL_INT(0, heist_stats_read_worker(pool, 0, &stats));
    TEST_ASSERT_EQUAL_UINT64(100, stats.spawns);
    TEST_ASSERT_EQUAL_UINT64(100, stats.detached);
    free_pool(pool);
}

/* ---- several callers ---- */

typedef struct {
    heist_pool *pool;
    int runs;
    atomic_int inside, most; /* threads in a run */
} crowd;

static void note_crowd(void *argument)
{
    crowd *c = argument;
    int inside = atomic_fetch_add(&c->inside, 1) + 1, most = atomic_load(&c->most);
    while (inside > most && !atomic_compare_exchange_weak(&c->most, &most, inside)) {
    }
    for (volatile int i = 0; i < 500; i++) {
    }
    atomic_fetch_sub(&c->inside, 1);
}

static void *call_again_and_again(void *argument)
{
    crowd *c = argument;
    for (int i = 0; i < c->runs; i++) {
        CHECK(heist_run(c->pool, note_crowd, c) == 0);
        CHECK(HEIST_RUN(c->pool, fib, 8) == 21);
        if (i % 64 == 0) sleep_us(200);
    }
    return NULL;
}

static void no_more_callers_run_than_there_are_workers(void)
{
    enum { CALLERS = 8 };
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 1; workers <= 3; workers++) {
            crowd c = {.pool = pool_of(workers, *mode), .runs = test_scale(1500)};
            pthread_t threads[CALLERS];
            for (int i = 0; i < CALLERS; i++) pthread_create(&threads[i], NULL, call_again_and_again, &c);
            for (int i = 0; i < CALLERS; i++) pthread_join(threads[i], NULL);
            TEST_ASSERT_LESS_OR_EQUAL_INT((int)workers, atomic_load(&c.most));
            TEST_ASSERT_TRUE(atomic_load(&c.most) > 0);
            free_pool(c.pool);
        }
    }
}

/* Callers and submitters at once, on a pool that has fewer workers than there are callers. */
static void *submit_again_and_again(void *argument)
{
    crowd *c = argument;
    for (int i = 0; i < c->runs; i++) {
        CHECK(heist_submit(c->pool, count_one, NULL, HEIST_WAIT) == 0);
        if (i % 16 == 0) sleep_us(50);
    }
    return NULL;
}

static void submissions_run_between_callers(void)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        crowd c = {.pool = pool_of(workers, HEIST_FENCES_DEFAULT), .runs = test_scale(2000)};
        pthread_t threads[4];
        atomic_store(&ran, 0);
        for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, call_again_and_again, &c);
        pthread_create(&threads[3], NULL, submit_again_and_again, &c);
        for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
        await(&ran, c.runs); /* without a wait that could help them along */
        free_pool(c.pool);
        TEST_ASSERT_EQUAL_INT(c.runs, atomic_load(&ran));
    }
}

/* ---- what is left behind ---- */

static void leave_behind(void *tasks)
{
    for (int i = *(int *)tasks; i > 0; i--) CHECK(heist_detach(NULL, count_one, NULL) == 0);
}

static void detached_tasks_of_a_caller_are_run(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 1; workers <= 3; workers++) {
            heist_pool *pool = pool_of(workers, *mode);
            for (int i = 1; i <= test_scale(300); i++) {
                int tasks = 1 + i % 3;
                atomic_store(&ran, 0);
                TEST_ASSERT_EQUAL_INT(0, heist_run(pool, leave_behind, &tasks));
                await(&ran, tasks);
                if (i % 10 == 0) sleep_us(1000);
            }
            TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
            free_pool(pool);
        }
    }
}

static void what_is_submitted_while_all_seats_are_lent_is_run(void)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        heist_pool *pool = pool_of(workers, HEIST_FENCES_DEFAULT);
        for (int round = test_scale(50); round > 0; round--) {
            holder holders[2];
            pthread_t threads[2];
            atomic_store(&ran, 0);
            for (unsigned i = 0; i < workers; i++) holder_begin(&holders[i], pool, &threads[i]);
            for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, count_one, NULL, HEIST_WAIT));
            TEST_ASSERT_EQUAL_INT(0, atomic_load(&ran));
            sem_post(&holders[0].go);
            await(&ran, 3);
            for (unsigned i = 1; i < workers; i++) sem_post(&holders[i].go);
            for (unsigned i = 0; i < workers; i++) pthread_join(threads[i], NULL);
        }
        free_pool(pool);
    }
}

/* A worker pushes while the other seat is lent, and so wakes no worker; when that seat is given back its own thread
 * must look. */
static struct {
    atomic_int lent, pushed, begun, over;
} step;

HEIST_VOID_TASK(says_that_it_has_begun, int, unused)
{
    (void)unused;
    atomic_store(&step.begun, 1);
}

HEIST_VOID_TASK(pushes_and_waits, int, unused)
{
    (void)unused;
    await(&step.lent, 1);
    HEIST_SPAWN(child, says_that_it_has_begun, 0);
    atomic_store(&step.pushed, 1);
    await(&step.begun, 1); /* a thief runs it */
    HEIST_SYNC(child);
    atomic_store(&step.over, 1);
}

static void lends_until_pushed(void *unused)
{
    (void)unused;
    atomic_store(&step.lent, 1);
    await(&step.pushed, 1);
}

static void what_is_pushed_while_a_seat_is_lent_is_found(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(2, *mode);
        for (int round = test_scale(60); round > 0; round--) {
            memset(&step, 0, sizeof step);
            heist_scope scope;
            TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&scope, pool));
            TEST_ASSERT_EQUAL_INT(0, HEIST_DETACH(&scope, pushes_and_waits, 0));
            TEST_ASSERT_EQUAL_INT(0, heist_run(pool, lends_until_pushed, NULL));
            await(&step.over, 1);
            TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
        }
        free_pool(pool);
    }
}

int main(void)
{
    UNITY_BEGIN();
    if (!HEIST__CAN_SWITCH_STACKS) return UNITY_END(); /* runs are handed over to workers here */
    RUN_TEST(a_run_is_on_the_calling_thread);
    RUN_TEST(with_one_worker_a_loop_is_the_callers);
    RUN_TEST(others_steal_from_a_caller);
    RUN_TEST(a_callers_tasks_are_counted_in_its_seat);
    RUN_TEST(no_more_callers_run_than_there_are_workers);
    RUN_TEST(submissions_run_between_callers);
    RUN_TEST(detached_tasks_of_a_caller_are_run);
    RUN_TEST(what_is_submitted_while_all_seats_are_lent_is_run);
    RUN_TEST(what_is_pushed_while_a_seat_is_lent_is_found);
    return UNITY_END();
}
