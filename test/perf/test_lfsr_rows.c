/* The shift register's bad input, the contents of its rows, and Ctrl-C. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <unity.h>

#include "apps/lfsr/census.h"
#include "lfsr_sample.h"

extern const struct perf_workload perf_lfsr_workload;

/* ---- bad input ---- */

static void bad_polynomials_are_refused_with_a_sentence(void)
{
    static const struct {
        const char *text, *field, *sentence;
    } bad[] = {
        {"0x1052", "2", "without constant term"},
        {"1020", "3", "without constant term"},
        {"0x1", "2", "no power of x"},
        {"0x0", "2", "no power of x"},
        {"1", "3", "no power of x"},
        {"", "3", "no power of x"},
        {"0x", "2", "not a number"},
        {"0x-13", "2", "not a number"},
        {"0x 13", "2", "not a number"},
        {"0x0x13", "2", "not a number"},
        {"0x13g", "2", "not a number"},
        {"0x20000000001", "2", "too high a degree"},
        {"0x1ffffffffffffffffffff", "2", "not a number"},
        {"12a1z", "13", "neither"},
        {"1031", "3", "not in GF(3)"},
        {"2021", "3", "is not monic"},
        {"0x13", "3", "is of GF(2)"},
        {"100001", "2", "is of degree 5, and the size 4"},
        {"111111111111111111111111111111111111111111", "2", "too high a degree"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct choice choice = {.size = "4", .poly = bad[i].text, .field = bad[i].field};
        char error[200] = "";
        void *state;
        TEST_ASSERT_EQUAL_MESSAGE(-EINVAL, prepare(&perf_lfsr_serial, &choice, &state, error, sizeof error),
                                  bad[i].text);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error, bad[i].sentence), error);
    }
}

static int valid(const char *name, const char *value, char *error, size_t room)
{
    for (const struct perf_option *option = perf_lfsr_workload.options; option->name; option++)
        if (strcmp(option->name, name) == 0) return option->valid(value, error, room);
    TEST_FAIL_MESSAGE(name);
    return 0;
}

static void options_are_checked_one_by_one(void)
{
    static const char *const good[][2] = {
        {"mode", "static"}, {"mode", "shared"},      {"mode", "steal"},        {"mode", "hybrid"},
        {"mode", "auto"},   {"mode", "static"},      {"batch-size", "auto"},   {"batch-size", "100"},
        {"aggregate", "4"}, {"poly", "0x1053"},      {"poly", "auto"},         {"poly", "1021"},
        {"field", "31"},    {"algorithm", "stream"}, {"algorithm", "algebra"},
    };
    static const char *const bad[][2] = {
        {"mode", "serial"},  {"mode", ""},         {"mode", "static, shared"},
        {"batch-size", "0"}, {"batch-size", "-1"}, {"aggregate", "x"},
        {"poly", "0x1052"},  {"poly", "x"},        {"field", "4"},
        {"field", "1"},      {"field", "37"},      {"algorithm", "brute"},
    };
    char error[200];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        TEST_ASSERT_EQUAL_MESSAGE(0, valid(good[i][0], good[i][1], error, sizeof error), good[i][1]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        error[0] = '\0';
        TEST_ASSERT_EQUAL_MESSAGE(-EINVAL, valid(bad[i][0], bad[i][1], error, sizeof error), bad[i][1]);
        TEST_ASSERT_TRUE(strlen(error) > 10);
    }
    TEST_ASSERT_EQUAL(0, perf_lfsr_workload.valid_size("28", error, sizeof error));
    TEST_ASSERT_EQUAL(-EINVAL, perf_lfsr_workload.valid_size("41", error, sizeof error));
    TEST_ASSERT_EQUAL(-EINVAL, perf_lfsr_workload.valid_size("0", error, sizeof error));
}

