/* Which victim each strategy chooses, and the generator of random numbers that they use. Everything is seeded, so a
 * distribution that is within its bounds today is so tomorrow. */
#include "../topologies/fixture.h"
#include "platform/words.h"
#include "schedule/victim.h"
#include "test_scale.h"
#include "topology/place.h"
#include "unity.h"
#include "victim_support.h"

void setUp(void)
{
    memset(&machine, 0, sizeof machine);
    memset(&victims, 0, sizeof victims);
    heist__random_seed(&random_state, 42, 0);
}

void tearDown(void)
{
    heist__victims_free(&victims, NULL);
    heist__machine_free(&machine);
}

/* Two nodes on two packages, made by hand: workers 0 to near are on the thief's node, the rest is far. */
static void build_two_nodes(unsigned near, unsigned far)
{
    build_plain(1 + near + far);
    machine.node_count = 2;
    for (unsigned i = 1 + near; i < machine.pu_count; i++) machine.pus[i].node = machine.pus[i].package = 1;
    order_for(0);
}

/* ---- loads ---- */

static size_t loads[WORKERS_MOST];
static unsigned looked_at;

static size_t table_load(const void *context, unsigned worker)
{
    TEST_ASSERT_EQUAL_PTR(loads, context);
    looked_at++;
    return loads[worker];
}

/* Runs one search to its end and returns the number of picks. */
static unsigned search_all(heist__strategy how, unsigned *picked)
{
    heist__strategy_state state;
    heist__search search;
    unsigned victim, level, picks = 0;
    heist__strategy_init(&state, how);
    heist__search_begin(&search, &victims, &state, &random_state, table_load, loads);
    while (heist__search_next(&search, &victim, &level)) {
        TEST_ASSERT_LESS_THAN_UINT(victims.count, picks);
        TEST_ASSERT_EQUAL_UINT(heist__distance(&machine, 0, victim), level);
        picked[picks++] = victim;
    }
    TEST_ASSERT_FALSE(heist__search_next(&search, &victim, &level));
    return picks;
}

static void most_loaded_goes_down_and_prefers_the_near(void)
{
    build_two_nodes(3, 3); /* 1 2 3 are near, 4 5 6 are far */
    size_t table[] = {99, 0, 5, 1, 9, 5, 0};
    unsigned expected[] = {4, 2, 5, 3}, picked[6];
    memcpy(loads, table, sizeof table);
    TEST_ASSERT_EQUAL_UINT(4, search_all(HEIST__STEAL_MOST_LOADED, picked));
    TEST_ASSERT_EQUAL_UINT_ARRAY(expected, picked, 4);
}

static void least_loaded_goes_up_and_leaves_the_empty(void)
{
    build_two_nodes(3, 3);
    size_t table[] = {1, 0, 5, 2, 9, 5, 1};
    unsigned expected[] = {6, 3, 2, 5, 4}, picked[6];
    memcpy(loads, table, sizeof table);
    TEST_ASSERT_EQUAL_UINT(5, search_all(HEIST__STEAL_LEAST_LOADED, picked));
    TEST_ASSERT_EQUAL_UINT_ARRAY(expected, picked, 5);
}

static void nobody_loaded_is_nobody_picked(void)
{
    build_plain(6);
    unsigned picked[5];
    memset(loads, 0, sizeof loads);
    TEST_ASSERT_EQUAL_UINT(0, search_all(HEIST__STEAL_MOST_LOADED, picked));
    TEST_ASSERT_EQUAL_UINT(0, search_all(HEIST__STEAL_LEAST_LOADED, picked));
}

static void the_greatest_load_there_is_is_found(void)
{
    build_plain(4);
    unsigned picked[3];
    memset(loads, 0, sizeof loads);
    loads[2] = SIZE_MAX;
    TEST_ASSERT_EQUAL_UINT(1, search_all(HEIST__STEAL_MOST_LOADED, picked));
    TEST_ASSERT_EQUAL_UINT(2, picked[0]);
    TEST_ASSERT_EQUAL_UINT(1, search_all(HEIST__STEAL_LEAST_LOADED, picked));
    TEST_ASSERT_EQUAL_UINT(2, picked[0]);
}

/* Counts how often each victim is picked over many searches. */
static unsigned count_picks(heist__strategy how, unsigned searches, unsigned *times)
{
    unsigned picked[WORKERS_MOST], all = 0;
    for (unsigned i = 0; i < searches; i++) {
        unsigned picks = search_all(how, picked);
        for (unsigned k = 0; k < picks; k++) times[picked[k]]++;
        all += picks;
    }
    return all;
}

