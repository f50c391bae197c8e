/* test_watchdog.c: the tests' own judgement of time: what counts as a lack of CPU, and that a hang is not excused. */
#include <pthread.h>
#include <sys/wait.h>

#include "support.h"
#include "unity.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
}

/* ---- the rule, on numbers: a second on two CPUs ---- */

#define S 1000000L

static long lost(long ran, long delayed, long others)
{
    canary_mark then = {.us = 5 * S, .ran = S, .delayed = S, .taken = 9 * S, .cpus = 2, .measured = true}, now = then;
    now.us += S;
    now.ran += ran;
    now.delayed += delayed;
    now.taken += ran + others;
    return canary_lost_between(then, now);
}

static void a_process_that_sleeps_has_lost_nothing(void)
{
    TEST_ASSERT_EQUAL_INT64(0, lost(0, 0, 0));
    TEST_ASSERT_EQUAL_INT64(0, lost(0, 0, 2 * S)); /* nor beside programs that compute */
    TEST_ASSERT_LESS_THAN_INT64(S / 100, lost(S / 1000, S / 200, 2 * S));
}

static void own_threads_in_each_others_way_are_no_lack(void)
{
    TEST_ASSERT_EQUAL_INT64(0, lost(2 * S, 6 * S, 0));
    TEST_ASSERT_LESS_THAN_INT64(S / 10, lost(S, 3 * S, 0)); /* all bound to one CPU, while the other is idle */
}

static void one_thread_with_a_quarter_of_a_cpu_has_lost_three(void)
{
    TEST_ASSERT_INT64_WITHIN(S / 100, 3 * S / 4, lost(S / 4, 3 * S / 4, 7 * S / 4));
}

static void threads_that_yield_to_others_have_lost_nearly_all(void)
{
    TEST_ASSERT_GREATER_THAN_INT64(95 * S / 100, lost(S / 100, 3 * S, 2 * S));
}

static void without_run_delays_the_canary_counts(void)
{
    canary_mark then = {.us = S, .late = 7}, now = {.us = 2 * S, .late = 7 + S / 3, .measured = true};
    TEST_ASSERT_EQUAL_INT64(S / 3, canary_lost_between(then, now));
}

/* ---- the machine ---- */

#define LOOPS 4

/* On one CPU with busy processes: at most a fifth is left for this one. */
static void a_thread_beside_busy_loops_is_starved(void)
{
    cpu_set_t before, one;
    pid_t loops[LOOPS];
    TEST_ASSERT_EQUAL_INT(0, sched_getaffinity(0, sizeof before, &before));
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
    }
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof one, &one));
    for (int i = 0; i < LOOPS; i++) {
        loops[i] = fork();
        TEST_ASSERT_TRUE(loops[i] >= 0);
        if (loops[i] == 0) {
            alarm(PATIENCE_S); /* where this program ends first */
            signal(SIGALRM, SIG_DFL);
            for (volatile int spin = 0;; spin = !spin) {
            }
        }
    }
    compute_for_ms(100); /* they may have to begin */
    canary_mark began = canary_now();
    compute_for_ms(500);
    bool measured = began.measured, starved = canary_starved_since(began);
    for (int i = 0; i < LOOPS; i++) {
        kill(loops[i], SIGKILL);
        while (waitpid(loops[i], NULL, 0) < 0) TEST_ASSERT_EQUAL_INT(EINTR, errno);
    }
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof before, &before));
    if (!measured) TEST_IGNORE_MESSAGE("the kernel has no schedstat");
    TEST_ASSERT_TRUE(starved);
}

static void hang(void)
{
    for (;;) pause();
}

static void spin(void)
{
    for (volatile int i = 0;; i = !i) sched_yield();
}

/* A child that hangs is ended by its watchdog; its parent's watchdog waits for that. */
static void ends_by_alarm(void (*body)(void))
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0) {
        watchdog_of_child(1);
        body();
    }
    while (waitpid(child, &status, 0) < 0) TEST_ASSERT_EQUAL_INT(EINTR, errno);
    TEST_ASSERT_TRUE(WIFSIGNALED(status));
    TEST_ASSERT_EQUAL_INT(SIGALRM, WTERMSIG(status));
}

static void a_child_that_hangs_is_ended(void)
{
    ends_by_alarm(hang);
}

static void a_child_that_spins_is_ended(void)
{
    if (THREAD_SANITIZED) TEST_IGNORE_MESSAGE("ThreadSanitizer delivers a signal only at the next call that it knows");
    ends_by_alarm(spin);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_process_that_sleeps_has_lost_nothing);
    RUN_TEST(own_threads_in_each_others_way_are_no_lack);
    RUN_TEST(one_thread_with_a_quarter_of_a_cpu_has_lost_three);
    RUN_TEST(threads_that_yield_to_others_have_lost_nearly_all);
    RUN_TEST(without_run_delays_the_canary_counts);
    RUN_TEST(a_thread_beside_busy_loops_is_starved);
    RUN_TEST(a_child_that_hangs_is_ended);
    RUN_TEST(a_child_that_spins_is_ended);
    return UNITY_END();
}
