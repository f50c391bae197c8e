/* test_idle.c: no worker sleeps while there is work, and none uses the CPU while there is none. Times are only compared
 * with times measured in the same test, or with what a sleeping pool could not use. */
#include "platform/pause.h"
#include "schedule/pool.h"
#include "support.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
}

/* Waits until so many of the pool's workers are asleep, or say that they are about to be. */
static void let_them_fall_asleep(heist_pool *pool, unsigned count)
{
    while (heist__load_acquire(&pool->idle.asleep) < count) sched_yield(); /* the watchdog ends it if they never are */
}

/* A moment about the one in which the last of them goes to sleep: some time before, or just after it has said so. */
static void pause_about_their_falling_asleep(heist_pool *pool, unsigned count, uint64_t *chance)
{
    uint32_t drawn = draw(chance);
    uint32_t patience = drawn % 4 == 0 ? drawn / 4 % 2000 : UINT32_MAX;
    for (uint32_t n = 0; n < patience && heist__load_relaxed(&pool->idle.asleep) < count; n++) {
        heist__pause();
        if (n % 256 == 255) sched_yield(); /* they may need this very core */
    }
    for (uint32_t n = draw(chance) % 300; n > 0; n--) heist__pause();
}

/* ---- four sleeps at once ---- */

#define NAP_US 100000

HEIST_VOID_TASK(nap)
{
    sleep_us(NAP_US);
}

/* The owner joins at once; or computes, or sleeps, for as long as the children take: `busy_ms`. */
HEIST_VOID_TASK(four_naps, double, busy_ms, bool, busy)
{
    HEIST_SPAWN(a, nap);
    HEIST_SPAWN(b, nap);
    HEIST_SPAWN(c, nap);
    if (busy) {
        compute_for_ms(busy_ms);
    } else {
        HEIST_SPAWN(d, nap);
        HEIST_SYNC(d);
    }
    HEIST_SYNC(c);
    HEIST_SYNC(b);
    HEIST_SYNC(a);
}

static double four_naps_serial_ms(void)
{
    double begin = now_ms();
    for (int i = 0; i < 4; i++) sleep_us(NAP_US);
    return now_ms() - begin;
}

typedef struct {
    heist_pool *pool;
    bool busy, asleep_before;
    double serial, took;
} naps;

static bool four_naps_are_fast(void *argument)
{
    naps *n = argument;
    if (n->asleep_before)
        let_them_fall_asleep(n->pool, 4);
    else
        HEIST_RUN(n->pool, nap); /* its other workers may still look about */
    double begin = now_ms();
    HEIST_RUN(n->pool, four_naps, NAP_US / 1000.0, n->busy);
    n->took = now_ms() - begin;
    return n->took < n->serial * 0.6;
}

static void four_naps_take_the_time_of_one(void)
{
    double serial = four_naps_serial_ms();
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(4, *mode);
        for (int how = 0; how < 4; how++) {
            naps n = {.pool = pool, .busy = how & 1, .asleep_before = how & 2, .serial = serial};
            bool fast = succeeds_with_cpu(four_naps_are_fast, &n);
            char what[120];
            snprintf(what, sizeof what, "%.0f ms, one after the other %.0f ms; %s, the owner %s, the pool %s before",
                     n.took, serial, fence_word(*mode), how & 1 ? "computes" : "joins", how & 2 ? "asleep" : "awake");
            TEST_ASSERT_TRUE_MESSAGE(fast, what);
        }
        free_pool(pool);
    }
}

/* ---- no worker is woken in vain ---- */

static void do_nothing(void *unused)
{
    (void)unused;
}

/* The worker that takes the only task could wake the next worker in case that there is more; it makes sure instead. */
static void a_task_alone_wakes_nobody_else(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(4, *mode);
        for (int i = 0; i < 30; i++) {
            let_them_fall_asleep(pool, 4);
            TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, do_nothing, NULL, HEIST_WAIT));
            TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
        }
        TEST_ASSERT_EQUAL_UINT64(0, stats_of(pool).wakes);
        free_pool(pool);
    }
}

/* ---- a task that is not joined for a while is found by a thief ---- */

HEIST_VOID_TASK(says_hello, HEIST__ATOMIC(int) *, hello)
{
    heist__store_release(hello, 1);
}

/* With more workers than CPUs those that stand by take up to 28 ms, one after the other, to join in or to fall
 * asleep: then fewer rounds are enough. */
#define ROUNDS_MS 5000.0

/* Pushes tasks, each when all the others sleep or are about to, and then does nothing that heist could notice until it
 * has run. `settled`: they have all slept for a while. Returns how many have run. */