static void too_many_states_and_what_does_not_go_together_is_refused(void)
{
    static const struct choice bad[] = {
        {.size = "30", .field = "3"},
        {.size = "22", .field = "5"},
        {.size = "8", .field = "3", .algorithm = "stream"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char error[200] = "";
        void *state;
        TEST_ASSERT_EQUAL(-EINVAL, prepare(&perf_lfsr_heist, &bad[i], &state, error, sizeof error));
        TEST_ASSERT_TRUE(strlen(error) > 10);
    }
    struct choice serial_only = {.size = "8", .algorithm = "algebra"};
    char error[200] = "";
    void *state;
    TEST_ASSERT_EQUAL(-ENOTSUP, prepare(&perf_lfsr_heist, &serial_only, &state, error, sizeof error));
}

/* ---- the contents of rows ---- */

static void a_wrong_result_is_told(void)
{
    struct choice choice = {.size = "12"};
    static struct perf_outcome outcome;
    char error[200];
    void *state;
    TEST_ASSERT_EQUAL(0, prepare(&perf_lfsr_serial, &choice, &state, error, sizeof error));
    struct lfsr_census *census = state;
    census->expected.of[1].length = 4094;
    run_once(&perf_lfsr_serial, state, &outcome);
    perf_lfsr_serial.discard(state);
    TEST_ASSERT_EQUAL_STRING("found 1x1, 1x4095, but there are 1x1, 1x4094", outcome.check);
}

static int processors(void)
{
    cpu_set_t ours;
    return sched_getaffinity(0, sizeof ours, &ours) ? 0 : CPU_COUNT(&ours);
}

static void a_row_has_mode_batch_balance_and_overhead(void)
{
    struct choice choice = {.size = "14", .mode = "shared", .batch = "100", .workers = 2};
    static struct perf_outcome outcome;
    char error[200];
    void *state;
    TEST_ASSERT_EQUAL(0, prepare(&perf_lfsr_heist, &choice, &state, error, sizeof error));
    for (int i = 0; i < 2; i++) {
        double balance = 0, overhead = -1;
        run_once(&perf_lfsr_heist, state, &outcome);
        TEST_ASSERT_EQUAL_UINT64(164, outcome.tasks); /* batches of 2^14 states */
        TEST_ASSERT_NOT_NULL(
            strstr(outcome.more, "\"mode\":\"shared\",\"batch_size\":\"100\",\"batch\":100,\"balance\":"));
        TEST_ASSERT_EQUAL(1, sscanf(strstr(outcome.more, "\"balance\":"), "\"balance\":%lf", &balance));
        TEST_ASSERT_TRUE(balance >= 1 && balance <= 2);
        if (processors() < 2) continue;
        TEST_ASSERT_NOT_NULL(strstr(outcome.more, "\"overhead\":"));
        TEST_ASSERT_EQUAL(1, sscanf(strstr(outcome.more, "\"overhead\":"), "\"overhead\":%lf", &overhead));
        TEST_ASSERT_TRUE(overhead >= 0 && overhead <= 1);
    }
    perf_lfsr_heist.discard(state);
}

/* One worker does all of a timed run; two share a metered one evenly. */
static void half_when_metered(void *runtime, struct lfsr_census *census, uint64_t unit)
{
    uint64_t half = census->reg.states / 2;
    (void)runtime;
    (void)unit;
    lfsr_batch(census, 0, 0, half);
    lfsr_batch(census, census->metered ? 1 : 0, half, census->reg.states);
}

/* The overhead in the row after one timed run on so many processors; below 0: none. */
static void tell_balance_and_overhead(unsigned processors, double *balance, double *overhead)
{
    struct choice choice = {.size = "14", .mode = "static", .workers = 2};
    static struct perf_outcome outcome;
    char error[200];
    void *state;
    TEST_ASSERT_EQUAL(0, prepare(&perf_lfsr_serial, &choice, &state, error, sizeof error));
    struct lfsr_census *census = state;
    census->mode = LFSR_STATIC;
    census->loop = half_when_metered;
    census->processors = processors;
    run_once(&perf_lfsr_serial, state, &outcome);
    const char *at = strstr(outcome.more, "\"overhead\":");
    *overhead = -1;
    TEST_ASSERT_EQUAL(1, sscanf(strstr(outcome.more, "\"balance\":"), "\"balance\":%lf", balance));
    if (at) TEST_ASSERT_EQUAL(1, sscanf(at, "\"overhead\":%lf", overhead));
    perf_lfsr_serial.discard(state);
}

static void balance_and_overhead_are_of_the_same_run(void)
{
    double balance, overhead;
    tell_balance_and_overhead(2, &balance, &overhead);
    TEST_ASSERT_TRUE(overhead >= 0 && overhead <= 1);
    TEST_ASSERT_TRUE_MESSAGE(balance < 1.5, "it is that of the timed run");
}

static void where_workers_share_processors_nothing_is_said_of_overhead(void)
{
    double balance, overhead;
    tell_balance_and_overhead(1, &balance, &overhead);
    TEST_ASSERT_TRUE(overhead < 0);
    TEST_ASSERT_TRUE_MESSAGE(balance > 1.9, "it is that of the timed run: there is no other");
}

static void the_answer_ends_where_its_room_ends(void)
{
    struct lfsr_cycles cycles = {0};
    char text[30];
    for (uint64_t i = 0; i < LFSR_MOST_LENGTHS; i++) lfsr_cycles_add(&cycles, 1000 - i, 1);
    TEST_ASSERT_FALSE(cycles.overflow);
    for (size_t i = 1; i < cycles.lengths; i++) TEST_ASSERT_TRUE(cycles.of[i - 1].length < cycles.of[i].length);
    lfsr_cycles_text(&cycles, text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("1x801, 1x802, 1x803 ...", text);
    TEST_ASSERT_TRUE(lfsr_cycles_json(&cycles, text, sizeof text) >= sizeof text);
    lfsr_cycles_add(&cycles, 1000, 1);
    TEST_ASSERT_FALSE(cycles.overflow);
    lfsr_cycles_add(&cycles, 2000, 1);
    TEST_ASSERT_TRUE(cycles.overflow);
    TEST_ASSERT_FALSE(lfsr_cycles_equal(&cycles, &cycles));
}

static const char *below(const char *size, const char *check, const char *more)
{
    static char line[1000];
    static struct perf_outcome outcome;
    snprintf(outcome.check, sizeof outcome.check, "%s", check);
    snprintf(outcome.more, sizeof outcome.more, "%s", more);
    return perf_lfsr_workload.below(size, &outcome, line, sizeof line) ? line : NULL;
}

static void the_cycles_are_told_below_the_table(void)
{
    TEST_ASSERT_EQUAL_STRING("Cycles of 0x45ed (14 cells over GF(2)): 1 of length 1, 5 of 51, 1 of 63, 15 of 1071",
                             below("14", "ok",
                                   "\"mode\":\"steal\",\"field\":2,\"poly\":\"0x45ed\",\"cycles\":[[1,1],[5,51],[1,63],"
                                   "[15,1071]]"));
    TEST_ASSERT_EQUAL_STRING(
        "Cycles of 1021 (3 cells over GF(3)), found before the interruption: 1 of length 1",
        below("3", "interrupted after 2 of 27 states", "\"field\":3,\"poly\":\"1021\",\"cycles\":[[1,1]]"));
    char many[LFSR_MOST_LENGTHS * 16] = "\"field\":2,\"poly\":\"0x45ed\",\"cycles\":[[1,1]";
    for (int i = 2; i <= LFSR_MOST_LENGTHS; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ",[2,%d]", i);
    const char *line = below("14", "ok", strcat(many, "]"));
    TEST_ASSERT_NOT_NULL(line);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(line, "2 of 12 ... and 188 more lengths up to 200; 399 cycles in all"), line);
    TEST_ASSERT_NULL(below("14", "ok", "")); /* too much for its room, or never run */
    TEST_ASSERT_NULL(below("14", "found 1x1", "\"field\":2,\"poly\":\"0x45ed\",\"cycles\":[[1,1]]"));
}

/* ---- Ctrl-C ---- */

static void *interrupt_soon(void *unused)
{
    struct timespec pause = {0, 20000000};
    (void)unused;
    nanosleep(&pause, NULL);
    __atomic_store_n(&perf_interrupted, true, __ATOMIC_RELAXED);
    return NULL;
}

static void an_interrupted_run_ends_and_tells_how_far_it_came(void)
{
    for (size_t m = 0; m < 6; m++) { /* 2^40 states: days by leaders, minutes by walks */
        const struct perf_implementation *implementation = m < 5 ? &perf_lfsr_heist : &perf_lfsr_serial;
        struct choice choice = {
            .size = "40", .workers = 2, .mode = modes[m % 5], .algorithm = m % 2 ? "walk" : "leaders"};
        static struct perf_outcome outcome;
        char error[200];
        void *state;
        pthread_t thread;
        unsigned long long done = 0, all = 0;
        perf_interrupted = false;
        choice.workers = m < 5 ? 2 : 1;
        if (m % 2) choice.batch = "100"; /* too many to begin, even if each would end at once */
        TEST_ASSERT_EQUAL(0, prepare(implementation, &choice, &state, error, sizeof error));
        TEST_ASSERT_EQUAL(0, pthread_create(&thread, NULL, interrupt_soon, NULL));
        run_once(implementation, state, &outcome);
        pthread_join(thread, NULL);
        implementation->discard(state);
        TEST_ASSERT_EQUAL_MESSAGE(2, sscanf(outcome.check, "interrupted after %llu of %llu states", &done, &all),
                                  outcome.check);
        TEST_ASSERT_EQUAL_UINT64(UINT64_C(1) << 40, all);
        TEST_ASSERT_TRUE(done < all);
        TEST_ASSERT_NOT_NULL(strstr(outcome.more, "\"cycles\":["));
    }
}

static void half_of_it(void *runtime, struct lfsr_census *census, uint64_t unit)
{
    (void)runtime;
    (void)unit;
    lfsr_batch(census, 0, 0, census->reg.states / 2);
    perf_interrupted = true;
}

static bool has(const struct lfsr_cycles *cycles, uint64_t length, uint64_t count)
{
    for (size_t i = 0; i < cycles->lengths; i++)
        if (cycles->of[i].length == length) return cycles->of[i].count >= count;
    return false;
}

/* What an interrupted run counts are cycles that exist, and the next run starts afresh. */
static void half_a_run_counts_no_cycle_that_is_not_there(void)
{
    for (size_t i = 0; i < RECORDED * 3; i++) {
        struct choice choice = {
            .size = recorded[i / 3].size, .poly = recorded[i / 3].poly, .algorithm = algorithms[i % 3]};
        static struct perf_outcome outcome;
        char error[200];
        void *state;
        perf_interrupted = false;
        TEST_ASSERT_EQUAL(0, prepare(&perf_lfsr_serial, &choice, &state, error, sizeof error));
        struct lfsr_census *census = state;
        lfsr_loop *whole = census->loop;
        census->loop = half_of_it;
        run_once(&perf_lfsr_serial, state, &outcome);
        /* leaders are small: they found everything, and yet half of the states were not asked */
        TEST_ASSERT_EQUAL_STRING_LEN("interrupted after ", outcome.check, 18);
        TEST_ASSERT_EQUAL(i % 3 == 2, strstr(outcome.check, " states, in ") != NULL);
        for (size_t k = 0; k < census->found.lengths; k++)
            TEST_ASSERT_TRUE(has(&census->expected, census->found.of[k].length, census->found.of[k].count));
        census->loop = whole;
        perf_interrupted = false;
        run_once(&perf_lfsr_serial, state, &outcome);
        TEST_ASSERT_EQUAL_STRING("ok", outcome.check);
        perf_lfsr_serial.discard(state);
    }
}

/* The signal may come when all is done, before the check: such a run is whole. */
static void what_was_whole_before_the_interruption_is_right(void)
{
    struct choice choice = {.size = "12", .algorithm = "leaders"};
    static struct perf_outcome outcome;
    char error[200];
    void *state;
    TEST_ASSERT_EQUAL(0, prepare(&perf_lfsr_heist, &choice, &state, error, sizeof error));
    perf_lfsr_heist.run(state);
    perf_interrupted = true;
    memset(&outcome, 0, sizeof outcome);
    perf_lfsr_heist.check(state, &outcome);
    perf_lfsr_heist.discard(state);
    TEST_ASSERT_EQUAL_STRING("ok", outcome.check);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(bad_polynomials_are_refused_with_a_sentence);
    RUN_TEST(options_are_checked_one_by_one);
    RUN_TEST(too_many_states_and_what_does_not_go_together_is_refused);
    RUN_TEST(a_wrong_result_is_told);
    RUN_TEST(a_row_has_mode_batch_balance_and_overhead);
    RUN_TEST(balance_and_overhead_are_of_the_same_run);
    RUN_TEST(where_workers_share_processors_nothing_is_said_of_overhead);
    RUN_TEST(the_answer_ends_where_its_room_ends);
    RUN_TEST(the_cycles_are_told_below_the_table);
    RUN_TEST(an_interrupted_run_ends_and_tells_how_far_it_came);
    RUN_TEST(half_a_run_counts_no_cycle_that_is_not_there);
    RUN_TEST(what_was_whole_before_the_interruption_is_right);
    return UNITY_END();
}
