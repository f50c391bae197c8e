/* The problem enter: its sizes, the meaning of its figures, that heist does all of its shapes, and that the check finds
 * a runtime which leaves work out, does it twice or returns too early. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "apps/enter/enter.h"

volatile bool perf_interrupted; /* the harness's, in its programs */

extern const struct perf_workload perf_enter_workload;
extern const struct perf_implementation perf_enter_heist;

static struct perf_outcome outcome;
static struct enter e;
static char error[300];

void setUp(void)
{
    memset(&outcome, 0, sizeof outcome);
    perf_interrupted = false;
}

void tearDown(void)
{
}

/* ---- a runtime that does it right, in this very thread ---- */

static void run_right(struct enter *enter)
{
    enter_left(enter);
    enter_right(enter);
}

static void loop_right(struct enter *enter)
{
    for (int64_t i = 0; i < enter->n; i++) enter_iteration(enter, i);
}

static void inside_right(void (*measure)(struct enter *), struct enter *enter)
{
    measure(enter);
}

static int fib_right(void)
{
    return 144;
}

static const struct enter_calls right = {run_right, loop_right, run_right, loop_right, inside_right, fib_right};

static void prepare(const char *size, const char *from, const char *state, const char *callers)
{
    const char *settings[] = {"from", from, "state", state, "callers", callers, NULL};
    struct perf_input input = {size, 2, settings};
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, enter_prepare(&input, &e, error, sizeof error), error);
    e.turns = 1; /* not the first: nothing waits for an idle pool here */
}

static const char *verdict(const char *size, const char *from, const struct enter_calls *calls)
{
    prepare(size, from, "hot", "2");
    enter_turn(&e, calls);
    enter_check(&e, &outcome);
    enter_discard(&e);
    return outcome.check;
}

static void every_shape_that_is_done_right_is_ok(void)
{
    TEST_ASSERT_EQUAL_STRING("ok", verdict("run:30", "outside", &right));
    TEST_ASSERT_EQUAL_STRING("ok", verdict("run:30", "inside", &right));
    TEST_ASSERT_EQUAL_STRING("ok", verdict("loop-2:30", "outside", &right));
    TEST_ASSERT_EQUAL_STRING("ok", verdict("loop-2:30", "inside", &right));
    TEST_ASSERT_EQUAL_STRING("ok", verdict("callers:30", "outside", &right));
}

/* ---- and such that do not: each goes wrong in one piece of many ---- */

static long pieces_done;

static bool is_the_bad_one(void)
{
    return ++pieces_done == 7;
}

static void loop_without_its_last(struct enter *enter)
{
    int64_t end = enter->n - is_the_bad_one();
    for (int64_t i = 0; i < end; i++) enter_iteration(enter, i);
}

static void loop_with_one_twice(struct enter *enter)
{
    loop_right(enter);
    if (is_the_bad_one()) enter_iteration(enter, 0);
}

/* What is left out once and done twice later is still wrong. */
static void loop_that_makes_up_for_it(struct enter *enter)
{
    bool bad = is_the_bad_one();
    for (int64_t i = bad; i < enter->n; i++) enter_iteration(enter, i);
    if (pieces_done == 8) enter_iteration(enter, 0);
}

static void run_without_its_child(struct enter *enter)
{
    if (!is_the_bad_one()) enter_left(enter);
    enter_right(enter);
}

static int wrong_fib(void)
{
    return __atomic_add_fetch(&pieces_done, 1, __ATOMIC_RELAXED) == 7 ? 143
                                                                      : 144; /* relaxed: any thread may be wrong */
}

static void work_that_is_left_out_or_done_twice_is_not_ok(void)
{
    void (*const loops[])(struct enter *) = {loop_without_its_last, loop_with_one_twice, loop_that_makes_up_for_it};
    for (int i = 0; i < 3; i++) {
        struct enter_calls calls = right;
        calls.loop = calls.loop_inside = loops[i];
        for (int from = 0; from < 2; from++) {
            pieces_done = 0;
            TEST_ASSERT_NOT_EQUAL(0, strcmp("ok", verdict("loop-1:30", from ? "inside" : "outside", &calls)));
        }
    }
    struct enter_calls calls = right;
    calls.run = calls.run_inside = run_without_its_child;
    pieces_done = 0;
    TEST_ASSERT_NOT_EQUAL(0, strcmp("ok", verdict("run:30", "outside", &calls)));
    pieces_done = 0;
    TEST_ASSERT_NOT_EQUAL(0, strcmp("ok", verdict("run:30", "inside", &calls)));
    calls.fib = wrong_fib;
    pieces_done = 0;
    TEST_ASSERT_EQUAL_STRING("wrong results: 1, not 0", verdict("callers:30", "outside", &calls));
}

static void do_nothing(void (*measure)(struct enter *), struct enter *enter)
{
    (void)measure;
    (void)enter;
}

