/* test_cpu_occupancy.c: workers that share CPUs: where each worker is counted, on which searchers a waker relies,
 * which sleeper it wakes first, and which worker stands by. The waker is this thread, kept on one CPU; sleepers and
 * searchers are only counted. */
#include "idle/idle.h"
#include "platform/clock.h"
#include "platform/cpu.h"
#include "platform/sleep.h"
#include "support.h"

#include <pthread.h>
#include <sched.h>

#define SLEEPERS 4

static heist__idle idle;
static heist__sleeper sleepers[SLEEPERS], *all[SLEEPERS];
static uint32_t here, elsewhere; /* places */

static cpu_set_t at_first; /* where it might run */

/* Stays on the CPU where it is: the places are told apart by that. */
static void keep_this_cpu(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof one, &one));
}

/* A pool of `workers` on `cpus`, none of them awake. */
static void begin(unsigned workers, unsigned cpus)
{
    heist__cpu_occupancy_destroy(&idle.occupancy);
    memset(&idle, 0, sizeof idle);
    for (unsigned i = 0; i < SLEEPERS; i++) all[i] = &sleepers[i];
    idle.sleepers = all;
    idle.count = workers;
    idle.fenced = true;
    TEST_ASSERT_EQUAL_INT(0, heist__cpu_occupancy_init(&idle.occupancy, workers, cpus));
    heist__idle_clear(&idle);
    if (idle.occupancy.places && idle.occupancy.count < 3)
        TEST_IGNORE_MESSAGE("a machine with one CPU has no other place");
    here = heist__cpu_occupancy_here(&idle.occupancy, HEIST__NO_CPU_PLACE);
    elsewhere = here == 1 ? 2 : here - 1; /* any but ours: no thread has to run there */
}

void setUp(void)
{
    watchdog(PATIENCE_S);
    TEST_ASSERT_EQUAL_INT(0, sched_getaffinity(0, sizeof at_first, &at_first));
    keep_this_cpu();
    begin(4, 2);
}

void tearDown(void)
{
    sched_setaffinity(0, sizeof at_first, &at_first);
    heist__cpu_occupancy_destroy(&idle.occupancy);
}

static void nothing(void *unused)
{
    (void)unused;
}

static bool none(void *unused)
{
    (void)unused;
    return false;
}

static void sits(unsigned who, uint32_t place)
{
    heist__store_relaxed(&sleepers[who].cpu_place, place);
}

static void is_asleep(unsigned who, uint32_t place)
{
    sits(who, place);
    heist__store_relaxed(&sleepers[who].asleep, place + 1);
    heist__add_relaxed(&idle.asleep, 1);
}

static void is_awake(unsigned who, uint32_t place)
{
    sits(who, place);
    heist__cpu_occupancy_awake(&idle.occupancy, place, 1);
}

static void searches(unsigned who, uint32_t place)
{
    is_awake(who, place);
    heist__cpu_occupancy_searching(&idle.occupancy, place, 1);
    heist__add_relaxed(&idle.searching, 1);
}

static bool was_woken(unsigned who)
{
    return heist__load_relaxed(&sleepers[who].asleep) == 0;
}

static void nothing_is_counted_where_there_is_one_worker(void)
{
    begin(1, 2);
    TEST_ASSERT_NULL(idle.occupancy.places);
    TEST_ASSERT_EQUAL_UINT32(HEIST__NO_CPU_PLACE, here);
    heist__idle_search(&idle, &sleepers[0]);
    TEST_ASSERT_FALSE(heist__idle_crowded(&idle, &sleepers[0]));
    TEST_ASSERT_FALSE(heist__cpu_occupancy_full(&idle.occupancy));
    TEST_ASSERT_EQUAL_UINT32(0, heist__cpu_occupancy_stuck(&idle.occupancy));
}

