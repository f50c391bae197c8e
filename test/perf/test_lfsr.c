/* The shift register's cycles: every algorithm, mode and batch size against brute force, recorded structures and
 * algebra. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <unity.h>

#include <heist/heist.h>

#include "apps/lfsr/census.h"
#include "test_scale.h"

extern const struct perf_implementation perf_lfsr_serial, perf_lfsr_heist;
extern const struct perf_workload perf_lfsr_workload;

volatile bool perf_interrupted;

void setUp(void)
{
    perf_interrupted = false;
}

void tearDown(void)
{
}

/* ---- standing between the problem and the loop ---- */

int __real_heist_for(heist_pool *pool, heist_range range, heist_for_body *body, void *context,
                     const heist_loop_options *options);
int __wrap_heist_for(heist_pool *pool, heist_range range, heist_for_body *body, void *context,
                     const heist_loop_options *options);

static heist_loop_options asked; /* of the last loop */
static heist_range asked_range;

int __wrap_heist_for(heist_pool *pool, heist_range range, heist_for_body *body, void *context,
                     const heist_loop_options *options)
{
    asked = *options;
    asked_range = range;
    return __real_heist_for(pool, range, body, context, options);
}

/* ---- running one ---- */

struct choice {
    const char *size, *poly, *field, *algorithm, *mode, *batch, *aggregate;
    unsigned workers;
};

static int prepare(const struct perf_implementation *implementation, const struct choice *choice, void **state,
                   char *error, size_t room)
{
    const char *settings[] = {
        "poly",       choice->poly ? choice->poly : "auto",
        "field",      choice->field ? choice->field : "2",
        "algorithm",  choice->algorithm ? choice->algorithm : "walk",
        "mode",       choice->mode ? choice->mode : "steal",
        "batch-size", choice->batch ? choice->batch : "auto",
        "aggregate",  choice->aggregate ? choice->aggregate : "auto",
        NULL,
    };
    struct perf_input input = {choice->size, choice->workers ? choice->workers : 1, settings};
    return implementation->prepare(&input, state, error, room);
}

static void run_once(const struct perf_implementation *implementation, void *state, struct perf_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    if (implementation->reset) implementation->reset(state);
    implementation->run(state);
    implementation->check(state, outcome);
}

/* Runs it, and gives "[[1,1],...]" as the row has it; the check must be "ok". */
static const char *cycles_of(const struct perf_implementation *implementation, const struct choice *choice)
{
    static struct perf_outcome outcome;
    char error[200] = "";
    void *state;
    TEST_ASSERT_EQUAL_MESSAGE(0, prepare(implementation, choice, &state, error, sizeof error), error);
    run_once(implementation, state, &outcome);
    implementation->discard(state);
    TEST_ASSERT_EQUAL_STRING("ok", outcome.check);
    const char *cycles = strstr(outcome.more, "\"cycles\":");
    TEST_ASSERT_NOT_NULL(cycles);
    return cycles + strlen("\"cycles\":");
}

/* ---- structures that were found by other programs: polynomial, bits, cycles as [count, length] ---- */

static const struct {
    const char *poly, *size, *cycles;
} recorded[] = {
    {"0x1053", "12", "[[1,1],[1,4095]]"},
    {"0x1fff", "12", "[[1,1],[315,13]]"},
    {"0x45ed", "14", "[[1,1],[5,51],[1,63],[15,1071]]"},
    {"0x1100b", "16", "[[1,1],[1,65535]]"},
    {"0x11021", "16", "[[2,1],[2,32767]]"},
    {"0x40101", "18", "[[1,1],[1,511],[256,1022]]"},
    {"0x100009", "20", "[[1,1],[1,1048575]]"},
};
#define RECORDED (sizeof recorded / sizeof recorded[0])

static const char *const algorithms[] = {"walk", "stream", "leaders", "algebra"};
static const char *const modes[] = {"static", "shared", "steal", "hybrid", "auto"};

static void recorded_structures_are_found_by_every_algorithm(void)
{
    for (size_t i = 0; i < RECORDED; i++)
        for (size_t a = 0; a < 4; a++) {
            struct choice choice = {.size = recorded[i].size, .poly = recorded[i].poly, .algorithm = algorithms[a]};
            TEST_ASSERT_EQUAL_STRING_MESSAGE(recorded[i].cycles, cycles_of(&perf_lfsr_serial, &choice), algorithms[a]);
        }
}