static void pieces_that_were_never_begun_are_not_ok(void)
{
    struct enter_calls calls = right;
    calls.inside = do_nothing;
    TEST_ASSERT_NOT_EQUAL(0, strcmp("ok", verdict("loop-1:30", "inside", &calls)));
    TEST_ASSERT_NOT_EQUAL(0, strcmp("ok", verdict("run:30", "inside", &calls)));
}

static void an_interrupted_turn_says_so(void)
{
    perf_interrupted = true;
    TEST_ASSERT_EQUAL_STRING("interrupted", verdict("loop-1:30", "outside", &right));
    TEST_ASSERT_EQUAL_STRING("interrupted", verdict("callers:30", "outside", &right));
}

/* ---- the meaning of the figures ---- */

/* A number of the row; -1: it has none. */
static long told(const char *name)
{
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = strstr(outcome.more, quoted);
    return at ? atol(at + strlen(quoted)) : -1;
}

static void percentiles_are_of_all_turns(void)
{
    prepare("run:100", "outside", "hot", "1");
    e.clock_ns = 0;
    enter_begin_turn(&e);
    for (uint64_t i = 0; i < 100; i++) enter_keep(&e, &e.times, 0, 101 + i); /* 101 to 200 */
    e.turns = 2;
    enter_check(&e, &outcome);
    TEST_ASSERT_EQUAL_UINT64(150, outcome.ns);
    enter_begin_turn(&e);
    for (uint64_t i = 0; i < 100; i++) enter_keep(&e, &e.times, 0, 100 - i); /* 1 to 100, the longest first */
    enter_check(&e, &outcome);
    TEST_ASSERT_EQUAL_UINT64(50, outcome.ns); /* of the last turn alone */
    TEST_ASSERT_EQUAL_INT(200, told("samples"));
    TEST_ASSERT_EQUAL_INT(20, told("p10_ns"));
    TEST_ASSERT_EQUAL_INT(180, told("p90_ns"));
    TEST_ASSERT_TRUE(outcome.of_all_runs);
    enter_discard(&e);
}

static void the_first_turn_warms_up_and_is_not_counted(void)
{
    prepare("loop-1:40", "outside", "hot", "1");
    enter_turn(&e, &right); /* the second: prepare said that one had been */
    enter_check(&e, &outcome);
    TEST_ASSERT_EQUAL_INT(40, told("samples"));
    enter_discard(&e);
    prepare("loop-1:40", "outside", "hot", "1");
    e.turns = 0;
    for (long turn = 0; turn < 3; turn++) {
        enter_turn(&e, &right);
        enter_check(&e, &outcome);
        TEST_ASSERT_EQUAL_STRING("ok", outcome.check);
        TEST_ASSERT_EQUAL_INT(turn ? turn * 40 : -1, told("samples"));
        TEST_ASSERT_TRUE(told("idle_late_cpu_ns") >= 0 && told("idle_late_cpu_ns") <= told("idle_cpu_ns"));
    }
    TEST_ASSERT_TRUE(told("work_ns") > 0);
    enter_discard(&e);
}

static void the_time_of_the_clock_is_taken_off(void)
{
    prepare("run:1", "outside", "hot", "1");
    e.clock_ns = 20;
    enter_begin_turn(&e);
    enter_keep(&e, &e.times, 1000, 1150);
    TEST_ASSERT_EQUAL_UINT64(130, e.times.ns[0]);
    enter_begin_turn(&e);
    enter_keep(&e, &e.times, 1000, 1020); /* never 0: the harness would take the whole run's time */
    TEST_ASSERT_EQUAL_UINT64(1, e.times.ns[1]);
    enter_discard(&e);
}

static void after_a_pause_there_are_fewer_pieces_each_with_its_pause(void)
{
    prepare("loop-1:40", "outside", "cold", "1");
    TEST_ASSERT_EQUAL_INT(6, e.pieces);
    uint64_t began = enter_now();
    enter_turn(&e, &right);
    TEST_ASSERT_TRUE(enter_now() - began >= 6 * 2500000u);
    enter_check(&e, &outcome);
    TEST_ASSERT_EQUAL_STRING("ok", outcome.check);
    TEST_ASSERT_NOT_NULL(strstr(outcome.more, "\"shape\":\"loop\",\"from\":\"outside\",\"state\":\"cold\""));
    enter_discard(&e);
}

/* ---- heist ---- */

static void heist_does(const char *size, const char *from, const char *state, const char *callers)
{
    const char *settings[] = {"from", from, "state", state, "callers", callers, NULL};
    struct perf_input input = {size, 2, settings};
    void *state_of = NULL;
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, perf_enter_heist.prepare(&input, &state_of, error, sizeof error), error);
    for (int turn = 0; turn < 2; turn++) {
        perf_enter_heist.run(state_of);
        memset(&outcome, 0, sizeof outcome);
        perf_enter_heist.check(state_of, &outcome);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", outcome.check, size);
        TEST_ASSERT_TRUE(outcome.ns > 0);
    }
    perf_enter_heist.discard(state_of);
}