static void cpus_are_taken_by_who_is_awake_there(void)
{
    is_awake(0, here);
    TEST_ASSERT_FALSE(heist__cpu_occupancy_full(&idle.occupancy));
    is_awake(1, here);
    TEST_ASSERT_FALSE_MESSAGE(heist__cpu_occupancy_full(&idle.occupancy), "two on one of two CPUs");
    is_awake(2, elsewhere);
    TEST_ASSERT_TRUE(heist__cpu_occupancy_full(&idle.occupancy));
    heist__cpu_occupancy_awake(&idle.occupancy, here, -1);
    TEST_ASSERT_TRUE_MESSAGE(heist__cpu_occupancy_full(&idle.occupancy), "one of two left");
    heist__cpu_occupancy_awake(&idle.occupancy, here, -1);
    TEST_ASSERT_FALSE(heist__cpu_occupancy_full(&idle.occupancy));
    TEST_ASSERT_TRUE(heist__cpu_occupancy_vacant(&idle.occupancy, here));
    TEST_ASSERT_FALSE(heist__cpu_occupancy_vacant(&idle.occupancy, elsewhere));
}

static void a_searcher_takes_its_seat_along(void)
{
    searches(0, elsewhere); /* it was there; now it runs here */
    TEST_ASSERT_FALSE(heist__idle_crowded(&idle, &sleepers[0]));
    TEST_ASSERT_EQUAL_UINT32(here, heist__load_relaxed(&sleepers[0].cpu_place));
    TEST_ASSERT_TRUE(heist__cpu_occupancy_vacant(&idle.occupancy, elsewhere));
    TEST_ASSERT_FALSE(heist__cpu_occupancy_vacant(&idle.occupancy, here));
    TEST_ASSERT_EQUAL_UINT32(1, heist__cpu_occupancy_stuck(&idle.occupancy));
}

static void a_worker_that_shares_its_cpu_is_crowded(void)
{
    heist__idle_search(&idle, &sleepers[0]);
    TEST_ASSERT_FALSE(heist__idle_crowded(&idle, &sleepers[0]));
    is_awake(1, elsewhere);
    TEST_ASSERT_FALSE(heist__idle_crowded(&idle, &sleepers[0]));
    is_awake(2, here);
    TEST_ASSERT_TRUE(heist__idle_crowded(&idle, &sleepers[0]));
}

/* A worker that waits for a child spins by this: the worker on the same CPU may have the child. */
static void a_worker_that_computes_knows_whether_it_shares_its_cpu(void)
{
    is_awake(0, here);
    is_awake(1, elsewhere);
    TEST_ASSERT_FALSE(heist__idle_shares(&idle, &sleepers[0]));
    is_awake(2, here);
    TEST_ASSERT_TRUE(heist__idle_shares(&idle, &sleepers[0]));
    TEST_ASSERT_TRUE(heist__idle_shares(&idle, &sleepers[2]));
    TEST_ASSERT_FALSE(heist__idle_shares(&idle, &sleepers[1]));
    sits(3, HEIST__NO_CPU_PLACE);
    TEST_ASSERT_FALSE(heist__idle_shares(&idle, &sleepers[3]));
}

/* The system may move it back at once: it is seen elsewhere some time. */
static void a_worker_that_shares_its_cpu_goes_to_an_empty_one(void)
{
    if (CPU_COUNT(&at_first) < 2) TEST_IGNORE_MESSAGE("there is one CPU");
    uint32_t now;
    do {
        begin(4, (unsigned)CPU_COUNT(&at_first));
        heist__idle_search(&idle, &sleepers[0]);
        is_awake(1, here);
        sched_setaffinity(0, sizeof at_first, &at_first);
        bool crowded = heist__idle_crowded(&idle, &sleepers[0]);
        now = heist__load_relaxed(&sleepers[0].cpu_place);
        TEST_ASSERT_EQUAL_INT(now == here, crowded);
        keep_this_cpu();
    } while (now == here);
    TEST_ASSERT_EQUAL_UINT32(1, heist__load_relaxed(&idle.occupancy.places[here].awake));
    TEST_ASSERT_EQUAL_UINT32(0, heist__load_relaxed(&idle.occupancy.places[here].searching));
    TEST_ASSERT_EQUAL_UINT32(1, heist__load_relaxed(&idle.occupancy.places[now].awake));
    TEST_ASSERT_EQUAL_UINT32(1, heist__load_relaxed(&idle.occupancy.places[now].searching));
}

static void where_every_cpu_is_taken_nobody_moves(void)
{
    begin(4, 1); /* whatever else there is */
    is_awake(1, here);
    sched_setaffinity(0, sizeof at_first, &at_first);
    TEST_ASSERT_FALSE(heist__cpu_occupancy_move(&idle.occupancy));
}

