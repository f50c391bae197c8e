/* The inputs of the simulator: machines, costs, programs, DAGs, the command line; and the sentences about bad ones. */
#include <errno.h>
#include <stdlib.h>

#include "simulate/command.h"
#include "simulate_support.h"

void setUp(void)
{
    error[0] = '\0';
}

void tearDown(void)
{
}

/* ---- machines ---- */

static void a_named_machine_is_what_hwloc_makes_of_its_description(void)
{
#if defined(HEIST_HAVE_HWLOC) && HEIST_HAVE_HWLOC
    const char *const names[] = {"laptop", "two-socket", "eight-node", "cluster"};
    for (unsigned i = 0; i < 4; i++) {
        heist__sim_machine named, described;
        const heist__sim_preset_machine *p = heist__sim_machines;
        while (strcmp(p->name, names[i]) != 0) p++;
        TEST_ASSERT_EQUAL_INT(0, heist__sim_machine_make(&named, names[i], NULL, error, sizeof error));
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__sim_machine_make(&described, p->description, NULL, error, sizeof error),
                                      error);
        const heist__machine *a = &named.topology, *b = &described.topology;
        TEST_ASSERT_EQUAL_UINT(a->pu_count, b->pu_count);
        TEST_ASSERT_EQUAL_UINT(a->node_count, b->node_count);
        for (unsigned pu = 0; pu < a->pu_count; pu++) {
            for (unsigned other = 0; other < a->pu_count; other += 7)
                TEST_ASSERT_EQUAL_UINT(heist__sim_level(&named, pu, other), heist__sim_level(&described, pu, other));
        }
        TEST_ASSERT_EQUAL_UINT32_ARRAY(a->spread_order, b->spread_order, a->pu_count);
        TEST_ASSERT_EQUAL_MEMORY(&named.costs, &described.costs, sizeof named.costs);
        heist__sim_machine_free(&named);
        heist__sim_machine_free(&described);
    }
#else
    TEST_IGNORE_MESSAGE("built without hwloc");
#endif
}

static void every_machine_has_a_source_and_costs(void)
{
    for (const heist__sim_preset_machine *p = heist__sim_machines; p->name; p++) {
        heist__sim_machine m;
        TEST_ASSERT_EQUAL_INT(0, heist__sim_machine_make(&m, p->name, NULL, error, sizeof error));
        TEST_ASSERT_TRUE(strlen(m.source) > 20);
        TEST_ASSERT_EQUAL_INT(strcmp(p->name, "free") == 0, heist__sim_costs_are_free(&m.costs));
        for (unsigned l = 1; l < HEIST__SIM_LEVELS; l++) TEST_ASSERT_TRUE(m.costs.steal[l] >= m.costs.steal[l - 1]);
        heist__sim_machine_free(&m);
    }
}

static void bad_machines_are_refused(void)
{
    const char *const bad[] = {"",
                               "pack:0",
                               "0 x laptop",
                               "5000 x laptop",
                               "200 x eight-node",
                               "/nowhere/machine.xml",
                               "no such machine",
                               "99999999999999999999 x laptop",
                               "3 x /nowhere.xml"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        heist__sim_machine m;
        error[0] = '\0';
        TEST_ASSERT_LESS_THAN_INT(0, heist__sim_machine_make(&m, bad[i], NULL, error, sizeof error));
        TEST_ASSERT_TRUE_MESSAGE(*error && !strchr(error, '\n'), bad[i]);
    }
    heist__sim_machine m;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__sim_machine_make(&m, "laptop", "abacus", error, sizeof error));
    TEST_ASSERT_EQUAL_STRING("no machine is called \"abacus\"", error);
}

/* ---- costs ---- */

static void costs_are_read_as_they_are_written(void)
{
    heist__sim_machine m;
    char text[2000], again[2000];
    TEST_ASSERT_EQUAL_INT(0, heist__sim_machine_make(&m, "eight-node", NULL, error, sizeof error));
    TEST_ASSERT_LESS_THAN_INT((int)sizeof text, heist__sim_costs_write(&m.costs, text, sizeof text));
    heist__sim_costs c = {0};
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__sim_costs_read(&c, text, "f", error, sizeof error), error);
    heist__sim_costs_write(&c, again, sizeof again);
    TEST_ASSERT_EQUAL_STRING(text, again);
    TEST_ASSERT_EQUAL_INT(0, heist__sim_costs_read(&c, "# a\n\nsteal 1 2.5 # b\n  wake\t7", "f", error, sizeof error));
    TEST_ASSERT_EQUAL_INT64(2500, c.steal[HEIST__SIM_NETWORK]); /* the last value serves the further levels */
    TEST_ASSERT_EQUAL_INT64(7000, c.wake);
    heist__sim_machine_free(&m);
}