static void every_mode_and_batch_size_finds_the_same(void)
{
    static const char *const batches[] = {"auto", "1", "7", "100", "1000", "1000000"}, *const takes[] = {"auto", "1",
                                                                                                         "5"};
    static const unsigned workers[] = {1, 2, 3, 8};
    static const size_t which[] = {0, 1, 2, 4}; /* one long cycle, only short ones, both, and two of each */
    int count = 0, step = test_scale(100) < 50 ? 7 : 1;
    for (size_t m = 0; m < 5; m++)
        for (size_t b = 0; b < 6; b++)
            for (size_t t = 0; t < 3; t++)
                for (size_t w = 0; w < 4; w++) {
                    size_t i = which[(size_t)(count + count / 4) % 4];
                    struct choice choice = {recorded[i].size, recorded[i].poly, "2",      algorithms[count % 3],
                                            modes[m],         batches[b],       takes[t], workers[w]};
                    if (count++ % step) continue;
                    TEST_ASSERT_EQUAL_STRING_MESSAGE(recorded[i].cycles, cycles_of(&perf_lfsr_heist, &choice),
                                                     modes[m]);
                }
}

static void a_mode_is_its_schedule_and_batches_are_as_told(void)
{
    static const heist_schedule schedules[] = {HEIST_SCHEDULE_STATIC, HEIST_SCHEDULE_SHARED, HEIST_SCHEDULE_STEAL,
                                               HEIST_SCHEDULE_HYBRID, HEIST_SCHEDULE_AUTO};
    char error[200] = "";
    void *state;
    for (size_t m = 0; m < 10; m++) {
        bool told = m < 5;
        struct choice choice = {.size = "14", .mode = modes[m % 5], .workers = 2};
        if (told) choice.batch = "100", choice.aggregate = "3";
        TEST_ASSERT_EQUAL_MESSAGE(0, prepare(&perf_lfsr_heist, &choice, &state, error, sizeof error), error);
        perf_lfsr_heist.run(state);
        perf_lfsr_heist.discard(state);
        TEST_ASSERT_EQUAL_MESSAGE(schedules[m % 5], asked.schedule, modes[m % 5]);
        TEST_ASSERT_EQUAL_UINT64(told ? 100 : 0, asked.batch);
        TEST_ASSERT_EQUAL_UINT64(told ? 3 : 0, asked.take);
        if (told) TEST_ASSERT_EQUAL_UINT64(1 << 14, heist_range_count(asked_range));
        TEST_ASSERT_NULL(asked.report); /* a timed run reads no clocks */
    }
}

static void twenty_bits_are_right_on_many_workers(void)
{
    for (size_t m = 0; m < 5; m++) {
        struct choice choice = {.size = "20", .mode = modes[m], .workers = 4, .algorithm = algorithms[m % 3]};
        TEST_ASSERT_EQUAL_STRING_MESSAGE(recorded[6].cycles, cycles_of(&perf_lfsr_heist, &choice), modes[m]);
    }
}

/* ---- brute force: cells in an array, every state visited and marked ---- */

static void step_slowly(const struct lfsr_polynomial *polynomial, unsigned *cells)
{
    unsigned p = polynomial->field, n = polynomial->cells, out = cells[n - 1];
    for (unsigned i = n; i-- > 0;) cells[i] = ((i ? cells[i - 1] : 0) + (p - out) * polynomial->coefficients[i]) % p;
}

static uint64_t number_of(const struct lfsr_polynomial *polynomial, const unsigned *cells)
{
    uint64_t number = 0;
    for (unsigned i = polynomial->cells; i-- > 0;) number = number * polynomial->field + cells[i];
    return number;
}

static void brute_force(const struct lfsr_polynomial *polynomial, struct lfsr_cycles *cycles)
{
    uint64_t states = lfsr_states(polynomial->field, polynomial->cells);
    bool *visited = calloc(states, sizeof *visited);
    TEST_ASSERT_NOT_NULL(visited);
    memset(cycles, 0, sizeof *cycles);
    for (uint64_t first = 0; first < states; first++) {
        unsigned cells[LFSR_MOST_CELLS] = {0};
        uint64_t length = 0, rest = first;
        for (unsigned i = 0; i < polynomial->cells; i++, rest /= polynomial->field)
            cells[i] = (unsigned)(rest % polynomial->field);
        for (uint64_t at = first; !visited[at]; length++) {
            visited[at] = true;
            step_slowly(polynomial, cells);
            at = number_of(polynomial, cells);
        }
        if (length) lfsr_cycles_add(cycles, length, 1);
    }
    free(visited);
}