/* What sleeping, waking and finding count is taken back by the next step, so that in the end no worker is counted
 * anywhere. */
static void sleeping_and_waking_leave_the_counts_right(void)
{
    const heist__idle_calls calls = {nothing, none, none, NULL, NULL};
    for (int i = 0; i < 3; i++) {
        heist__idle_search(&idle, &sleepers[0]);
        TEST_ASSERT_EQUAL_UINT32(1, heist__cpu_occupancy_stuck(&idle.occupancy));
        heist__idle_found(&idle, &sleepers[0], &calls);
        TEST_ASSERT_EQUAL_UINT32(0, heist__cpu_occupancy_stuck(&idle.occupancy));
        TEST_ASSERT_FALSE(heist__cpu_occupancy_vacant(&idle.occupancy, here));
    }
    is_asleep(1, elsewhere);
    TEST_ASSERT_TRUE(heist__idle_wake_one(&idle));
    TEST_ASSERT_FALSE(heist__cpu_occupancy_vacant(&idle.occupancy, elsewhere));
    TEST_ASSERT_EQUAL_UINT32(1, heist__load_relaxed(&idle.occupancy.places[elsewhere].searching));
    TEST_ASSERT_EQUAL_UINT32(2, heist__load_relaxed(&idle.occupancy.taken));
}

/* It may be elsewhere before its waker has counted it. */
static void a_woken_worker_counts_where_it_fell_asleep(void)
{
    is_asleep(1, elsewhere);
    sits(1, here);
    TEST_ASSERT_TRUE(heist__idle_wake_one(&idle));
    TEST_ASSERT_EQUAL_UINT32(1, heist__load_relaxed(&idle.occupancy.places[elsewhere].awake));
    TEST_ASSERT_EQUAL_UINT32(0, heist__load_relaxed(&idle.occupancy.places[here].awake));
}

static void a_searcher_on_the_wakers_cpu_is_not_relied_upon(void)
{
    searches(0, here);
    is_asleep(1, elsewhere);
    TEST_ASSERT_TRUE(heist__idle_wake_one(&idle));
    TEST_ASSERT_TRUE(was_woken(1));
    TEST_ASSERT_EQUAL_UINT32(2, heist__load_relaxed(&idle.searching));
}

static void a_searcher_elsewhere_is_relied_upon(void)
{
    searches(0, here);
    searches(1, elsewhere);
    is_asleep(2, elsewhere);
    TEST_ASSERT_FALSE(heist__idle_wake_one(&idle));
    TEST_ASSERT_FALSE(was_woken(2));
    TEST_ASSERT_EQUAL_UINT32(2, heist__load_relaxed(&idle.searching));
}

static void a_sleeper_on_an_empty_cpu_is_woken_first(void)
{
    for (unsigned start = 0; start < 3; start++) {
        begin(4, 2);
        heist__store_relaxed(&idle.next, start);
        is_awake(0, here);
        is_asleep(1, here);
        is_asleep(2, elsewhere);
        TEST_ASSERT_TRUE(heist__idle_wake_one(&idle));
        TEST_ASSERT_TRUE(was_woken(2));
        TEST_ASSERT_FALSE(was_woken(1));
    }
}

static void where_every_cpu_has_somebody_any_sleeper_is_woken(void)
{
    is_awake(0, here);
    is_awake(1, elsewhere);
    is_asleep(2, here);
    TEST_ASSERT_TRUE(heist__idle_wake_one(&idle));
    TEST_ASSERT_TRUE(was_woken(2));
}

static void a_standby_worker_is_relied_upon_while_no_cpu_is_free(void)
{
    is_awake(0, here);
    is_asleep(2, elsewhere);
    heist__add_relaxed(&idle.standing_by, 1);
    TEST_ASSERT_TRUE_MESSAGE(heist__idle_wake_one(&idle), "a CPU is free");
    begin(4, 2);
    is_awake(0, here);
    is_awake(1, elsewhere);
    is_asleep(2, elsewhere);
    heist__add_relaxed(&idle.standing_by, 1);
    TEST_ASSERT_FALSE(heist__idle_wake_one(&idle));
    heist__add_relaxed(&idle.standing_by, (uint32_t)-1);
    TEST_ASSERT_TRUE(heist__idle_wake_one(&idle));
}

