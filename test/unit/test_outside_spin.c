/* test_outside_spin.c: threads outside the pool that spin before they sleep: when, for how long, how many, and what
 * they learn. */
#include "idle/outside_spin.h"
#include "platform/clock.h"
#include "schedule/fork.h"
#include "schedule/pool.h"
#include "support.h"
#include "topology/quota.h"

#include <sys/wait.h>

#define BRIEF (HEIST__OUTSIDE_SPIN_NS / 2)
#define LONG (HEIST__OUTSIDE_SPIN_NS * 2)

static heist__outside_spin linger;
static int64_t now; /* the time, as the thread is told it */

void setUp(void)
{
    watchdog(PATIENCE_S);
    memset(&linger, 0, sizeof linger);
    now = 1000;
}

void tearDown(void)
{
}

/* A wait of `ns` that is slept away. Returns whether it would have spun. */
static bool waits(int64_t ns)
{
    bool spins = heist__outside_spin_begin(&linger, now);
    now += ns;
    heist__outside_spin_end(&linger, now);
    return spins;
}

/* Short waits until one may spin, which is left out. */
static unsigned brief_waits_before_spinning(void)
{
    for (unsigned n = 0;; n++) {
        if (heist__outside_spin_begin(&linger, now)) return n;
        now += BRIEF;
        heist__outside_spin_end(&linger, now);
    }
}

/* Spins in vain, for so many rounds of `round_ns`. */
static unsigned rounds_in_vain(int64_t round_ns)
{
    unsigned rounds = 0;
    TEST_ASSERT_TRUE(heist__outside_spin_begin(&linger, now));
    do {
        rounds++;
        now += round_ns;
    } while (heist__outside_spin_on(&linger, now));
    heist__outside_spin_end(&linger, now);
    return rounds;
}

/* A round, and then it is over. */
static void spins_with_success(void)
{
    TEST_ASSERT_TRUE(heist__outside_spin_begin(&linger, now));
    now += 1000;
    TEST_ASSERT_TRUE(heist__outside_spin_on(&linger, now));
    heist__outside_spin_end(&linger, now);
}

static void a_thread_spins_when_it_has_seen_four_short_waits(void)
{
    TEST_ASSERT_EQUAL_UINT(4, brief_waits_before_spinning());
}

static void after_a_long_wait_it_begins_to_count_again(void)
{
    brief_waits_before_spinning();
    waits(LONG);
    TEST_ASSERT_EQUAL_UINT(4, brief_waits_before_spinning());
}

static void a_wait_as_long_as_it_would_spin_is_still_short(void)
{
    for (int i = 0; i < 4; i++) waits(HEIST__OUTSIDE_SPIN_NS);
    TEST_ASSERT_TRUE(waits(HEIST__OUTSIDE_SPIN_NS + 1));
    TEST_ASSERT_FALSE(waits(0));
}

static void it_spins_for_two_milliseconds_at_most(void)
{
    brief_waits_before_spinning();
    TEST_ASSERT_EQUAL_UINT(HEIST__OUTSIDE_SPIN_NS / 10000 + 1, rounds_in_vain(10000));
}

static void it_gives_up_when_somebody_else_had_the_cpu(void)
{
    brief_waits_before_spinning();
    TEST_ASSERT_EQUAL_UINT(1, rounds_in_vain(HEIST__OUTSIDE_SPIN_DISTURBED_NS + 1));
}

static void a_clock_that_stands_still_does_not_make_it_spin_for_ever(void)
{
    brief_waits_before_spinning();
    TEST_ASSERT_EQUAL_UINT(HEIST__OUTSIDE_SPIN_ROUNDS, rounds_in_vain(0));
}

static void each_time_in_vain_doubles_the_short_waits_it_wants_to_see(void)
{
    unsigned wanted = 4;
    brief_waits_before_spinning();
    for (int i = 0; i < 20; i++) {
        rounds_in_vain(HEIST__OUTSIDE_SPIN_DISTURBED_NS + 1);
        TEST_ASSERT_EQUAL_UINT(wanted + 4, brief_waits_before_spinning());
        if (wanted < 4096) wanted *= 2;
    }
}

