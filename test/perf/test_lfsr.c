/* The shift register's cycles: every algorithm, mode and batch size against brute force, recorded structures and
 * algebra. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include <heist/heist.h>

#include "apps/lfsr/census.h"
#include "lfsr_sample.h"
#include "test_scale.h"

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
    return UNITY_END();
}
