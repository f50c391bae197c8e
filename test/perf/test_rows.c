/* The part of rows about the cores of a runtime, from made-up times; and the count of the cores of other programs, from
 * processes that compute. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <unity.h>

#include "harness/others.h"
#include "harness/row.h"

/* The build's tables for command.c and help.c: empty. */
const struct perf_workload *const perf_workloads[] = {NULL};
const struct perf_offer perf_offers[] = {{NULL, NULL, NULL}};
const struct perf_runtime perf_runtimes[] = {{NULL, NULL}};
const struct perf_contest perf_contests[] = {{NULL, NULL}};

void setUp(void)
{
}

void tearDown(void)
{
    perf_release();
}

/* ---- rows ---- */

static const struct perf_workload workload = {.name = "made-up"};
static const struct perf_offer offer = {"made-up", "heist", NULL};

/* The row of one worker that took 1 ms, 1 ms and 2 ms, in a machine of one core. */
static struct perf_row row_of(struct perf_cell *cell, uint64_t cpu_ns, double others)
{
    static uint64_t ns[] = {1000000, 1000000, 2000000};
    static struct perf_cell *cells[1];
    static const struct perf_command command = {.usual_workers = 1};
    struct perf_rows rows;
    *cell = (struct perf_cell){.workload = &workload,
                               .offer = &offer,
                               .size = "1",
                               .workers = 1,
                               .begun = true,
                               .runs = 3,
                               .ns = ns,
                               .cpu_ns = cpu_ns,
                               .others = others,
                               .check = "ok"};
    cells[0] = cell;
    perf_make_rows(&rows, &(struct perf_plan){cells, 1}, &command);
    return rows.rows[0];
}

static void a_row_with_its_core_is_not_flagged(void)
{
    struct perf_cell cell;
    struct perf_row row = row_of(&cell, 950000, 1.5);
    TEST_ASSERT_TRUE(row.cores > 0.949 && row.cores < 0.951);
    TEST_ASSERT_TRUE(row.wanted == 1);
    TEST_ASSERT_FALSE(row.denied);
}

static void a_row_with_half_a_core_while_others_had_one_is_flagged(void)
{
    struct perf_cell cell;
    TEST_ASSERT_TRUE(row_of(&cell, 500000, 1.0).denied);
    TEST_ASSERT_TRUE(row_of(&cell, 890000, 0.1).denied);
}

static void a_row_with_half_a_core_on_an_idle_machine_slept_by_itself(void)
{
    struct perf_cell cell;
    TEST_ASSERT_FALSE(row_of(&cell, 500000, 0.05).denied);
    TEST_ASSERT_FALSE(row_of(&cell, 500000, -1).denied);
}

static void without_a_cpu_time_nothing_is_said(void)
{
    struct perf_cell cell;
    char text[100];
    struct perf_row row = row_of(&cell, 0, -1);
    TEST_ASSERT_FALSE(row.denied);
    TEST_ASSERT_TRUE(row.cores == 0);
    perf_row_text(&row, PERF_CPU_NS, text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("", text);
    perf_row_text(&row, PERF_OTHERS, text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("", text);
}

static void cpu_time_and_others_are_told(void)
{
    struct perf_cell cell;
    char text[100];
    struct perf_row row = row_of(&cell, 123456, 0.256);
    perf_row_text(&row, PERF_CPU_NS, text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("123456", text);
    perf_row_text(&row, PERF_OTHERS, text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("0.26", text);
}

/* ---- others ---- */

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A process that computes for so long: by the clock, or, with `cpu`, in CPU time; then, if told to, waits to be
 * killed. */
static pid_t computing(double how_long, clockid_t clock, bool stays)
{
    pid_t child = fork();
    if (child != 0) return child;
    double end = seconds(clock) + how_long;
    while (seconds(clock) < end) {
    }
    while (stays) pause();
    _exit(0);
}

static double cpu_seconds_of_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void what_we_do_ourselves_is_not_done_by_others(void)
{
    cpu_set_t cpus;
    pid_t children[CPU_SETSIZE];
    TEST_ASSERT_EQUAL_INT(0, sched_getaffinity(0, sizeof cpus, &cpus));
    int count = CPU_COUNT(&cpus);
    struct perf_since begin = perf_since_now();
    double wall = seconds(CLOCK_MONOTONIC), own = cpu_seconds_of_children();
    for (int i = 0; i < count; i++) children[i] = computing(0.5, CLOCK_MONOTONIC, false);
    for (int i = 0; i < count; i++) waitpid(children[i], NULL, 0);
    double others = perf_others(&begin, &begin);
    wall = seconds(CLOCK_MONOTONIC) - wall;
    own = cpu_seconds_of_children() - own;
    /* On a busy machine this process had less, and others more: the sum is at most the capacity. A tick for each CPU
     * and end. */
    TEST_ASSERT_TRUE(others + own / wall <= count * (1 + 0.02 / wall) + 0.05);
}

static void what_another_process_does_is_done_by_others(void)
{
    struct perf_since begin = perf_since_now();
    double wall = seconds(CLOCK_MONOTONIC);
    pid_t stranger = computing(0.4, CLOCK_PROCESS_CPUTIME_ID, true); /* not ours until it is waited for */
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)stranger);
    for (char state = 'R'; state != 'S';) { /* until it waits */
        FILE *file = fopen(path, "re");
        TEST_ASSERT_NOT_NULL(file);
        if (fgets(line, sizeof line, file)) state = strrchr(line, ')')[2];
        fclose(file);
        usleep(10000);
    }
    double others = perf_others(&begin, &begin);
    wall = seconds(CLOCK_MONOTONIC) - wall;
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
    TEST_ASSERT_TRUE(others * wall > 0.25);
}

static void of_a_moment_nothing_is_known(void)
{
    struct perf_since begin = perf_since_now();
    begin.wall += 10; /* as if no time had passed, however slow we are */
    TEST_ASSERT_TRUE(perf_others(&begin, &begin) < 0);
}

static void where_a_moment_is_too_short_the_time_before_it_counts(void)
{
    struct perf_since before = perf_since_now(), begin = before;
    begin.wall += 10;
    before.wall -= 1;
    TEST_ASSERT_TRUE(perf_others(&begin, &before) >= 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_row_with_its_core_is_not_flagged);
    RUN_TEST(a_row_with_half_a_core_while_others_had_one_is_flagged);
    RUN_TEST(a_row_with_half_a_core_on_an_idle_machine_slept_by_itself);
    RUN_TEST(without_a_cpu_time_nothing_is_said);
    RUN_TEST(cpu_time_and_others_are_told);
    RUN_TEST(what_we_do_ourselves_is_not_done_by_others);
    RUN_TEST(what_another_process_does_is_done_by_others);
    RUN_TEST(of_a_moment_nothing_is_known);
    RUN_TEST(where_a_moment_is_too_short_the_time_before_it_counts);
    return UNITY_END();
}