static void a_caller_that_spun_with_success_doubts_less(void)
{
    brief_waits_before_spinning();
    for (int i = 0; i < 3; i++) {
        rounds_in_vain(HEIST__OUTSIDE_SPIN_DISTURBED_NS + 1); /* doubts 4, 8, 16 */
        brief_waits_before_spinning();
    }
    for (int i = 0; i < 2; i++) spins_with_success(); /* 8, 4 */
    waits(LONG);
    TEST_ASSERT_EQUAL_UINT(4 + 4, brief_waits_before_spinning());
}

static void a_long_wait_that_was_slept_raises_no_doubt(void)
{
    for (int i = 0; i < 100; i++) waits(LONG);
    TEST_ASSERT_EQUAL_UINT(4, brief_waits_before_spinning());
}

/* ---- the calling thread ---- */

static HEIST__ATOMIC(uint32_t) word;

/* Short waits of this thread until one spins. The system may disturb it; then it takes more of them. */
static void learn_to_spin(void)
{
    heist__store_relaxed(&word, 1);
    while (heist__outside_spin_wait(&word, 0, 8) == 0) heist__outside_spin_over();
    heist__outside_spin_over();
}

/* The one above may have been disturbed itself, and doubt again. */
static uint32_t spins_at_last(unsigned spare)
{
    uint32_t rounds = 0;
    for (int i = 0; i < 20 && rounds == 0; i++) {
        learn_to_spin();
        rounds = heist__outside_spin_wait(&word, 0, spare);
        heist__outside_spin_over();
    }
    return rounds;
}

static void no_more_threads_spin_than_there_are_cpus_for(void)
{
    TEST_ASSERT_EQUAL_UINT32(0, spins_at_last(0));
    TEST_ASSERT_EQUAL_UINT32(1, spins_at_last(1));
}

static void nobody_waits_for_ever_for_a_word_that_stays(void)
{
    learn_to_spin();
    heist__store_relaxed(&word, 0);
    uint32_t rounds = heist__outside_spin_wait(&word, 0, 8);
    TEST_ASSERT_LESS_OR_EQUAL_UINT32(HEIST__OUTSIDE_SPIN_ROUNDS, rounds);
    heist__outside_spin_over();
}

static HEIST__ATOMIC(uint32_t) stop, ready;

/* Spins most of the time. */
static void *spin_again_and_again(void *unused)
{
    static HEIST__ATOMIC(uint32_t) changed = 1, stays = 0;
    while (!heist__load_relaxed(&stop)) { /* relaxed: it is joined */
        while (heist__outside_spin_wait(&changed, 0, 8) == 0) heist__outside_spin_over();
        heist__outside_spin_over();
        heist__store_relaxed(&ready, 1); /* relaxed: only to be waited for */
        heist__outside_spin_wait(&stays, 0, 8);
        heist__outside_spin_over();
    }
    return unused;
}

/* The child's count is not the parent's, in which another thread may have spun when it forked. */
static void a_forked_child_may_spin(void)
{
    pthread_t other;
    heist__fork_hook();
    heist__store_relaxed(&stop, 0);
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&other, NULL, spin_again_and_again, NULL));
    while (!heist__load_relaxed(&ready)) sched_yield();
    for (int i = 0; i < 10; i++) {
        int status;
        pid_t child = fork(); /* at any time: the other thread spins on purpose, and allocates nothing */
        if (child == 0) _exit(spins_at_last(1) == 0);
        TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, status, "the child counts threads that it does not have");
    }
    heist__store_relaxed(&stop, 1);
    pthread_join(other, NULL);
}

/* ---- pools ---- */

static heist_pool *pool_with(unsigned workers, unsigned spin)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.spin = spin;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    return pool;
}