HEIST_TASK(int, pushes_and_computes, int, rounds, bool, settled, uint64_t, chance)
{
    heist_pool *pool = heist_current_pool();
    unsigned others = heist_pool_workers(pool) - 1;
    int heard = 0;
    double end = now_ms() + ROUNDS_MS;
    for (int i = 0; i < rounds && (settled || i < rounds / 20 || now_ms() < end); i++) {
        HEIST__ATOMIC(int) hello = 0;
        if (settled) {
            let_them_fall_asleep(pool, others);
            sleep_us(2000);
        } else {
            pause_about_their_falling_asleep(pool, others, &chance);
        }
        HEIST_SPAWN(child, says_hello, &hello);
        while (!heist__load_acquire(&hello)) sched_yield(); /* the watchdog ends it if no thief comes */
        heard += heist__load_acquire(&hello);
        HEIST_SYNC(child);
    }
    return heard;
}

static void one_push_wakes_a_sleeper(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 2; workers <= 4; workers += 2) {
            heist_pool *pool = pool_of(workers, *mode);
            int rounds = test_scale(20);
            TEST_ASSERT_EQUAL_INT(rounds, HEIST_RUN(pool, pushes_and_computes, rounds, true, 0));
            TEST_ASSERT_EQUAL_UINT64(rounds, stats_of(pool).joins_stolen);
            free_pool(pool);
        }
    }
}

static void no_push_is_missed_by_who_is_going_to_sleep(void)
{
    uint64_t chance = test_seed();
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 2; workers <= 4; workers += 2) {
            heist_pool *pool = pool_of(workers, *mode);
            int rounds = test_scale(1000);
            TEST_ASSERT_GREATER_OR_EQUAL_INT(rounds / 20,
                                             HEIST_RUN(pool, pushes_and_computes, rounds, false, chance++));
            free_pool(pool);
        }
    }
}

/* One woken worker wakes the next: as many tasks as workers, none of which ends before all have begun. */
HEIST_VOID_TASK(waits_for_all, HEIST__ATOMIC(int) *, here, int, all)
{
    heist__add_acq_rel(here, 1);
    while (heist__load_acquire(here) < all) sched_yield();
}

HEIST_VOID_TASK(all_at_once, int, all)
{
    HEIST_CHILD(waits_for_all) child[16];
    HEIST__ATOMIC(int) here = 0;
    for (int i = 0; i < all; i++) HEIST_SPAWN_AT(&child[i], waits_for_all, &here, all);
    for (int i = all - 1; i >= 0; i--) HEIST_SYNC_AT(&child[i], waits_for_all);
}

static void one_woken_worker_wakes_the_next(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (int workers = 2; workers <= 8; workers += 3) {
            heist_pool *pool = pool_of((unsigned)workers, *mode);
            uint64_t chance = 7;
            double end = now_ms() + ROUNDS_MS;
            for (int rounds = test_scale(100), i = 0; i < rounds && (i < 5 || now_ms() < end); i++) {
                if (i % 2)
                    let_them_fall_asleep(pool, (unsigned)workers);
                else
                    sleep_us(draw(&chance) % 300);
                HEIST_RUN(pool, all_at_once, workers);
            }
            heist_stats stats = stats_of(pool);
            TEST_ASSERT_GREATER_THAN_UINT64(0, stats.wakes);
            TEST_ASSERT_GREATER_THAN_UINT64(0, stats.parks);
            free_pool(pool);
        }
    }
}

/* ---- from outside ---- */

static void count_up(void *argument)
{
    HEIST__ATOMIC(int) *count = argument;
    heist__add_acq_rel(count, 1);
}

/* Each round begins about when the pool goes to sleep after the last. */
static void no_run_from_outside_is_lost(void)
{
    uint64_t chance = test_seed();
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 1; workers <= 4; workers += 3) {
            heist_pool *pool = pool_of(workers, *mode);
            HEIST__ATOMIC(int) count = 0;
            int rounds = test_scale(2500); /* in all 10000 */
            for (int i = 0; i < rounds; i++) {
                TEST_ASSERT_EQUAL_INT(0, heist_run(pool, count_up, &count));
                pause_about_their_falling_asleep(pool, workers, &chance);
            }
            TEST_ASSERT_EQUAL_INT(rounds, heist__load_seq_cst(&count));
            free_pool(pool);
        }
    }
}

static void no_submission_is_lost(void)
{
    uint64_t chance = test_seed();
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(3, *mode);
        HEIST__ATOMIC(int) count = 0;
        int rounds = test_scale(1500), expected = 0;
        for (int i = 0; i < rounds; i++) {
            for (uint32_t n = draw(&chance) % 4; n > 0; n--, expected++)
                TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, count_up, &count, HEIST_WAIT));
            while (heist__load_acquire(&count) < expected) sched_yield(); /* the watchdog ends it if one is lost */
            pause_about_their_falling_asleep(pool, 3, &chance);
        }
        TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
        TEST_ASSERT_EQUAL_INT(expected, heist__load_seq_cst(&count));
        free_pool(pool);
    }
}