/* All algorithms against brute force. */
static void compare(const struct lfsr_polynomial *polynomial)
{
    struct lfsr_cycles cycles;
    char text[LFSR_MOST_CELLS + 4], size[8], field[8], expected[6000];
    lfsr_polynomial_write(polynomial, text);
    snprintf(size, sizeof size, "%u", polynomial->cells);
    snprintf(field, sizeof field, "%u", polynomial->field);
    brute_force(polynomial, &cycles);
    TEST_ASSERT_TRUE(lfsr_cycles_json(&cycles, expected, sizeof expected) < sizeof expected);
    for (size_t a = 0; a < 4; a++) {
        struct choice choice = {.size = size, .poly = text, .field = field, .algorithm = algorithms[a]};
        if (polynomial->field != 2 && strcmp(algorithms[a], "stream") == 0) continue;
        TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, cycles_of(&perf_lfsr_serial, &choice), text);
    }
}

/* Every polynomial with a constant term, of all degrees up to one. */
static void compare_all(unsigned field, unsigned degrees)
{
    for (unsigned cells = 1; cells <= degrees; cells++)
        for (uint64_t number = 0, all = lfsr_states(field, cells); number < all; number++) {
            struct lfsr_polynomial polynomial = {.field = field, .cells = cells};
            uint64_t rest = number;
            for (unsigned i = 0; i < cells; i++, rest /= field) polynomial.coefficients[i] = (uint8_t)(rest % field);
            polynomial.coefficients[cells] = 1;
            if (polynomial.coefficients[0]) compare(&polynomial);
        }
}

static void all_polynomials_over_gf_2_are_as_brute_force_says(void)
{
    compare_all(2, test_scale(100) < 50 ? 6 : 8);
}

static void small_polynomials_over_other_fields_are_as_brute_force_says(void)
{
    bool slow = test_scale(100) < 50;
    compare_all(3, slow ? 3 : 5);
    compare_all(5, slow ? 2 : 3);
    compare_all(7, slow ? 2 : 3);
    compare_all(11, 2);
    compare_all(31, 1);
}

static void some_larger_ones_are_as_brute_force_says(void)
{
    unsigned seed = 12345;
    static const unsigned fields[] = {2, 2, 2, 3, 5, 7, 13, 31}, cells[] = {11, 13, 16, 10, 6, 5, 4, 3};
    for (int round = 0; round < test_scale(5); round++)
        for (size_t f = 0; f < 8; f++) {
            struct lfsr_polynomial polynomial = {.field = fields[f], .cells = cells[f]};
            for (unsigned i = 0; i < cells[f]; i++)
                polynomial.coefficients[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 16) % (uint8_t)fields[f];
            if (!polynomial.coefficients[0]) polynomial.coefficients[0] = 1;
            polynomial.coefficients[cells[f]] = 1;
            compare(&polynomial);
        }
}

/* (x - 1)^j divides x^(p^t) - 1 if j <= p^t: so p^min(n, p^t) states are back after p^t steps. */
static void powers_of_x_minus_1_have_periods_that_are_powers_of_p(void)
{
    static const unsigned fields[] = {2, 3, 5, 31}, most[] = {40, 21, 16, 8};
    for (size_t f = 0; f < 4; f++) {
        unsigned p = fields[f];
        struct lfsr_polynomial polynomial = {.field = p, .cells = 0, .coefficients = {1}};
        while (polynomial.cells < most[f]) {
            struct lfsr_cycles expected = {0}, found;
            for (unsigned i = ++polynomial.cells; i > 0; i--) /* times x - 1 */
                polynomial.coefficients[i] =
                    (uint8_t)((polynomial.coefficients[i - 1] + (p - 1) * polynomial.coefficients[i]) % p);
            polynomial.coefficients[0] = (uint8_t)((p - 1) * polynomial.coefficients[0] % p);
            uint64_t before = 0;
            for (unsigned period = 1; before < lfsr_states(p, polynomial.cells); period *= p) {
                uint64_t states = lfsr_states(p, polynomial.cells < period ? polynomial.cells : period);
                lfsr_cycles_add(&expected, period, (states - before) / period);
                before = states;
            }
            lfsr_polynomial_cycles(&polynomial, &found);
            TEST_ASSERT_TRUE(lfsr_cycles_equal(&expected, &found));
        }
    }
}

