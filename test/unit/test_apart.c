/* test_apart.c: a thread gets away from a CPU, if there is another, and may run afterwards where it might before. */
#include "platform/apart.h"
#include "platform/cpu.h"
#include "support.h"

#include <errno.h>
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
static void who_is_here_gets_away(void)
{
    if (CPU_COUNT(&at_first) < 2) TEST_IGNORE_MESSAGE("there is one CPU");
    for (bool away = false; !away;) {
        cpu_set_t taken;
        int here = heist__current_cpu();
        only(&taken, here);
        TEST_ASSERT_TRUE(heist__move_apart(&taken));
        away = heist__current_cpu() != here;
        assert_may_run_on(&at_first);
    }
}

static void who_has_no_other_cpu_stays(void)
{
    cpu_set_t one;
    only(&one, heist__current_cpu());
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof one, &one));
    TEST_ASSERT_FALSE(heist__move_apart(&one));
    assert_may_run_on(&one);
    TEST_ASSERT_FALSE_MESSAGE(heist__move_apart(&at_first), "taken are CPUs that it may not use, too");
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
    TEST_ASSERT_TRUE(heist__move_apart(&taken));
    assert_may_run_on(&part);
}

static void errno_is_left_alone(void)
{
    errno = EDOM;
    heist__move_apart(&at_first);
    TEST_ASSERT_EQUAL_INT(EDOM, errno);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(who_is_here_gets_away);
    RUN_TEST(who_has_no_other_cpu_stays);
    RUN_TEST(a_part_of_the_machine_stays_a_part);
    RUN_TEST(errno_is_left_alone);
    return UNITY_END();
}
