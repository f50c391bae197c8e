/* Where a worker that waits for a scope finds the tasks of that scope: in the inbox, and in the deques of workers
 * that do not get to them. No other worker can run these tasks here, so a wait that does not look there never ends.
 * And what it must not do: nest deeper than there is room for, or keep to itself that the scope is quiet. */
#include <pthread.h>
#include <stdatomic.h>

#include "schedule/pool.h"
#include "schedule/worker.h"
#include "support.h"

static atomic_int wrong; /* mistakes that tasks find; they run outside Unity's thread */
#define CHECK(good) ((good) ? (void)0 : (void)atomic_fetch_add(&wrong, 1))

static atomic_int ran, occupied;
static atomic_bool release_it;

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
    atomic_store(&ran, 0);
    atomic_store(&occupied, 0);
    atomic_store(&release_it, false);
}

void tearDown(void)
{
    alarm(0);
}

static void run_on(unsigned workers, heist_function *function)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        setUp();
        heist_pool *pool = pool_of(workers, *mode);
        TEST_ASSERT_EQUAL_INT(0, heist_run(pool, function, pool));
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        free_pool(pool);
    }
}

static void count_run(void *unused)
{
    (void)unused;
    atomic_fetch_add(&ran, 1);
}

static void begin(heist_scope *scope, void *pool)
{
    if (heist_scope_begin(scope, pool) != 0) abort();
}

static void on_a_thread(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, argument) != 0) abort();
    pthread_join(thread, NULL);
}

/* ---- where it looks ---- */

static void *submit_two(void *scope)
{
    for (int i = 0; i < 2; i++) CHECK(heist_detach(scope, count_run, NULL) == 0);
    return NULL;
}

static void wait_for_what_came_from_outside(void *pool)
{
    heist_scope scope;
    begin(&scope, pool);
    on_a_thread(submit_two, &scope);
    CHECK(heist_scope_end(&scope) == 0);
    CHECK(atomic_load(&ran) == 2);
}

static void the_only_worker_takes_its_scopes_tasks_out_of_the_inbox(void)
{
    run_on(1, wait_for_what_came_from_outside);
}

/* Has a task of the scope in its deque, and does not get to it before another worker has run it. */
static void leave_one_to_others(void *scope)
{
    CHECK(heist_detach(scope, count_run, NULL) == 0);
    atomic_store(&occupied, 1);
    while (atomic_load(&ran) == 0) sched_yield();
}

static void wait_for_what_another_has(void *pool)
{
    heist_scope scope;
    begin(&scope, pool);
    CHECK(heist_detach(&scope, leave_one_to_others, &scope) == 0);
    while (!atomic_load(&occupied)) sched_yield(); /* the other worker has it */
    CHECK(heist_scope_end(&scope) == 0);
    CHECK(atomic_load(&ran) == 1);
}

static void a_waiter_steals_its_scopes_tasks(void)
{
    run_on(2, wait_for_what_another_has);
}

/* ---- what it must not do ---- */

static void occupy(void *unused)
{
    (void)unused;
    atomic_store(&occupied, 1);
    while (!atomic_load(&release_it)) sched_yield();
}

/* When the waiter has looked everywhere and gone to sleep; or has done what it must not. */
static void *release_later(void *worker)
{
    heist__worker *w = worker;
    /* relaxed: a number */
    while (heist__load_relaxed(&w->counters.parks) == 0 && atomic_load(&ran) == 0) sleep_us(1000);
    atomic_store(&release_it, true);
    return NULL;
}

static void run_elsewhere(void *worker)
{
    CHECK(heist__self() != worker);
    count_run(NULL);
}

static heist_scope deep_scope;

static void *submit_to_run_elsewhere(void *worker)
{
    CHECK(heist_detach(&deep_scope, run_elsewhere, worker) == 0);
    return NULL;
}

/* The other worker is occupied until this one sleeps, beside a task in its own deque and one in the inbox. */
static void wait_as_deep_as_can_be(void *pool)
{
    heist__worker *w = heist__self();
    pthread_t releasing;
    CHECK(heist_submit(pool, occupy, NULL, HEIST_WAIT) == 0);
    while (!atomic_load(&occupied)) sched_yield();
    begin(&deep_scope, pool);
    CHECK(heist_detach(&deep_scope, run_elsewhere, w) == 0);
    on_a_thread(submit_to_run_elsewhere, w);
    if (pthread_create(&releasing, NULL, release_later, w) != 0) abort();
    const uint32_t room = w->nesting_room, nestings = w->pool->nestings;
    w->nesting_room = w->pool->nestings = heist__load_relaxed(&w->depth); /* relaxed: own */
    heist__store_relaxed(&w->counters.parks, 0);
    CHECK(heist_scope_wait(&deep_scope) == 0);
    w->nesting_room = room;
    w->pool->nestings = nestings;
    CHECK(atomic_load(&ran) == 2);
    CHECK(heist_scope_end(&deep_scope) == 0);
    pthread_join(releasing, NULL);
}

static void a_waiter_without_room_leaves_its_scopes_tasks_to_others(void)
{
    run_on(2, wait_as_deep_as_can_be);
}

static void *wait_outside(void *scope)
{
    CHECK(heist_scope_wait(scope) == 0);
    CHECK(atomic_load(&ran) == 1);
    return NULL;
}

/* Two wait for one scope, the worker that runs its only task and a thread outside, which is told before the worker
 * does anything else. */
static void wait_beside_a_thread(void *pool)
{
    heist_scope scope;
    pthread_t outside;
    begin(&scope, pool);
    CHECK(heist_detach(&scope, count_run, NULL) == 0);
    if (pthread_create(&outside, NULL, wait_outside, &scope) != 0) abort();
    while (heist__load_acquire(&((heist_pool *)pool)->waiters.waiting) == 0) sched_yield();
    sleep_us(20000); /* it is asleep by now */
    CHECK(heist_scope_wait(&scope) == 0);
    pthread_join(outside, NULL);
    CHECK(heist_scope_end(&scope) == 0);
}

static void a_waiter_that_runs_the_last_task_tells_the_others(void)
{
    run_on(1, wait_beside_a_thread);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_only_worker_takes_its_scopes_tasks_out_of_the_inbox);
    RUN_TEST(a_waiter_steals_its_scopes_tasks);
    RUN_TEST(a_waiter_without_room_leaves_its_scopes_tasks_to_others);
    RUN_TEST(a_waiter_that_runs_the_last_task_tells_the_others);
    return UNITY_END();
}