static bool some(void *unused)
{
    (void)unused;
    return true;
}

static void a_worker_woken_when_no_cpu_is_free_stands_by(void)
{
    const heist__idle_calls calls = {nothing, some, none, NULL, NULL}; /* there is work: no worker sleeps for long */
    heist__idle_search(&idle, &sleepers[0]);
    is_awake(2, elsewhere);
    TEST_ASSERT_TRUE_MESSAGE(heist__idle_sleep(&idle, &sleepers[0], &calls), "this CPU is its own");
    is_awake(1, here);
    TEST_ASSERT_FALSE(heist__idle_sleep(&idle, &sleepers[0], &calls));
    TEST_ASSERT_EQUAL_UINT32_MESSAGE(1, heist__load_relaxed(&idle.occupancy.blocked), "it saw that nobody computes");
    TEST_ASSERT_EQUAL_UINT32(0, heist__load_relaxed(&idle.standing_by));
    TEST_ASSERT_EQUAL_UINT32(1, heist__load_relaxed(&idle.searching));
    TEST_ASSERT_EQUAL_UINT32(2, heist__load_relaxed(&idle.occupancy.places[here].awake));
    TEST_ASSERT_EQUAL_UINT32(1, heist__load_relaxed(&idle.occupancy.places[here].searching));
    heist__cpu_occupancy_forget(&idle.occupancy);
    heist__cpu_occupancy_awake(&idle.occupancy, elsewhere, -1);
    TEST_ASSERT_TRUE_MESSAGE(heist__idle_sleep(&idle, &sleepers[0], &calls), "the other one is free");
}

static void a_worker_woken_because_the_pool_ends_does_not_stand_by(void)
{
    const heist__idle_calls calls = {nothing, some, none, NULL, NULL};
    heist__idle_search(&idle, &sleepers[0]);
    is_awake(1, here);
    is_awake(2, elsewhere);
    heist__idle_wake_all(&idle);
    TEST_ASSERT_TRUE(heist__idle_sleep(&idle, &sleepers[0], &calls));
    heist__idle_clear(&idle);
    heist__idle_search(&idle, &sleepers[0]);
    is_awake(1, here);
    is_awake(2, elsewhere);
    TEST_ASSERT_FALSE_MESSAGE(heist__idle_sleep(&idle, &sleepers[0], &calls), "after it has begun again");
}

/* ---- whether workers that are awake compute ---- */

static void cpus_that_nobody_uses_are_not_taken(void)
{
    is_awake(0, here);
    is_awake(1, elsewhere);
    TEST_ASSERT_TRUE(heist__cpu_occupancy_full(&idle.occupancy));
    for (int i = 0; i < 100 && heist__cpu_occupancy_full(&idle.occupancy); i++)
        heist__cpu_occupancy_watch(&idle.occupancy, 1);
    TEST_ASSERT_FALSE(heist__cpu_occupancy_full(&idle.occupancy));
    heist__cpu_occupancy_forget(&idle.occupancy);
    TEST_ASSERT_TRUE(heist__cpu_occupancy_full(&idle.occupancy));
}

static void a_worker_that_watches_for_more_naps_sleeps_longer(void)
{
    int64_t began = heist__clock_ns();
    heist__cpu_occupancy_watch(&idle.occupancy, 4);
    TEST_ASSERT_GREATER_OR_EQUAL_INT64(4 * HEIST__SLEEP_STEP_NS, heist__clock_ns() - began);
}

static HEIST__ATOMIC(uint32_t) enough, computing;

/* A worker that only computes, and makes no call by which the system would notice how long; if it may, on another
 * CPU than ours, where no waking thread makes the system notice, either. */
static void *compute(void *unused)
{
    cpu_set_t others;
    memset(&others, 0xff, sizeof others);
    CPU_CLR((size_t)sched_getcpu(), &others); /* it begins on the maker's */
    sched_setaffinity(0, sizeof others, &others);
    heist__cpu_occupancy_enter(&idle.occupancy);
    heist__store_release(&computing, 1);
    while (!heist__load_relaxed(&enough)) { /* relaxed: nothing but a sign */
    }
    return unused;
}