/* ---- no work, no CPU ---- */

static double cpu_ms(void)
{
    return clock_ms(CLOCK_PROCESS_CPUTIME_ID);
}

/* A pool that gives memory back after a while may do so once. */
static bool sleeps_without_cpu(void *share)
{
    double cpu = cpu_ms(), wall = now_ms();
    sleep_us(200000);
    *(double *)share = (cpu_ms() - cpu) / (now_ms() - wall);
    return *(double *)share < 0.02;
}

/* Workers that had no CPU may still be about to park. */
static bool nobody_parks(void *pool)
{
    uint64_t parks = stats_of(pool).parks;
    sleep_us(100000);
    return stats_of(pool).parks == parks;
}

static void a_pool_without_work_uses_no_cpu(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(8, *mode);
        HEIST_RUN(pool, all_at_once, 8);
        let_them_fall_asleep(pool, 8);
        sleep_us(10000);
        double share = 1;
        bool sleeps = succeeds_with_cpu(sleeps_without_cpu, &share);
        char what[80];
        snprintf(what, sizeof what, "%.4f of a core used by a sleeping pool, %s", share, fence_word(*mode));
        TEST_ASSERT_TRUE_MESSAGE(sleeps, what);
        TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(nobody_parks, pool), "somebody woke up without a reason");
        free_pool(pool);
    }
}

/* One worker runs a long task, and the others have nothing to do: these sleep all the same. */
HEIST_VOID_TASK(measures_the_others, double *, share)
{
    sleep_us(100000); /* they have looked for work by then */
    double cpu = cpu_ms(), wall = now_ms();
    sleep_us(200000);
    *share = (cpu_ms() - cpu) / (now_ms() - wall);
}

typedef struct {
    heist_pool *pool;
    double share;
} beside;

static bool others_sleep(void *argument)
{
    beside *b = argument;
    HEIST_RUN(b->pool, measures_the_others, &b->share);
    return b->share < 0.02;
}

static void workers_sleep_beside_one_that_works(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(8, *mode);
        beside b = {pool, 1};
        bool sleep = succeeds_with_cpu(others_sleep, &b);
        char what[80];
        snprintf(what, sizeof what, "%.4f of a core used by seven that have nothing to do", b.share);
        TEST_ASSERT_TRUE_MESSAGE(sleep, what);
        free_pool(pool);
    }
}

/* A worker that waits for a slow stolen child does not spin, either. */
static bool something_was_stolen(heist_pool *pool)
{
    heist_stats stats = stats_of(pool);
    return steals_in(&stats) > 0;
}

HEIST_VOID_TASK(waits_for_sleeper, double *, share)
{
    HEIST_SPAWN(child, measures_the_others, share);
    while (!something_was_stolen(heist_current_pool())) sched_yield();
    HEIST_SYNC(child);
}

typedef struct {
    heist_fences mode;
    double share;
} join_wait;

static bool join_sleeps(void *argument)
{
    join_wait *j = argument;
    heist_pool *pool = pool_of(2, j->mode); /* in which nothing was stolen before */
    HEIST_RUN(pool, waits_for_sleeper, &j->share);
    free_pool(pool);
    return j->share < 0.1;
}

static void a_join_of_a_stolen_child_hardly_uses_cpu(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        join_wait j = {*mode, 1};
        bool sleeps = succeeds_with_cpu(join_sleeps, &j);
        char what[80];
        snprintf(what, sizeof what, "%.4f of a core used by a join that waits", j.share);
        TEST_ASSERT_TRUE_MESSAGE(sleeps, what);
    }
}

int main(void)
{
    canary_begin();
    UNITY_BEGIN();
    RUN_TEST(four_naps_take_the_time_of_one);
    RUN_TEST(a_task_alone_wakes_nobody_else);
    RUN_TEST(one_push_wakes_a_sleeper);
    RUN_TEST(no_push_is_missed_by_who_is_going_to_sleep);
    RUN_TEST(one_woken_worker_wakes_the_next);
    RUN_TEST(no_run_from_outside_is_lost);
    RUN_TEST(no_submission_is_lost);
    RUN_TEST(a_pool_without_work_uses_no_cpu);
    RUN_TEST(workers_sleep_beside_one_that_works);
    RUN_TEST(a_join_of_a_stolen_child_hardly_uses_cpu);
    return UNITY_END();
}