static void share_is(double share, unsigned times, unsigned all)
{
    double off = times - share * all, bound = 36.0 * (share * all + 1.0);
    TEST_ASSERT_TRUE_MESSAGE(off * off < bound, "the share of a victim is not what it should be");
}

static void random_is_uniform_over_all_levels(void)
{
    build_two_nodes(2, 5);
    unsigned times[8] = {0}, all = count_picks(HEIST__STEAL_RANDOM, test_scale(2000u), times);
    TEST_ASSERT_EQUAL_UINT(0, times[0]);
    for (unsigned i = 1; i < 8; i++) share_is(1.0 / 7, times[i], all);
}

static void of_two_the_more_loaded_is_taken(void)
{
    build_plain(6);
    for (size_t i = 0; i < 6; i++) loads[i] = i;
    unsigned times[6] = {0}, all = count_picks(HEIST__STEAL_POWER_OF_TWO, test_scale(3000u), times);
    /* Of 10 pairs, the heaviest of 5 wins 4, the next 3, and so on; the lightest wins none. */
    TEST_ASSERT_EQUAL_UINT(0, times[1]);
    for (unsigned i = 2; i < 6; i++) share_is((i - 1) / 10.0, times[i], all);
}

static void of_two_equally_loaded_the_nearer_ring_is_taken(void)
{
    build_two_nodes(2, 2); /* 1 2 near, 3 4 far: far ones win only against each other, 1 pair of 6 */
    for (size_t i = 0; i < 5; i++) loads[i] = 7;
    unsigned times[5] = {0}, all = count_picks(HEIST__STEAL_POWER_OF_TWO, test_scale(3000u), times);
    for (unsigned i = 1; i < 5; i++) share_is((i < 3 ? 5.0 : 1.0) / 12, times[i], all);
}

static void a_pick_looks_at_two_loads_at_most(void)
{
    build_plain(100);
    for (size_t i = 0; i < 100; i++) loads[i] = i;
    unsigned picked[99];
    looked_at = 0;
    TEST_ASSERT_EQUAL_UINT(99, search_all(HEIST__STEAL_POWER_OF_TWO, picked));
    TEST_ASSERT_LESS_OR_EQUAL_UINT(2 * 99, looked_at);
    looked_at = 0;
    TEST_ASSERT_EQUAL_UINT(99, search_all(HEIST__STEAL_NEAR, picked));
    TEST_ASSERT_EQUAL_UINT(99, search_all(HEIST__STEAL_RANDOM, picked));
    TEST_ASSERT_EQUAL_UINT(0, looked_at);
}

static const heist__strategy all_strategies[] = {
    HEIST__STEAL_NEAR,         HEIST__STEAL_RANDOM,       HEIST__STEAL_MOST_LOADED,
    HEIST__STEAL_LEAST_LOADED, HEIST__STEAL_POWER_OF_TWO, HEIST__STEAL_ADAPTIVE,
};
enum { STRATEGIES = sizeof all_strategies / sizeof *all_strategies };

static void the_same_seed_makes_the_same_picks(void)
{
    build_two_nodes(8, 8);
    for (size_t i = 0; i < 17; i++) loads[i] = 1 + i % 5;
    for (unsigned s = 0; s < STRATEGIES; s++) {
        unsigned first[16], again[16];
        heist__random_seed(&random_state, 7, 3);
        unsigned picks = search_all(all_strategies[s], first);
        heist__random_seed(&random_state, 7, 3);
        TEST_ASSERT_EQUAL_UINT(picks, search_all(all_strategies[s], again));
        TEST_ASSERT_EQUAL_UINT_ARRAY(first, again, picks);
    }
}

static void another_seed_or_stream_makes_other_picks(void)
{
    build_plain(200);
    unsigned first[199], other[199];
    heist__random_seed(&random_state, 7, 3);
    search_all(HEIST__STEAL_RANDOM, first);
    heist__random_seed(&random_state, 8, 3);
    search_all(HEIST__STEAL_RANDOM, other);
    TEST_ASSERT_TRUE(memcmp(first, other, sizeof first) != 0);
    heist__random_seed(&random_state, 7, 4);
    search_all(HEIST__STEAL_RANDOM, other);
    TEST_ASSERT_TRUE(memcmp(first, other, sizeof first) != 0);
}

static size_t shifting_load(const void *context, unsigned worker)
{
    (void)worker;
    heist__random *shift = *(heist__random *const *)context;
    return heist__random_below(shift, 4);
}