static pthread_t begin_to_compute(void)
{
    pthread_t thread;
    heist__store_relaxed(&enough, 0);
    heist__store_relaxed(&computing, 0);
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, compute, NULL));
    while (!heist__load_acquire(&computing)) heist__sleep_step();
    return thread;
}

static void stop_computing(pthread_t thread)
{
    heist__store_relaxed(&enough, 1);
    pthread_join(thread, NULL);
}

static void a_cpu_that_is_used_stays_taken(void)
{
    bool once = false;
    begin(4, 1);
    is_awake(0, here);
    pthread_t thread = begin_to_compute();
    while (!once) { /* others may have the CPU for a while; the watchdog ends it if it never is so */
        heist__cpu_occupancy_forget(&idle.occupancy);
        heist__cpu_occupancy_watch(&idle.occupancy, 1);
        once = heist__cpu_occupancy_full(&idle.occupancy);
    }
    stop_computing(thread);
}

/* Also between two ticks of the system, when the clock of the process does not know yet: three times in a row, a
 * fifth of a millisecond each, half of the time or more is seen to be used. Others may have the CPU for a while; the
 * watchdog ends it if it never is so. */
static void what_a_worker_has_computed_is_known_at_once(void)
{
    const struct timespec moment = {0, 200000};
    begin(4, 1);
    pthread_t thread = begin_to_compute();
    TEST_ASSERT_EQUAL_UINT32(1, heist__load_relaxed(&idle.occupancy.entered));
    int32_t clock = heist__load_relaxed(&idle.occupancy.clocks[0]);
    int64_t when = heist__clock_ns(), used = heist__thread_cpu_ns(clock);
    for (int in_a_row = 0; in_a_row < 3;) {
        nanosleep(&moment, NULL);
        int64_t now = heist__clock_ns(), used_now = heist__thread_cpu_ns(clock);
        in_a_row = used_now - used > (now - when) / 2 ? in_a_row + 1 : 0;
        when = now;
        used = used_now;
    }
    stop_computing(thread);
}

static void no_more_enter_than_there_are_workers(void)
{
    begin(3, 1);
    for (int i = 0; i < 5; i++) heist__cpu_occupancy_enter(&idle.occupancy);
    for (int i = 0; i < 3; i++) TEST_ASSERT_NOT_EQUAL_INT32(0, heist__load_relaxed(&idle.occupancy.clocks[i]));
    heist__cpu_occupancy_watch(&idle.occupancy, 1);
    heist__idle_clear(&idle);
    TEST_ASSERT_EQUAL_UINT32(0, heist__load_relaxed(&idle.occupancy.entered));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(nothing_is_counted_where_there_is_one_worker);
    RUN_TEST(cpus_are_taken_by_who_is_awake_there);
    RUN_TEST(a_searcher_takes_its_seat_along);
    RUN_TEST(a_worker_that_shares_its_cpu_is_crowded);
    RUN_TEST(a_worker_that_computes_knows_whether_it_shares_its_cpu);
    RUN_TEST(a_worker_that_shares_its_cpu_goes_to_an_empty_one);
    RUN_TEST(where_every_cpu_is_taken_nobody_moves);
    RUN_TEST(sleeping_and_waking_leave_the_counts_right);
    RUN_TEST(a_woken_worker_counts_where_it_fell_asleep);
    RUN_TEST(a_searcher_on_the_wakers_cpu_is_not_relied_upon);
    RUN_TEST(a_searcher_elsewhere_is_relied_upon);
    RUN_TEST(a_sleeper_on_an_empty_cpu_is_woken_first);
    RUN_TEST(where_every_cpu_has_somebody_any_sleeper_is_woken);
    RUN_TEST(a_standby_worker_is_relied_upon_while_no_cpu_is_free);
    RUN_TEST(a_worker_woken_when_no_cpu_is_free_stands_by);
    RUN_TEST(a_worker_woken_because_the_pool_ends_does_not_stand_by);
    RUN_TEST(cpus_that_nobody_uses_are_not_taken);
    RUN_TEST(a_worker_that_watches_for_more_naps_sleeps_longer);
    RUN_TEST(a_cpu_that_is_used_stays_taken);
    RUN_TEST(what_a_worker_has_computed_is_known_at_once);
    RUN_TEST(no_more_enter_than_there_are_workers);
    return UNITY_END();
}
