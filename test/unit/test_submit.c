/* Submission from outside: nothing that was accepted is lost, each runs exactly once, a full inbox is told as the
 * caller wishes, and heist_pool_wait covers whatever was accepted before it was called. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <heist/heist.h>

#include "schedule/pool.h"
#include "support.h"
#include "test_scale.h"
#include "unity.h"

static atomic_int wrong;
#define CHECK(good) ((good) ? (void)0 : (void)atomic_fetch_add(&wrong, 1))

static atomic_size_t ran;

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
    atomic_store(&ran, 0);
}

void tearDown(void)
{
    unsetenv("HEIST_TOPOLOGY");
    alarm(0);
}

static void count_one(void *counter)
{
    atomic_fetch_add_explicit((atomic_size_t *)counter, 1, memory_order_relaxed);
}

static heist_pool *pool_with_inbox(unsigned workers, size_t inbox, heist_fences fences)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.inbox = inbox;
    options.fences = fences;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    return pool;
}

/* ---- a full inbox ---- */

/* A task that keeps its worker until it is let go. */
typedef struct {
    sem_t begun, go;
} blocker;

static void block(void *argument)
{
    blocker *b = argument;
    sem_post(&b->begun);
    while (sem_wait(&b->go) != 0) {
    }
}

static void blocker_init(blocker *b)
{
    sem_init(&b->begun, 0, 0);
    sem_init(&b->go, 0, 0);
}

static void await_begin(blocker *b)
{
    while (sem_wait(&b->begun) != 0) {
    }
}

/* A pool of one worker that is held up, so that what is submitted stays in the inbox. */
static heist_pool *pool_held_up(blocker *b, size_t inbox)
{
    heist_pool *pool = pool_with_inbox(1, inbox, HEIST_FENCES_DEFAULT);
    blocker_init(b);
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, block, b, HEIST_DO_NOT_WAIT));
    await_begin(b);
    return pool;
}

static void let_go(blocker *b)
{
    sem_post(&b->go);
}

/* Takes as many as go in; returns how many did. */
static size_t fill(heist_pool *pool)
{
    size_t accepted = 0;
    while (heist_submit(pool, count_one, &ran, HEIST_DO_NOT_WAIT) == 0 && accepted < 100) accepted++;
    return accepted;
}

static void a_full_inbox_refuses_who_does_not_wait(void)
{
    blocker b;
    heist_pool *pool = pool_held_up(&b, 2);
    TEST_ASSERT_EQUAL_size_t(2, fill(pool));
    for (int i = 0; i < 10; i++) {
        TEST_ASSERT_EQUAL_INT(-EAGAIN, heist_submit(pool, count_one, &ran, HEIST_DO_NOT_WAIT));
    }
    TEST_ASSERT_TRUE(heist_explain()[0] != '\0');
    let_go(&b);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_EQUAL_size_t(2, atomic_load(&ran)); /* a refused task never runs */
    TEST_ASSERT_TRUE(fill(pool) > 0);               /* there is room again */
    free_pool(pool);
}

static void a_full_inbox_keeps_who_waits_a_while_no_longer(void)
{
    blocker b;
    heist_pool *pool = pool_held_up(&b, 2);
    fill(pool);
    double before = now_ms();
    TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, heist_submit(pool, count_one, &ran, 20));
    TEST_ASSERT_TRUE(now_ms() - before >= 20.0); /* it has waited; how much longer is the machine's affair */
    TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, heist_submit(pool, count_one, &ran, 1));
    heist_scope scope;
    TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&scope, pool));
    TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, heist_scope_submit(&scope, count_one, &ran, 1));
    TEST_ASSERT_EQUAL_INT(-EAGAIN, heist_scope_submit(&scope, count_one, &ran, HEIST_DO_NOT_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope)); /* refused tasks do not count */
    let_go(&b);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_EQUAL_size_t(2, atomic_load(&ran));
    free_pool(pool);
}

static heist_pool *closing;

static void *submit_until_closed(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)heist_submit(closing, count_one, &ran, HEIST_WAIT);
}

static void a_thread_that_waits_for_room_is_told_that_the_pool_is_closed(void)
{
    blocker b;
    pthread_t threads[4];
    closing = pool_held_up(&b, 2);
    TEST_ASSERT_EQUAL_size_t(2, fill(closing));
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, submit_until_closed, NULL);
    while (heist__load_seq_cst(&closing->wanting_room) < 4) sched_yield();
    TEST_ASSERT_EQUAL_INT(0, heist_pool_close(closing));
    for (int i = 0; i < 4; i++) { /* there is no room before they have ended */
        void *error;
        pthread_join(threads[i], &error);
        TEST_ASSERT_EQUAL_INT(-ESHUTDOWN, (int)(intptr_t)error);
    }
    let_go(&b);
    free_pool(closing);
    TEST_ASSERT_EQUAL_size_t(2, atomic_load(&ran)); /* accepted tasks run, refused ones do not */
}