/* ---- default polynomials ---- */

static void default_polynomials_have_one_cycle_of_all_states_but_zero(void)
{
    static const struct {
        unsigned field, most;
    } upto[] = {{2, 28}, {3, 12}, {5, 8}, {7, 7}, {13, 5}, {31, 4}};
    for (size_t f = 0; f < 6; f++) {
        unsigned most = test_scale(100) < 50 ? upto[f].most / 2 : upto[f].most;
        for (unsigned cells = 1; cells <= most; cells++) {
            char size[8], field[8], expected[64];
            snprintf(size, sizeof size, "%u", cells);
            snprintf(field, sizeof field, "%u", upto[f].field);
            uint64_t states = lfsr_states(upto[f].field, cells);
            if (states == 2)
                snprintf(expected, sizeof expected, "[[2,1]]");
            else
                snprintf(expected, sizeof expected, "[[1,1],[1,%llu]]", (unsigned long long)states - 1);
            struct choice choice = {.size = size, .field = field, .algorithm = upto[f].field == 2 ? "stream" : "walk"};
            TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, cycles_of(&perf_lfsr_serial, &choice), size);
        }
    }
}

static void the_default_is_the_least_primitive_one(void)
{
    for (unsigned cells = 2; cells <= 10; cells++) {
        struct lfsr_polynomial least;
        struct lfsr_cycles cycles;
        lfsr_polynomial_primitive(2, cells, &least);
        for (unsigned bits = 1;; bits += 2) {
            struct lfsr_polynomial polynomial = {.field = 2, .cells = cells};
            for (unsigned i = 0; i < cells; i++) polynomial.coefficients[i] = bits >> i & 1;
            polynomial.coefficients[cells] = 1;
            brute_force(&polynomial, &cycles);
            if (cycles.lengths != 2 || cycles.of[1].length != (UINT64_C(1) << cells) - 1) continue;
            TEST_ASSERT_EQUAL_MEMORY(polynomial.coefficients, least.coefficients, cells + 1);
            break;
        }
    }
}

/* ---- the parts ---- */

static void a_packed_step_is_a_slow_step_for_all_fields_and_widths(void)
{
    static const unsigned fields[] = {2, 2, 3, 5, 7, 11, 13, 17, 29, 31},
                          cells[] = {40, 1, 21, 16, 14, 11, 10, 9, 8, 8};
    char error[100];
    struct lfsr_register *r = malloc(sizeof *r);
    TEST_ASSERT_NOT_NULL(r);
    for (size_t f = 0; f < 10; f++) {
        struct lfsr_polynomial polynomial;
        lfsr_polynomial_primitive(fields[f], cells[f], &polynomial);
        TEST_ASSERT_EQUAL_MESSAGE(0, lfsr_register_make(r, &polynomial, LFSR_STEPS, error, sizeof error), error);
        unsigned slow[LFSR_MOST_CELLS] = {0};
        slow[0] = 1;
        uint64_t packed = lfsr_pack(r, 1);
        for (int i = 0; i < test_scale(20000); i++) {
            step_slowly(&polynomial, slow);
            packed = lfsr_step(r, packed);
            TEST_ASSERT_EQUAL_UINT64(number_of(&polynomial, slow), lfsr_number(r, packed));
            TEST_ASSERT_EQUAL_UINT64(packed, lfsr_pack(r, lfsr_number(r, packed)));
        }
    }
    free(r);
}