static void loads_that_change_do_not_prolong_a_search(void)
{
    build_plain(50);
    heist__random shift, *context = &shift;
    heist__random_seed(&shift, 1, 1);
    for (unsigned s = 0; s < STRATEGIES; s++) {
        for (unsigned round = 0; round < test_scale(200u); round++) {
            heist__strategy_state state;
            heist__search search;
            unsigned victim, level, picks = 0;
            heist__strategy_init(&state, all_strategies[s]);
            heist__search_begin(&search, &victims, &state, &random_state, shifting_load, &context);
            while (heist__search_next(&search, &victim, &level)) {
                TEST_ASSERT_TRUE(victim > 0 && victim < 50);
                TEST_ASSERT_LESS_OR_EQUAL_UINT(49, ++picks);
            }
        }
    }
}

static void one_worker_searches_nothing(void)
{
    build_plain(1);
    unsigned picked[1];
    for (unsigned s = 0; s < STRATEGIES; s++) TEST_ASSERT_EQUAL_UINT(0, search_all(all_strategies[s], picked));
}

static void of_two_workers_each_has_the_other(void)
{
    build_plain(2);
    loads[1] = 1;
    for (unsigned s = 0; s < STRATEGIES; s++) {
        unsigned picked[1] = {0};
        TEST_ASSERT_EQUAL_UINT(1, search_all(all_strategies[s], picked));
        TEST_ASSERT_EQUAL_UINT(1, picked[0]);
    }
}

static void without_loads_the_search_is_near(void)
{
    build_two_nodes(3, 3);
    heist__strategy_state state;
    heist__search search;
    unsigned victim, level, picks = 0;
    heist__strategy_init(&state, HEIST__STEAL_MOST_LOADED);
    heist__search_begin(&search, &victims, &state, &random_state, NULL, NULL);
    while (heist__search_next(&search, &victim, &level)) {
        TEST_ASSERT_EQUAL_UINT(picks < 3 ? HEIST__SAME_NODE : HEIST__FAR, level);
        picks++;
    }
    TEST_ASSERT_EQUAL_UINT(6, picks);
}

/* ---- adaptive ---- */

static void report(heist__strategy_state *state, unsigned successes, unsigned failures)
{
    while (successes--) heist__strategy_report(state, true);
    while (failures--) heist__strategy_report(state, false);
}

static void adaptive_starts_near_and_waits_for_a_hundred_attempts(void)
{
    heist__strategy_state state;
    heist__strategy_init(&state, HEIST__STEAL_ADAPTIVE);
    TEST_ASSERT_EQUAL(HEIST__STEAL_NEAR, state.now);
    report(&state, 0, 99);
    TEST_ASSERT_EQUAL(HEIST__STEAL_NEAR, state.now);
    report(&state, 0, 1);
    TEST_ASSERT_EQUAL(HEIST__STEAL_MOST_LOADED, state.now);
}

static void adaptive_switches_at_thirty_percent(void)
{
    heist__strategy_state state;
    heist__strategy_init(&state, HEIST__STEAL_ADAPTIVE);
    report(&state, 30, 70);
    TEST_ASSERT_EQUAL(HEIST__STEAL_POWER_OF_TWO, state.now);
    report(&state, 29, 71);
    TEST_ASSERT_EQUAL(HEIST__STEAL_MOST_LOADED, state.now);
    report(&state, 100, 0);
    TEST_ASSERT_EQUAL(HEIST__STEAL_POWER_OF_TWO, state.now);
}

static void adaptive_forgets_the_hundred_before(void)
{
    heist__strategy_state state;
    heist__strategy_init(&state, HEIST__STEAL_ADAPTIVE);
    report(&state, 100, 0);
    report(&state, 0, 99);
    TEST_ASSERT_EQUAL(HEIST__STEAL_POWER_OF_TWO, state.now);
    report(&state, 0, 1);
    TEST_ASSERT_EQUAL(HEIST__STEAL_MOST_LOADED, state.now);
}

static void adaptive_searches_as_it_has_chosen(void)
{
    build_plain(6);
    size_t table[] = {0, 1, 2, 9, 4, 0};
    memcpy(loads, table, sizeof table);
    heist__strategy_state state;
    heist__search search;
    unsigned victim, level;
    heist__strategy_init(&state, HEIST__STEAL_ADAPTIVE);
    report(&state, 0, 100);
    heist__search_begin(&search, &victims, &state, &random_state, table_load, loads);
    TEST_ASSERT_TRUE(heist__search_next(&search, &victim, &level));
    TEST_ASSERT_EQUAL_UINT(3, victim);
}