typedef struct {
    heist_pool *pool;
    long patience;
    size_t tasks;
    atomic_size_t accepted, refused;
    atomic_size_t mine; /* of them, those that ran */
} submitter;

static void *submit_all(void *argument)
{
    submitter *s = argument;
    for (size_t i = 0; i < s->tasks; i++) {
        int error = heist_submit(s->pool, count_one, &s->mine, s->patience);
        atomic_fetch_add(error ? &s->refused : &s->accepted, 1);
        CHECK(error == 0 || error == (s->patience ? -ETIMEDOUT : -EAGAIN));
        CHECK(s->patience != HEIST_WAIT || error == 0);
    }
    return NULL;
}

static void patience_may_be_longer_than_the_clock_can_tell(void)
{
    static const long patience[] = {LONG_MAX, LONG_MAX / 1000, LONG_MAX / 1000000 + 1};
    blocker b;
    heist_pool *pool = pool_held_up(&b, 2);
    fill(pool);
    submitter s[3] = {0};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        s[i].pool = pool;
        s[i].patience = patience[i];
        s[i].tasks = 1;
        pthread_create(&threads[i], NULL, submit_all, &s[i]);
    }
    sleep_us(30000);
    for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL_size_t(0, atomic_load(&s[i].refused));
    let_go(&b);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        TEST_ASSERT_EQUAL_size_t(1, atomic_load(&s[i].accepted));
    }
    free_pool(pool);
}

static void a_thread_that_waits_gets_in_when_there_is_room(void)
{
    enum { WAITING = 4 };
    blocker b;
    heist_pool *pool = pool_held_up(&b, 2);
    fill(pool);
    submitter s[WAITING] = {0};
    pthread_t threads[WAITING];
    for (int i = 0; i < WAITING; i++) {
        s[i] = (submitter){.pool = pool, .patience = i % 2 ? HEIST_WAIT : 100000, .tasks = 3};
        pthread_create(&threads[i], NULL, submit_all, &s[i]);
    }
    sleep_us(5000); /* let them come to wait */
    for (int i = 0; i < WAITING; i++) TEST_ASSERT_EQUAL_size_t(0, atomic_load(&s[i].accepted)); /* there is no room */
    let_go(&b);
    for (int i = 0; i < WAITING; i++) pthread_join(threads[i], NULL);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    for (int i = 0; i < WAITING; i++) TEST_ASSERT_EQUAL_size_t(3, atomic_load(&s[i].mine));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

/* A task may wait for a submission whose submitter waits for room: one free place must be enough for that,
 * though sleepers are woken only when half of the inbox is free. */
static void a_thread_that_waits_gets_in_though_the_inbox_stays_nearly_full(void)
{
    blocker first, second;
    heist_pool *pool = pool_held_up(&first, 32);
    blocker_init(&second);
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, block, &second, HEIST_DO_NOT_WAIT));
    TEST_ASSERT_EQUAL_size_t(31, fill(pool));
    submitter s = {.pool = pool, .patience = HEIST_WAIT, .tasks = 1};
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, submit_all, &s));
    sleep_us(5000); /* let it come to wait */
    TEST_ASSERT_EQUAL_size_t(0, atomic_load(&s.accepted));
    let_go(&first);
    pthread_join(thread, NULL); /* while the worker is held up again */
    TEST_ASSERT_EQUAL_size_t(0, atomic_load(&ran));
    let_go(&second);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_EQUAL_size_t(31, atomic_load(&ran));
    TEST_ASSERT_EQUAL_size_t(1, atomic_load(&s.mine));
    free_pool(pool);
}

/* ---- batches ---- */

/* Two workers, both held up; many tasks wait, and the oldest will hold up the worker that takes it with the batch
 * behind it. The other one runs all the rest. */
static void the_rest_of_a_batch_does_not_wait_for_its_first(void)
{
    enum { TASKS = 60 };
    blocker b[3];
    for (int i = 0; i < 3; i++) blocker_init(&b[i]);
    heist_pool *pool = pool_with_inbox(2, 1024, HEIST_FENCES_DEFAULT);
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, block, &b[i], HEIST_DO_NOT_WAIT));
        await_begin(&b[i]);
    }
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, block, &b[2], HEIST_DO_NOT_WAIT));
    for (int i = 0; i < TASKS; i++) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, count_one, &ran, HEIST_DO_NOT_WAIT));
    let_go(&b[0]);
    await_begin(&b[2]);
    TEST_ASSERT_EQUAL_size_t(0, atomic_load(&ran));
    let_go(&b[1]);
    while (atomic_load(&ran) < TASKS) sleep_us(100); /* or the watchdog ends it */
    let_go(&b[2]);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    free_pool(pool);
}