static void a_waiter_has_the_cpus_that_workers_leave(void)
{
    const unsigned cpus = heist__default_workers(NULL);
    for (unsigned workers = 1; workers <= cpus + 1 && workers < 5; workers++) {
        heist_pool *pool = pool_with(workers, 0);
        TEST_ASSERT_EQUAL_UINT(workers < cpus ? cpus - workers : 0, heist__spare_here(pool));
        free_pool(pool);
    }
}

static void a_given_spin_time_is_obeyed(void)
{
    heist_pool *pool = pool_with(1, 5);
    TEST_ASSERT_EQUAL_UINT(0, heist__spare_here(pool));
    free_pool(pool);
}

static unsigned seen_from_a_worker;

static void look_from_a_worker(void *pool)
{
    seen_from_a_worker = heist__spare_here(pool);
}

static void a_worker_of_another_pool_does_not_spin(void)
{
    heist_pool *pool = pool_with(1, 0), *other = pool_with(1, 0);
    pool->spare = 1; /* also where there is one CPU */
    seen_from_a_worker = 1;
    TEST_ASSERT_EQUAL_INT(0, heist_run(other, look_from_a_worker, pool));
    TEST_ASSERT_EQUAL_UINT(0, seen_from_a_worker);
    TEST_ASSERT_EQUAL_UINT(1, heist__spare_here(pool));
    free_pool(other);
    free_pool(pool);
}

static void count_up(void *number)
{
    heist__add_relaxed((HEIST__ATOMIC(uint32_t) *)number, 1); /* relaxed: read when it has been waited for */
}

static void runs_and_scopes_are_over_when_their_wait_is(void)
{
    HEIST__ATOMIC(uint32_t) number = 0;
    uint32_t wanted = 0;
    heist_pool *pool = pool_with(1, 0);
    if (heist__spare_here(pool) == 0) pool->spare = 1;  /* one CPU: as if there were two, and it gives up */
    const int64_t end = heist__clock_ns() + 1000000000; /* others may need the CPUs: then it is fewer */
    for (unsigned i = 0; i < test_scale(3000u) && heist__clock_ns() < end; i++) {
        TEST_ASSERT_EQUAL_INT(0, heist_run(pool, count_up, &number));
        TEST_ASSERT_EQUAL_UINT32(++wanted, heist__load_relaxed(&number));
        heist_scope scope;
        TEST_ASSERT_EQUAL_INT(0, heist_scope_begin(&scope, pool));
        for (int j = 0; j < 3; j++) TEST_ASSERT_EQUAL_INT(0, heist_detach(&scope, count_up, &number));
        TEST_ASSERT_EQUAL_INT(0, heist_scope_end(&scope));
        TEST_ASSERT_EQUAL_UINT32(wanted += 3, heist__load_relaxed(&number));
    }
    free_pool(pool);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_thread_spins_when_it_has_seen_four_short_waits);
    RUN_TEST(after_a_long_wait_it_begins_to_count_again);
    RUN_TEST(a_wait_as_long_as_it_would_spin_is_still_short);
    RUN_TEST(it_spins_for_two_milliseconds_at_most);
    RUN_TEST(it_gives_up_when_somebody_else_had_the_cpu);
    RUN_TEST(a_clock_that_stands_still_does_not_make_it_spin_for_ever);
    RUN_TEST(each_time_in_vain_doubles_the_short_waits_it_wants_to_see);
    RUN_TEST(a_caller_that_spun_with_success_doubts_less);
    RUN_TEST(a_long_wait_that_was_slept_raises_no_doubt);
    RUN_TEST(no_more_threads_spin_than_there_are_cpus_for);
    RUN_TEST(nobody_waits_for_ever_for_a_word_that_stays);
    RUN_TEST(a_forked_child_may_spin);
    RUN_TEST(a_waiter_has_the_cpus_that_workers_leave);
    RUN_TEST(a_given_spin_time_is_obeyed);
    RUN_TEST(a_worker_of_another_pool_does_not_spin);
    RUN_TEST(runs_and_scopes_are_over_when_their_wait_is);
    return UNITY_END();
}