static void the_others_do_not_adapt(void)
{
    for (unsigned s = 0; s < STRATEGIES; s++) {
        heist__strategy_state state;
        if (all_strategies[s] == HEIST__STEAL_ADAPTIVE) continue;
        heist__strategy_init(&state, all_strategies[s]);
        report(&state, 0, 1000);
        TEST_ASSERT_EQUAL(all_strategies[s], state.now);
    }
}

/* ---- words, limits, memory ---- */

static void every_strategy_has_its_word(void)
{
    static const char *const words[] = {"near", "random", "most-loaded", "least-loaded", "power-of-two", "adaptive"};
    for (unsigned s = 0; s < STRATEGIES; s++) {
        TEST_ASSERT_EQUAL_STRING(words[s], heist__strategy_words[all_strategies[s]]);
        TEST_ASSERT_EQUAL_INT(all_strategies[s], heist__word_index(heist__strategy_words, words[s]));
    }
    TEST_ASSERT_NULL(heist__strategy_words[STRATEGIES]);
}

static void other_words_are_refused(void)
{
    static const char *const words[] = {"", "nearest", "nea", "NEAR", " near", "most_loaded"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        TEST_ASSERT_EQUAL_INT(-1, heist__word_index(heist__strategy_words, words[i]));
    }
    TEST_ASSERT_EQUAL_INT(-1, heist__word_index(heist__strategy_words, NULL));
}

/* ---- the generator ---- */

static void random_numbers_stay_below_and_reach_everything(void)
{
    static const uint32_t limits[] = {1, 2, 3, 7, 64};
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        bool seen[64] = {false};
        for (unsigned i = 0; i < 4000; i++) {
            uint32_t x = heist__random_below(&random_state, limits[k]);
            TEST_ASSERT_LESS_THAN_UINT32(limits[k], x);
            seen[x] = true;
        }
        for (uint32_t i = 0; i < limits[k]; i++) TEST_ASSERT_TRUE(seen[i]);
    }
    TEST_ASSERT_EQUAL_UINT32(0, heist__random_below(&random_state, 0));
}

static void no_seed_stands_still(void)
{
    static const uint64_t seeds[] = {0, 1, UINT64_MAX, UINT64_C(0x9e3779b97f4a7c15)};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        for (uint64_t stream = 0; stream < 100; stream++) {
            heist__random_seed(&random_state, seeds[i], stream);
            TEST_ASSERT_TRUE(random_state.state != 0);
            uint64_t first = heist__random_next(&random_state);
            TEST_ASSERT_TRUE(first != heist__random_next(&random_state));
        }
    }
}

static void neighbouring_streams_are_unlike(void)
{
    /* Two fair coins agree half of the time; 64 streams with the same first bit would be a chance of 2^-63. */
    unsigned ones = 0;
    for (uint64_t stream = 0; stream < 64; stream++) {
        heist__random_seed(&random_state, 0, stream);
        ones += heist__random_below(&random_state, 2);
    }
    TEST_ASSERT_TRUE(ones > 12 && ones < 52);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(most_loaded_goes_down_and_prefers_the_near);
    RUN_TEST(least_loaded_goes_up_and_leaves_the_empty);
    RUN_TEST(nobody_loaded_is_nobody_picked);
    RUN_TEST(the_greatest_load_there_is_is_found);
    RUN_TEST(random_is_uniform_over_all_levels);
    RUN_TEST(of_two_the_more_loaded_is_taken);
    RUN_TEST(of_two_equally_loaded_the_nearer_ring_is_taken);
    RUN_TEST(a_pick_looks_at_two_loads_at_most);
    RUN_TEST(the_same_seed_makes_the_same_picks);
    RUN_TEST(another_seed_or_stream_makes_other_picks);
    RUN_TEST(loads_that_change_do_not_prolong_a_search);
    RUN_TEST(one_worker_searches_nothing);
    RUN_TEST(of_two_workers_each_has_the_other);
    RUN_TEST(without_loads_the_search_is_near);
    RUN_TEST(adaptive_starts_near_and_waits_for_a_hundred_attempts);
    RUN_TEST(adaptive_switches_at_thirty_percent);
    RUN_TEST(adaptive_forgets_the_hundred_before);
    RUN_TEST(adaptive_searches_as_it_has_chosen);
    RUN_TEST(the_others_do_not_adapt);
    RUN_TEST(every_strategy_has_its_word);
    RUN_TEST(other_words_are_refused);
    RUN_TEST(random_numbers_stay_below_and_reach_everything);
    RUN_TEST(no_seed_stands_still);
    RUN_TEST(neighbouring_streams_are_unlike);
    return UNITY_END();
}