static void bad_costs_are_refused_with_their_line(void)
{
    const char *const bad[][2] = {
        {"steal -1", "f:1: not nanoseconds from 0 to a day: \"-1\""},
        {"spawn 1\nstael 2", "f:2: there is no cost called: \"stael\""},
        {"spawn 1 2", "f:1: too many values for: \"spawn\""},
        {"look", "f:1: no value for: \"look\""},
        {"wake nan", "f:1: not nanoseconds from 0 to a day: \"nan\""},
        {"wake 1e30", "f:1: not nanoseconds from 0 to a day: \"1e30\""},
        {"smt 0", "f:1: smt is from 0.01 to 1: \"0\""},
        {"smt 1 1", "f:1: more than one value for: \"smt\""},
        {"roof x", "f:1: roof is from 0 to 65535: \"x\""},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        heist__sim_costs c = {0};
        TEST_ASSERT_EQUAL_INT(-EINVAL, heist__sim_costs_read(&c, bad[i][0], "f", error, sizeof error));
        TEST_ASSERT_EQUAL_STRING(bad[i][1], error);
    }
}

/* ---- programs ---- */

static void bad_programs_are_refused(void)
{
    const char *const bad[][2] = {
        {"fob", "--list has no program called: \"fob\""},
        {"", "--list has no program called: \"\""},
        {"fib:n", "an option of a program is key=value, not: \"n\""},
        {"fib:n=99", "n is from 0 to 45, not \"99\""},
        {"fib:n=-1", "n is from 0 to 45, not \"-1\""},
        {"fib:grain=1d", "grain is from 0 to 8.64e+13, not \"1d\""},
        {"uts:tree=T9", "tree is one of T1, T2, T3, T4, T5, T1L, T2L, T3L, T1S, T2S, T3S, T4S, T5S; not \"T9\""},
        {"loop:shape=round", "shape is one of constant, random, triangular, heavy; not \"round\""},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        heist__sim_program p;
        TEST_ASSERT_EQUAL_INT(-EINVAL, heist__sim_program_make(&p, bad[i][0], error, sizeof error));
        TEST_ASSERT_EQUAL_STRING(bad[i][1], error);
    }
    heist__sim_program p;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__sim_program_make(&p, "fib:m=3", error, sizeof error));
    TEST_ASSERT_NOT_NULL(strstr(error, "fib has no option \"m\""));
}

/* ---- DAGs ---- */

static heist__sim_result dag_on(const char *text, const char *machine, unsigned workers)
{
    heist__sim_machine m;
    heist__sim_program p;
    heist__sim_result r;
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__sim_dag_read(&p, text, "f.dag", error, sizeof error), error);
    TEST_ASSERT_EQUAL_INT(0, heist__sim_machine_make(&m, machine, NULL, error, sizeof error));
    heist__sim_settings s = with(workers, HEIST__STEAL_NEAR);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__sim_run(&r, &m, &p, &s, error, sizeof error), error);
    heist__sim_program_free(&p);
    heist__sim_machine_free(&m);
    return r;
}

static void a_diamond_takes_its_longest_path(void)
{
    const char *diamond = "# a diamond\nheist-dag 1\ntasks 4\n100\n\n250.5 0\n200 0 # the shorter\n100 1 2\n";
    heist__sim_result one = dag_on(diamond, "free", 1), two = dag_on(diamond, "free", 2);
    TEST_ASSERT_EQUAL_INT64(650500, one.time);
    TEST_ASSERT_EQUAL_INT64(450500, two.time);
    TEST_ASSERT_EQUAL_INT64(450500, two.span);
    TEST_ASSERT_EQUAL_UINT64(4, two.tasks);
    heist__sim_result_free(&one);
    heist__sim_result_free(&two);
}

/* Random DAGs: with free steals a greedy schedule, and never less than the longest path. */
static void random_dags_keep_the_bounds(void)
{
    heist__random random;
    heist__random_seed(&random, 5, 0);
    for (unsigned round = 0; round < 40; round++) {
        static char text[60000];
        const unsigned count = 2 + heist__random_below(&random, 300), workers = 1 + heist__random_below(&random, 12);
        size_t at = (size_t)sprintf(text, "heist-dag 1\ntasks %u\n", count);
        for (unsigned i = 0; i < count; i++) {
            at += (size_t)sprintf(text + at, "%u", heist__random_below(&random, 1000));
            for (unsigned e = heist__random_below(&random, 4); i > 0 && e > 0; e--)
                at += (size_t)sprintf(text + at, " %u", heist__random_below(&random, i));
            at += (size_t)sprintf(text + at, "\n");
        }
        heist__sim_result r = dag_on(text, "free", workers);
        TEST_ASSERT_EQUAL_UINT64(count, r.tasks);
        TEST_ASSERT_TRUE(r.time >= r.span && r.time * workers >= r.work);
        TEST_ASSERT_TRUE(r.time <= r.work / workers + r.span + 1);
        heist__sim_result_free(&r);
    }
}