/* A stream's segments, also of registers that are too large to be walked whole, against the recurrence bit by bit. */
static void a_stream_stops_where_the_sequence_has_a_marker(void)
{
    static const unsigned cells[] = {2, 3, 5, 8, 9, 16, 17, 24, 25, 32, 33, 37, 40};
    struct lfsr_register *r = malloc(sizeof *r);
    char error[100];
    TEST_ASSERT_NOT_NULL(r);
    for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++) {
        struct lfsr_polynomial polynomial;
        lfsr_polynomial_primitive(2, cells[c], &polynomial);
        TEST_ASSERT_EQUAL(0, lfsr_register_make(r, &polynomial, LFSR_STREAM, error, sizeof error));
        struct lfsr_segment *segments = calloc(r->markers, sizeof *segments);
        TEST_ASSERT_NOT_NULL(segments);
        uint64_t each = r->markers / 5 + 1, done = 0;
        for (uint64_t m = 0; m < r->markers; m += each) {
            uint64_t window = m << r->marker_cells | r->marker, length = 0;
            do {
                uint64_t bit = 0;
                for (unsigned i = 0; i < cells[c]; i++)
                    bit ^= window >> (cells[c] - 1 - i) & polynomial.coefficients[i];
                window = (window << 1 | bit) & r->mask;
                length++;
            } while ((window & r->marker_mask) != r->marker);
            done = lfsr_segments(r, m * r->spacing, (m + 1) * r->spacing, segments, &perf_interrupted);
            TEST_ASSERT_EQUAL_UINT64(length, segments[m].length);
            TEST_ASSERT_EQUAL_UINT64(length, done);
            TEST_ASSERT_EQUAL_UINT64(window >> r->marker_cells, segments[m].next);
        }
        free(segments);
    }
    free(r);
}

static void parts_of_a_range_walk_each_marker_once(void)
{
    struct lfsr_polynomial polynomial;
    struct lfsr_register *r = malloc(sizeof *r);
    char error[100];
    TEST_ASSERT_NOT_NULL(r);
    lfsr_polynomial_primitive(3, 7, &polynomial);
    TEST_ASSERT_EQUAL(0, lfsr_register_make(r, &polynomial, LFSR_STEPS, error, sizeof error));
    struct lfsr_segment *segments = calloc(r->markers, sizeof *segments);
    TEST_ASSERT_NOT_NULL(segments);
    for (uint64_t size = 1; size < 100; size++) {
        uint64_t steps = 0;
        for (uint64_t from = 0; from < r->states; from += size)
            steps +=
                lfsr_segments(r, from, from + size < r->states ? from + size : r->states, segments, &perf_interrupted);
        TEST_ASSERT_EQUAL_UINT64(r->states - 1, steps);
    }
    free(segments);
    free(r);
}

static void polynomials_are_read_and_written(void)
{
    static const struct {
        const char *text;
        unsigned field;
    } good[] = {{"0x3", 2}, {"0x1053", 2}, {"0x100000000c1", 2}, {"1021", 3}, {"10001i", 31}, {"1u", 31}, {"14", 5}};
    char error[200], text[LFSR_MOST_CELLS + 4];
    struct lfsr_polynomial polynomial;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        TEST_ASSERT_EQUAL(0, lfsr_polynomial_read(good[i].text, good[i].field, &polynomial, error, sizeof error));
        lfsr_polynomial_write(&polynomial, text);
        TEST_ASSERT_EQUAL_STRING(good[i].text, text);
    }
    TEST_ASSERT_EQUAL(0, lfsr_polynomial_read("1011", 2, &polynomial, error, sizeof error));
    lfsr_polynomial_write(&polynomial, text);
    TEST_ASSERT_EQUAL_STRING("0xb", text);
}

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

/* ---- what is told ---- */

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

/* What the row says after one timed run on so many processors; below 0: nothing. */
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
    RUN_TEST(recorded_structures_are_found_by_every_algorithm);
    RUN_TEST(every_mode_and_batch_size_finds_the_same);
    RUN_TEST(a_mode_is_its_schedule_and_batches_are_as_told);
    RUN_TEST(twenty_bits_are_right_on_many_workers);
    RUN_TEST(all_polynomials_over_gf_2_are_as_brute_force_says);
    RUN_TEST(small_polynomials_over_other_fields_are_as_brute_force_says);
    RUN_TEST(some_larger_ones_are_as_brute_force_says);
    RUN_TEST(powers_of_x_minus_1_have_periods_that_are_powers_of_p);
    RUN_TEST(default_polynomials_have_one_cycle_of_all_states_but_zero);
    RUN_TEST(the_default_is_the_least_primitive_one);
    RUN_TEST(a_packed_step_is_a_slow_step_for_all_fields_and_widths);
    RUN_TEST(a_stream_stops_where_the_sequence_has_a_marker);
    RUN_TEST(parts_of_a_range_walk_each_marker_once);
    RUN_TEST(polynomials_are_read_and_written);
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