static size_t order[200];
static atomic_size_t ordered;

static void note_order(void *number)
{
    order[atomic_fetch_add(&ordered, 1)] = (size_t)(uintptr_t)number;
}

static void one_worker_runs_submissions_nearly_in_their_order(void)
{
    blocker b;
    heist_pool *pool = pool_held_up(&b, 1024);
    atomic_store(&ordered, 0);
    for (size_t i = 0; i < 200; i++)
        TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, note_order, (void *)(uintptr_t)i, HEIST_DO_NOT_WAIT));
    let_go(&b);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    /* But for one in 64, which the worker takes out of turn so that nothing starves. */
    size_t in_turn = 0;
    for (size_t i = 1; i < 200; i++) in_turn += order[i] == order[i - 1] + 1;
    TEST_ASSERT_GREATER_OR_EQUAL(180, in_turn);
    free_pool(pool);
}

/* ---- many at once ---- */

static void submit_from_many_threads(heist_pool *pool, size_t tasks)
{
    enum { THREADS = 6 };
    const long patience[THREADS] = {HEIST_WAIT, HEIST_WAIT, HEIST_DO_NOT_WAIT, HEIST_DO_NOT_WAIT, 1, 2};
    submitter s[THREADS] = {0};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        s[i] = (submitter){.pool = pool, .patience = patience[i], .tasks = tasks};
        pthread_create(&threads[i], NULL, submit_all, &s[i]);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    for (int i = 0; i < THREADS; i++) {
        TEST_ASSERT_EQUAL_size_t(tasks, atomic_load(&s[i].accepted) + atomic_load(&s[i].refused));
        TEST_ASSERT_EQUAL_size_t(atomic_load(&s[i].accepted), atomic_load(&s[i].mine));
    }
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

static void what_many_threads_submit_runs_exactly_once(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        const size_t inboxes[] = {2, 3, 64, 0};
        for (size_t i = 0; i < sizeof inboxes / sizeof *inboxes; i++) {
            heist_pool *pool = pool_with_inbox(3, inboxes[i], *mode);
            submit_from_many_threads(pool, test_scale((size_t)4000));
            free_pool(pool);
        }
    }
}

static void each_node_has_an_inbox_and_none_is_forgotten(void)
{
#ifndef HEIST_HAVE_HWLOC
    TEST_IGNORE_MESSAGE("descriptions are hwloc's");
#endif
    setenv("HEIST_TOPOLOGY", "pack:4 [numa] core:2 pu:1", 1);
    const size_t inboxes[] = {2, 0};
    for (size_t i = 0; i < 2; i++) {
        /* fewer workers than nodes: a worker has to look at inboxes of nodes without workers */
        for (unsigned workers = 1; workers <= 8; workers *= 2) {
            heist_pool *pool = pool_with_inbox(workers, inboxes[i], HEIST_FENCES_DEFAULT);
            TEST_ASSERT_EQUAL_UINT(4, pool->inbox_count);
            submit_from_many_threads(pool, test_scale((size_t)1000));
            free_pool(pool);
        }
    }
}

/* ---- submission and quiescence ---- */

/* A task that submits and detaches in turn; now and then one that takes long, while others come and go. */
static void with_children(void *counter)
{
    static atomic_uint turn;
    if (atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) % 16 == 0) sleep_us(50);
    CHECK(heist_submit(NULL, count_one, counter, HEIST_WAIT) == 0);
    CHECK(heist_detach(NULL, count_one, counter) == 0);
    count_one(counter);
}

typedef struct {
    heist_pool *pool;
    unsigned rounds;
} waiter;

static void *submit_and_wait(void *argument)
{
    waiter *w = argument;
    atomic_size_t mine = 0;
    size_t expected = 0;
    for (unsigned round = 0; round < w->rounds; round++) {
        for (unsigned i = 0; i <= round % 3; i++, expected += 3) {
            CHECK(heist_submit(w->pool, with_children, &mine, HEIST_WAIT) == 0);
        }
        CHECK(heist_pool_wait(w->pool) == 0);
        CHECK(atomic_load_explicit(&mine, memory_order_relaxed) == expected); /* the wait has made it visible */
    }
    return NULL;
}

static void a_pool_wait_covers_all_that_was_accepted_before_it(void)
{
    enum { THREADS = 4 };
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_with_inbox(3, 16, *mode);
        pthread_t threads[THREADS];
        waiter w = {pool, test_scale(1500u)};
        for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, submit_and_wait, &w);
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        free_pool(pool);
    }
}

/* One submits again and again while another waits: every wait ends at the next moment without a task. */
static atomic_bool stop_submitting;

static void *submit_again_and_again(void *pool)
{
    while (!atomic_load(&stop_submitting)) {
        CHECK(heist_submit(pool, count_one, &ran, HEIST_WAIT) == 0);
        sleep_us(100);
    }
    return NULL;
}