static void heist_does_every_shape(void)
{
    heist_does("run:20", "outside", "hot", "1");
    heist_does("run:20", "inside", "hot", "1");
    heist_does("run:20", "outside", "cold", "1");
    heist_does("loop-3:20", "outside", "hot", "1");
    heist_does("loop-3:20", "inside", "cold", "1");
    heist_does("callers:20", "outside", "hot", "1");
    heist_does("callers:20", "outside", "hot", "3");
    heist_does("spawned:20", "inside", "hot", "1");
    TEST_ASSERT_EQUAL_INT(-1, told("futex_ns"));
    heist_does("spawned:20", "inside", "cold", "1");
    TEST_ASSERT_TRUE(told("futex_ns") > 0);
}

static void a_spawned_task_wants_two_workers(void)
{
    const char *settings[] = {"from", "inside", "state", "hot", "callers", "1", NULL};
    struct perf_input input = {"spawned", 1, settings};
    void *state_of = NULL;
    TEST_ASSERT_EQUAL_INT(-ENOTSUP, perf_enter_heist.prepare(&input, &state_of, error, sizeof error));
    TEST_ASSERT_EQUAL_STRING("spawned wants at least 2 workers", error);
}

/* ---- the help texts of the workload ---- */

static void sizes_say_shape_work_and_pieces(void)
{
    struct enter_size size;
    TEST_ASSERT_EQUAL_INT(0, enter_read_size("loop-209:50", &size, error, sizeof error));
    TEST_ASSERT_EQUAL_INT(ENTER_LOOP, size.shape);
    TEST_ASSERT_EQUAL_INT(209, size.microseconds);
    TEST_ASSERT_EQUAL_INT(50, size.pieces);
    TEST_ASSERT_EQUAL_INT(0, enter_read_size("spawned", &size, error, sizeof error));
    TEST_ASSERT_EQUAL_INT(ENTER_SPAWNED, size.shape);
    TEST_ASSERT_EQUAL_INT(400, size.pieces);
    const char *const bad[] = {
        "",      "loop",      "loop-",      "loop-0",      "loop-x",
        "run-3", "runs",      "run:",       "run:0",       "run:x",
        ":3",    "callers-2", "loop-3:4:5", "loop-100001", "a-very-long-shape-that-is-none-of-ours-at-all"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error[0] = '\0';
        TEST_ASSERT_EQUAL_INT_MESSAGE(-EINVAL, perf_enter_workload.valid_size(bad[i], error, sizeof error), bad[i]);
        TEST_ASSERT_NOT_EQUAL(0, strlen(error));
    }
}

static bool matters(const char *option, const char *size)
{
    for (const struct perf_option *o = perf_enter_workload.options; o->name; o++)
        if (strcmp(o->name, option) == 0) return o->matters(size);
    TEST_FAIL_MESSAGE(option);
    return false;
}

static void options_matter_to_the_shapes_that_have_them(void)
{
    TEST_ASSERT_TRUE(matters("from", "run") && matters("from", "loop-3:10"));
    TEST_ASSERT_FALSE(matters("from", "callers") || matters("from", "spawned:7"));
    TEST_ASSERT_TRUE(matters("state", "run") && matters("state", "loop-3") && matters("state", "spawned"));
    TEST_ASSERT_FALSE(matters("state", "callers"));
    TEST_ASSERT_TRUE(matters("callers", "callers:9"));
    TEST_ASSERT_FALSE(matters("callers", "run") || matters("callers", "loop-3") || matters("callers", "spawned"));
    TEST_ASSERT_TRUE(perf_enter_workload.has("spawned", "heist") && perf_enter_workload.has("callers", "tbb"));
    TEST_ASSERT_FALSE(perf_enter_workload.has("spawned:3", "tbb"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_shape_that_is_done_right_is_ok);
    RUN_TEST(work_that_is_left_out_or_done_twice_is_not_ok);
    RUN_TEST(pieces_that_were_never_begun_are_not_ok);
    RUN_TEST(an_interrupted_turn_says_so);
    RUN_TEST(percentiles_are_of_all_turns);
    RUN_TEST(the_first_turn_warms_up_and_is_not_counted);
    RUN_TEST(the_time_of_the_clock_is_taken_off);
    RUN_TEST(after_a_pause_there_are_fewer_pieces_each_with_its_pause);
    RUN_TEST(heist_does_every_shape);
    RUN_TEST(a_spawned_task_wants_two_workers);
    RUN_TEST(sizes_say_shape_work_and_pieces);
    RUN_TEST(options_matter_to_the_shapes_that_have_them);
    return UNITY_END();
}
