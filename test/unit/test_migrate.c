/* test_migrate.c: a thread gets away from a CPU, if there is another, and may run afterwards where it might before. */
#include "platform/migrate.h"

#include <heist/detail/atomic.h>

#include "platform/cpu.h"
#include "support.h"

#include <pthread.h>
#include <sched.h>

static cpu_set_t at_first;

void setUp(void)
{
    watchdog(PATIENCE_S);
    TEST_ASSERT_EQUAL_INT(0, sched_getaffinity(0, sizeof at_first, &at_first));
}

void tearDown(void)
{
    sched_setaffinity(0, sizeof at_first, &at_first);
}

static void only(cpu_set_t *set, int cpu)
{
    CPU_ZERO(set);
    CPU_SET((size_t)cpu, set);
}

static void assert_may_run_on(const cpu_set_t *wanted)
{
    cpu_set_t now;
    TEST_ASSERT_EQUAL_INT(0, sched_getaffinity(0, sizeof now, &now));
    TEST_ASSERT_TRUE(CPU_EQUAL(wanted, &now));
}

/* The system may move it back at once: it is seen elsewhere some time. */
static void a_thread_on_this_cpu_gets_away(void)
{
    if (CPU_COUNT(&at_first) < 2) TEST_IGNORE_MESSAGE("there is one CPU");
    for (bool away = false; !away;) {
        cpu_set_t taken;
        int here = heist__current_cpu();
        only(&taken, here);
        TEST_ASSERT_TRUE(heist__migrate(pthread_self(), &taken));
        away = heist__current_cpu() != here;
        assert_may_run_on(&at_first);
    }
}

static void a_thread_without_another_cpu_stays(void)
{
    cpu_set_t one;
    only(&one, heist__current_cpu());
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof one, &one));
    TEST_ASSERT_FALSE(heist__migrate(pthread_self(), &one));
    assert_may_run_on(&one);
    TEST_ASSERT_FALSE_MESSAGE(heist__migrate(pthread_self(), &at_first), "taken are CPUs that it may not use, too");
    assert_may_run_on(&one);
}

static void a_part_of_the_machine_stays_a_part(void)
{
    if (CPU_COUNT(&at_first) < 3) TEST_IGNORE_MESSAGE("there are not three CPUs");
    cpu_set_t part = at_first, taken;
    int least = 0;
    while (!CPU_ISSET((size_t)least, &part)) least++;
    CPU_CLR((size_t)least, &part);
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof part, &part));
    only(&taken, heist__current_cpu());
    TEST_ASSERT_TRUE(heist__migrate(pthread_self(), &taken));
    assert_may_run_on(&part);
}

static void nothing_is_done_about_cpus_that_are_not_used(void)
{
    cpu_set_t none;
    CPU_ZERO(&none);
    TEST_ASSERT_FALSE(heist__migrate(pthread_self(), &none));
    assert_may_run_on(&at_first);
}

static HEIST__ATOMIC(uint32_t) enough;

static void *compute(void *unused)
{
    while (!heist__load_relaxed(&enough)) { /* relaxed: nothing but a sign */
    }
    return unused;
}

static void another_thread_can_be_moved(void)
{
    if (CPU_COUNT(&at_first) < 2) TEST_IGNORE_MESSAGE("there is one CPU");
    pthread_t thread;
    cpu_set_t taken, its;
    only(&taken, heist__current_cpu());
    heist__store_relaxed(&enough, 0);
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, compute, NULL));
    bool moved = heist__migrate(thread, &taken);
    int error = pthread_getaffinity_np(thread, sizeof its, &its);
    heist__store_relaxed(&enough, 1);
    pthread_join(thread, NULL);
    TEST_ASSERT_TRUE(moved);
    TEST_ASSERT_EQUAL_INT(0, error);
    TEST_ASSERT_TRUE(CPU_EQUAL(&at_first, &its));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_thread_on_this_cpu_gets_away);
    RUN_TEST(a_thread_without_another_cpu_stays);
    RUN_TEST(a_part_of_the_machine_stays_a_part);
    RUN_TEST(nothing_is_done_about_cpus_that_are_not_used);
    RUN_TEST(another_thread_can_be_moved);
    return UNITY_END();
}