static void bad_dags_are_refused_with_their_line(void)
{
    const char *const bad[][2] = {
        {"", "f.dag:1: not a DAG: \"heist-dag 1\" is missing"},
        {"heist-dag 2\ntasks 1\n1\n", "f.dag:1: the version of the format is not 1"},
        {"heist-dag 1\n", "f.dag:2: the number of tasks is missing"},
        {"heist-dag 1\ntasks 0\n", "f.dag:2: tasks is from 1 to 20000000"},
        {"heist-dag 1\ntasks 20000001\n", "f.dag:2: tasks is from 1 to 20000000"},
        {"heist-dag 1\ntasks 20000000\n1\n", "f.dag:2: the file ends before its last task"},
        {"heist-dag 1\ntasks 2\n1000\n", "f.dag:4: the file ends before its last task"},
        {"heist-dag 1\ntasks 2\n1\n2 1\n", "f.dag:4: a task waits for itself"},
        {"heist-dag 1\ntasks 2\n1\n2 7\n", "f.dag:4: not the number of a task"},
        {"heist-dag 1\ntasks 2\n1\n-2 0\n", "f.dag:4: a task begins with its nanoseconds, from 0 to a day"},
        {"heist-dag 1\ntasks 2\n1\ninf\n", "f.dag:4: a task begins with its nanoseconds, from 0 to a day"},
        {"heist-dag 1\ntasks 2\n1\n2\n3\n", "f.dag:5: more lines than tasks"},
        {"heist-dag 1\ntasks 3\n1\n2 2\n3 1\n", "f.dag: tasks wait for each other in a circle"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        heist__sim_program p;
        TEST_ASSERT_EQUAL_INT_MESSAGE(-EINVAL, heist__sim_dag_read(&p, bad[i][0], "f.dag", error, sizeof error),
                                      bad[i][0]);
        TEST_ASSERT_EQUAL_STRING(bad[i][1], error);
    }
}

/* ---- the command line ---- */

static heist__sim_reading reading(heist__sim_command *c, const char *a, const char *b, const char *d)
{
    const char *arguments[] = {"heist-sim", a, b, d, NULL};
    int count = 1;
    while (count < 4 && arguments[count]) count++;
    return heist__sim_command_read(c, count, (char **)(uintptr_t)arguments, error, sizeof error);
}

static void a_command_is_read(void)
{
    heist__sim_command c;
    TEST_ASSERT_EQUAL_INT(HEIST__SIM_GO_ON, reading(&c, "--workers=1,4096", "--strategy=adaptive", "fib"));
    TEST_ASSERT_EQUAL_UINT(2, c.counts);
    TEST_ASSERT_EQUAL_UINT(4096, c.workers[1]);
    TEST_ASSERT_EQUAL_INT(HEIST__STEAL_ADAPTIVE, c.settings.strategy);
    TEST_ASSERT_EQUAL_STRING("fib", c.program);
}

static void bad_commands_are_refused(void)
{
    const char *const bad[][4] = {
        {NULL, NULL, NULL, "no program; try --help"},
        {"fib", "tree", NULL, "more than one program: \"tree\""},
        {"--bogus", NULL, NULL, "unknown option: \"--bogus\""},
        {"--workers", NULL, NULL, "a value is missing behind: \"--workers\""},
        {"--workers=0", "fib", NULL, "--workers cannot be \"0\""},
        {"--workers=4097", "fib", NULL, "--workers cannot be \"4097\""},
        {"--workers=1,,2", "fib", NULL, "--workers cannot be \"1,,2\""},
        {"--workers=1,", "fib", NULL, "--workers cannot be \"1,\""},
        {"--strategy=best", "fib", NULL, "--strategy cannot be \"best\""},
        {"--seed=-1", "fib", NULL, "--seed cannot be \"-1\""},
        {"--runs=0", "fib", NULL, "--runs cannot be \"0\""},
        {"--preset=none", NULL, NULL, "--preset cannot be \"none\""},
        {"--preset=basic", "fib", NULL, "a preset has its own program"},
        {"--preset=basic", "--runs=2", NULL,
         "a preset has one strategy and one number of workers, and no --runs, --what-if, --limits or --timeline: "
         "\"basic\""},
        {"--preset=basic", "--workers=1,2", NULL,
         "a preset has one strategy and one number of workers, and no --runs, --what-if, --limits or --timeline: "
         "\"basic\""},
        {"--limits", "f.dag", NULL, "--limits is for programs with a grain, not for: \"f.dag\""},
        {"--limits", "gemm:n=100", NULL, "--limits is for programs with a grain, not for: \"gemm:n=100\""},
        {"--most-events=0", "fib", NULL, "--most-events cannot be \"0\""},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        heist__sim_command c;
        TEST_ASSERT_EQUAL_INT(HEIST__SIM_BAD, reading(&c, bad[i][0], bad[i][1], bad[i][2]));
        TEST_ASSERT_EQUAL_STRING(bad[i][3], error);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_named_machine_is_what_hwloc_makes_of_its_description);
    RUN_TEST(every_machine_has_a_source_and_costs);
    RUN_TEST(bad_machines_are_refused);
    RUN_TEST(costs_are_read_as_they_are_written);
    RUN_TEST(bad_costs_are_refused_with_their_line);
    RUN_TEST(bad_programs_are_refused);
    RUN_TEST(a_diamond_takes_its_longest_path);
    RUN_TEST(random_dags_keep_the_bounds);
    RUN_TEST(bad_dags_are_refused_with_their_line);
    RUN_TEST(a_command_is_read);
    RUN_TEST(bad_commands_are_refused);
    return UNITY_END();
}