static void a_wait_beside_a_submitter_comes_to_an_end(void)
{
    heist_pool *pool = pool_with_inbox(2, 0, HEIST_FENCES_DEFAULT);
    pthread_t thread;
    atomic_store(&stop_submitting, false);
    pthread_create(&thread, NULL, submit_again_and_again, pool);
    for (unsigned i = test_scale(300u); i > 0; i--) TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    atomic_store(&stop_submitting, true);
    pthread_join(thread, NULL);
    free_pool(pool);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

static void count_plainly(void *counter)
{
    ++*(size_t *)counter;
}

static void *run_from_a_thread(void *argument)
{
    waiter *w = argument;
    size_t runs = 0; /* plain: the return of each run makes it visible */
    for (unsigned i = 0; i < w->rounds; i++) {
        CHECK(heist_run(w->pool, count_plainly, &runs) == 0);
        CHECK(runs == i + 1);
    }
    return NULL;
}

static void runs_from_many_threads_share_the_inbox(void)
{
    enum { THREADS = 5 };
    heist_pool *pool = pool_with_inbox(2, 2, HEIST_FENCES_DEFAULT);
    pthread_t threads[THREADS];
    waiter w = {pool, test_scale(1000u)};
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run_from_a_thread, &w);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

/* ---- from inside, and bad input ---- */

/* A task's submissions go into its worker's deque, so no inbox is too small for them. */
static void submit_many(void *unused)
{
    (void)unused;
    for (int i = 0; i < 1000; i++) CHECK(heist_submit(NULL, count_one, &ran, HEIST_DO_NOT_WAIT) == 0);
}

static void a_task_submits_without_waiting(void)
{
    heist_pool *pool = pool_with_inbox(1, 2, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, submit_many, NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_EQUAL_size_t(1000, atomic_load(&ran));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

/* A task of one pool is an outsider to another, and waits for room there. */
static void submit_to_the_other(void *other)
{
    for (int i = 0; i < 1000; i++) CHECK(heist_submit(other, count_one, &ran, HEIST_WAIT) == 0);
    CHECK(heist_pool_wait(other) == 0);
    CHECK(atomic_load(&ran) == 1000);
}

static void a_task_of_one_pool_submits_to_another(void)
{
    heist_pool *pool = pool_with_inbox(1, 2, HEIST_FENCES_DEFAULT);
    heist_pool *other = pool_with_inbox(1, 2, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, submit_to_the_other, other));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
    free_pool(other);
}

static void wait_for_own_pool(void *pool)
{
    CHECK(heist_pool_wait(pool) == -EDEADLK);
    CHECK(heist_pool_wait(NULL) == -EDEADLK);
}

static void a_task_is_told_that_it_cannot_wait_for_its_pool(void)
{
    heist_pool *pool = pool_with_inbox(2, 0, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, wait_for_own_pool, pool));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
    free_pool(pool);
}

static void mistakes_are_told(void)
{
    heist_pool *pool = pool_with_inbox(1, 0, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_submit(pool, NULL, NULL, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_run(pool, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_close(pool));
    TEST_ASSERT_EQUAL_INT(-ESHUTDOWN, heist_submit(pool, count_one, &ran, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(-ESHUTDOWN, heist_run(pool, count_one, &ran));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool)); /* refused tasks do not count */
    TEST_ASSERT_EQUAL_size_t(0, atomic_load(&ran));
    free_pool(pool);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_full_inbox_refuses_who_does_not_wait);
    RUN_TEST(a_full_inbox_keeps_who_waits_a_while_no_longer);
    RUN_TEST(a_thread_that_waits_for_room_is_told_that_the_pool_is_closed);
    RUN_TEST(patience_may_be_longer_than_the_clock_can_tell);
    RUN_TEST(a_thread_that_waits_gets_in_when_there_is_room);
    RUN_TEST(a_thread_that_waits_gets_in_though_the_inbox_stays_nearly_full);
    RUN_TEST(the_rest_of_a_batch_does_not_wait_for_its_first);
    RUN_TEST(one_worker_runs_submissions_nearly_in_their_order);
    RUN_TEST(what_many_threads_submit_runs_exactly_once);
    RUN_TEST(each_node_has_an_inbox_and_none_is_forgotten);
    RUN_TEST(a_pool_wait_covers_all_that_was_accepted_before_it);
    RUN_TEST(a_wait_beside_a_submitter_comes_to_an_end);
    RUN_TEST(runs_from_many_threads_share_the_inbox);
    RUN_TEST(a_task_submits_without_waiting);
    RUN_TEST(a_task_of_one_pool_submits_to_another);
    RUN_TEST(a_task_is_told_that_it_cannot_wait_for_its_pool);
    RUN_TEST(mistakes_are_told);
    return UNITY_END();
}
