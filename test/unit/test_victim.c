/* test_victim.c: the order of victims on machines that are not here, and what each strategy makes of it. Everything is
 * seeded, so a distribution that is within its bounds today is so tomorrow. */
#include "../topologies/fixture.h"
#include "schedule/victim.h"
#include "test_scale.h"
#include "topology/place.h"
#include "unity.h"

#define WORKERS_MOST 256

static heist__machine machine;
static heist__victims victims;
static heist__random random_state;
static unsigned pu_of[WORKERS_MOST];

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

/* A worker on every PU, in the machine's own order: worker i sits on PU i. */
static void build(const char *description)
{
    load_machine(&machine, description);
    TEST_ASSERT_LESS_OR_EQUAL_UINT(WORKERS_MOST, machine.pu_count);
    heist__place(&machine, HEIST__BIND_COMPACT, machine.pu_count, pu_of);
}

static void order_for(unsigned thief)
{
    heist__victims_free(&victims, NULL);
    TEST_ASSERT_EQUAL_INT(0, heist__victims_init(&victims, &machine, pu_of, machine.pu_count, thief, NULL));
}

/* `workers` workers on one core each, all equally far: a machine made by hand, so that it needs no hwloc. */
static void build_plain(unsigned workers)
{
    TEST_ASSERT_LESS_OR_EQUAL_UINT(WORKERS_MOST, workers);
    machine.pus = calloc(workers, sizeof *machine.pus);
    TEST_ASSERT_NOT_NULL(machine.pus);
    machine.pu_count = workers;
    machine.node_count = 1;
    for (unsigned i = 0; i < workers; i++) {
        machine.pus[i] = (heist__pu){.os_cpu = i, .core = i, .cache = i};
        pu_of[i] = i;
    }
    order_for(0);
}

/* Two nodes on two packages, made by hand: workers 0 to near are on the thief's node, the rest is far. */
static void build_two_nodes(unsigned near, unsigned far)
{
    build_plain(1 + near + far);
    machine.node_count = 2;
    for (unsigned i = 1 + near; i < machine.pu_count; i++) machine.pus[i].node = machine.pus[i].package = 1;
    order_for(0);
}

/* What must hold for any machine and any thief: everybody else once, nearest first, levels told as they are. */
static void order_is_near_first(unsigned thief)
{
    bool seen[WORKERS_MOST] = {false};
    unsigned ring = 0, level = 0;
    order_for(thief);
    TEST_ASSERT_EQUAL_UINT(machine.pu_count - 1, victims.count);
    TEST_ASSERT_EQUAL_UINT(victims.count, victims.level_end[HEIST__FAR]);
    for (unsigned i = 0; i < victims.count; i++) {
        unsigned worker = victims.worker[i];
        TEST_ASSERT_NOT_EQUAL_UINT(thief, worker);
        TEST_ASSERT_FALSE(seen[worker]);
        seen[worker] = true;
        while (i >= victims.ring_end[ring]) ring++;
        while (i >= victims.level_end[level]) level++;
        TEST_ASSERT_EQUAL_UINT(heist__distance(&machine, thief, worker), level);
        TEST_ASSERT_EQUAL_UINT(level, victims.ring_level[ring]);
    }
}

/* The same of what a search does with the order. */
static void search_is_near_first(unsigned thief)
{
    bool seen[WORKERS_MOST] = {false};
    unsigned victim, level, before = 0, picks = 0;
    heist__strategy_state state;
    heist__search search;
    order_for(thief);
    heist__strategy_init(&state, HEIST__STEAL_NEAR);
    heist__search_begin(&search, &victims, &state, &random_state, NULL, NULL);
    while (heist__search_next(&search, &victim, &level)) {
        TEST_ASSERT_LESS_OR_EQUAL_UINT(level, before);
        TEST_ASSERT_EQUAL_UINT(heist__distance(&machine, thief, victim), level);
        TEST_ASSERT_FALSE(seen[victim]);
        seen[victim] = true;
        before = level;
        picks++;
    }
    TEST_ASSERT_EQUAL_UINT(victims.count, picks);
    TEST_ASSERT_FALSE(heist__search_next(&search, &victim, &level));
}

static void every_thief_goes_near_first(void)
{
    for (unsigned thief = 0; thief < machine.pu_count; thief++) {
        order_is_near_first(thief);
        search_is_near_first(thief);
    }
}

/* How many victims a thief has at each level. */
static void expect_levels(unsigned thief, unsigned core, unsigned cache, unsigned node, unsigned package, unsigned far)
{
    unsigned expected[] = {core, core + cache, core + cache + node, core + cache + node + package,
                           core + cache + node + package + far};
    order_for(thief);
    TEST_ASSERT_EQUAL_UINT_ARRAY(expected, victims.level_end, HEIST__LEVELS);
}

static void expect_levels_of_all(unsigned core, unsigned cache, unsigned node, unsigned package, unsigned far)
{
    for (unsigned thief = 0; thief < machine.pu_count; thief++) expect_levels(thief, core, cache, node, package, far);
    every_thief_goes_near_first();
}

static void a_laptop_shares_its_cache(void)
{
    build("pack:1 l3:1 core:4 pu:1");
    expect_levels_of_all(0, 3, 0, 0, 0);
}

static void a_desktop_has_siblings_then_cache_then_the_rest(void)
{
    build("pack:1 l3:2 core:4 pu:2");
    expect_levels_of_all(1, 6, 8, 0, 0);
}

static void two_sockets_are_far_from_each_other(void)
{
    build("pack:2 [numa] l3:1 core:4 pu:2");
    expect_levels_of_all(1, 6, 0, 0, 8);
}

static void sub_numa_clusters_do_not_count_a_cache_that_spans_them(void)
{
    build("pack:2 l3:1 group:2 [numa] core:4 pu:1");
    expect_levels_of_all(0, 0, 3, 4, 8);
}

static void eight_sockets_with_siblings(void)
{
    build("pack:8 [numa] l3:1 core:2 pu:2");
    expect_levels_of_all(1, 2, 0, 0, 28);
}

static void a_server_of_many_chiplets_uses_every_level(void)
{
    build("pack:2 group:4 [numa] l3:2 core:4 pu:2");
    expect_levels_of_all(1, 6, 8, 48, 64);
}

static void tiles_share_a_cache_of_two_cores(void)
{
    build("pack:1 [numa] [numa] l2:4 core:2 pu:4");
    expect_levels_of_all(3, 4, 24, 0, 0);
}

static void without_packages_another_node_is_far(void)
{
    build("numa:4 core:2 pu:1");
    expect_levels_of_all(0, 0, 1, 0, 6);
}

static void packages_of_a_virtual_machine_are_in_one_node(void)
{
    build("numa:1 pack:4 core:1 pu:1");
    expect_levels_of_all(0, 0, 3, 0, 0);
}

static void a_single_cpu_has_no_victims(void)
{
    build("pu:1");
    expect_levels_of_all(0, 0, 0, 0, 0);
    TEST_ASSERT_NULL(victims.worker);
}

static void a_hybrid_laptop_has_two_kinds_of_neighbourhood(void)
{
    build(fixture("hybrid-laptop.xml"));
    expect_levels(0, 0, 3, 8, 0, 0); /* a slow one: its cluster, then everybody */
    expect_levels(7, 0, 3, 8, 0, 0);
    expect_levels(8, 1, 2, 8, 0, 0); /* a fast one: its sibling, the other fast core, the slow ones */
    expect_levels(11, 1, 2, 8, 0, 0);
    every_thief_goes_near_first();
}

static void uneven_caches_give_each_thief_its_own_levels(void)
{
    build(fixture("uneven-caches.xml"));
    expect_levels(0, 0, 1, 4, 0, 7);
    expect_levels(2, 0, 3, 2, 0, 7);
    expect_levels(6, 0, 2, 0, 0, 10);
    expect_levels(9, 0, 0, 2, 0, 10);
    expect_levels(12, 0, 0, 0, 0, 12);
    every_thief_goes_near_first();
}

static void sockets_without_memory_are_nodes_all_the_same(void)
{
    build(fixture("memory-at-one-socket.xml"));
    TEST_ASSERT_EQUAL_UINT(3, machine.node_count);
    expect_levels_of_all(0, 3, 0, 0, 8);
}

static void far_sockets_come_by_their_distance(void)
{
    build(fixture("eight-in-a-row.xml"));
    expect_levels_of_all(0, 1, 0, 0, 14);
    /* From one end: the neighbour's cache, then one, two, three steps away, then the other four sockets together. */
    unsigned ends[] = {1, 3, 5, 7, 15};
    order_for(0);
    TEST_ASSERT_EQUAL_UINT(5, victims.ring_count);
    TEST_ASSERT_EQUAL_UINT_ARRAY(ends, victims.ring_end, 5);
    for (unsigned i = 1; i < 7; i++) TEST_ASSERT_EQUAL_UINT((i + 1) / 2, victims.worker[i] / 2);
    /* From socket 3, two at each of one, two and three steps, and the last on one side only. */
    unsigned inner_ends[] = {1, 5, 9, 13, 15};
    order_for(6);
    TEST_ASSERT_EQUAL_UINT_ARRAY(inner_ends, victims.ring_end, 5);
    TEST_ASSERT_EQUAL_UINT(7, victims.worker[13] / 2);
    TEST_ASSERT_EQUAL_UINT(7, victims.worker[14] / 2);
}

static void two_workers_on_one_pu_are_as_near_as_siblings(void)
{
    build_plain(2);
    unsigned crowded[] = {0, 1, 0, 1, 0};
    heist__victims_free(&victims, NULL);
    TEST_ASSERT_EQUAL_INT(0, heist__victims_init(&victims, &machine, crowded, 5, 2, NULL));
    TEST_ASSERT_EQUAL_UINT(2, victims.level_end[HEIST__SAME_CORE]);
    TEST_ASSERT_EQUAL_UINT(4, victims.worker[0]); /* the next number first, then round */
    TEST_ASSERT_EQUAL_UINT(0, victims.worker[1]);
    TEST_ASSERT_EQUAL_UINT(4, victims.count);
}

static void near_starts_anywhere_in_a_ring(void)
{
    build_plain(9);
    unsigned first[9] = {0}, rounds = test_scale(8000u);
    heist__strategy_state state;
    heist__strategy_init(&state, HEIST__STEAL_NEAR);
    for (unsigned i = 0; i < rounds; i++) {
        heist__search search;
        unsigned victim, level;
        heist__search_begin(&search, &victims, &state, &random_state, NULL, NULL);
        TEST_ASSERT_TRUE(heist__search_next(&search, &victim, &level));
        first[victim]++;
    }
    /* A share has a variance of rounds * 1/8 * 7/8; a bound of some six deviations, and a little for few rounds. */
    double expected = rounds / 8.0, bound = 36.0 * expected + 36.0;
    for (unsigned i = 1; i < 9; i++) {
        double off = first[i] - expected;
        TEST_ASSERT_TRUE_MESSAGE(off * off < bound, "one victim comes first too often or too rarely");
    }
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
        heist__strategy strategy = HEIST__STEAL_NEAR;
        TEST_ASSERT_EQUAL_STRING(words[s], heist__strategy_word(all_strategies[s]));
        TEST_ASSERT_EQUAL_INT(0, heist__strategy_parse(words[s], &strategy));
        TEST_ASSERT_EQUAL(all_strategies[s], strategy);
    }
    TEST_ASSERT_NULL(heist__strategy_word((heist__strategy)STRATEGIES));
}

static void other_words_are_refused(void)
{
    static const char *const words[] = {"", "nearest", "nea", "NEAR", " near", "most_loaded"};
    heist__strategy strategy = HEIST__STEAL_RANDOM;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        TEST_ASSERT_EQUAL_INT(-EINVAL, heist__strategy_parse(words[i], &strategy));
    }
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__strategy_parse(NULL, &strategy));
    TEST_ASSERT_EQUAL(HEIST__STEAL_RANDOM, strategy);
}

/* All on PU 0, but for the last: as many workers as there may be. */
static unsigned *crowd(unsigned workers)
{
    unsigned *where = calloc(workers, sizeof *where);
    TEST_ASSERT_NOT_NULL(where);
    where[workers - 1] = 1;
    return where;
}

static size_t load_of_last(const void *context, unsigned worker)
{
    (void)context;
    return worker == HEIST__WORKERS_MAX - 1 ? 2 : worker == 5;
}

static void as_many_workers_as_there_may_be(void)
{
    build_plain(2);
    unsigned *where = crowd(HEIST__WORKERS_MAX), victim = 0, level = 0, picks = 0;
    unsigned char *seen = calloc(HEIST__WORKERS_MAX, 1);
    heist__victims_free(&victims, NULL);
    TEST_ASSERT_EQUAL_INT(0, heist__victims_init(&victims, &machine, where, HEIST__WORKERS_MAX, 1000, NULL));

    heist__strategy_state state;
    heist__search search;
    heist__strategy_init(&state, HEIST__STEAL_NEAR);
    heist__search_begin(&search, &victims, &state, &random_state, NULL, NULL);
    for (; heist__search_next(&search, &victim, &level); picks++) seen[victim]++;
    TEST_ASSERT_EQUAL_UINT(HEIST__WORKERS_MAX - 1, picks);
    TEST_ASSERT_EQUAL_UINT(HEIST__WORKERS_MAX - 1, victim); /* the only one elsewhere comes last */
    TEST_ASSERT_EQUAL_UINT(HEIST__SAME_NODE, level);
    TEST_ASSERT_EQUAL_UINT8(0, seen[1000]);
    seen[1000] = 1;
    TEST_ASSERT_EACH_EQUAL_UINT8(1, seen, HEIST__WORKERS_MAX);

    heist__strategy_init(&state, HEIST__STEAL_MOST_LOADED);
    heist__search_begin(&search, &victims, &state, &random_state, load_of_last, NULL);
    TEST_ASSERT_TRUE(heist__search_next(&search, &victim, &level));
    TEST_ASSERT_EQUAL_UINT(HEIST__WORKERS_MAX - 1, victim);
    TEST_ASSERT_TRUE(heist__search_next(&search, &victim, &level));
    TEST_ASSERT_EQUAL_UINT(5, victim);
    TEST_ASSERT_FALSE(heist__search_next(&search, &victim, &level));
    free(seen);
    free(where);
}

static void too_many_or_no_workers_are_refused(void)
{
    build_plain(2);
    unsigned *where = crowd(HEIST__WORKERS_MAX + 1);
    heist__victims none;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__victims_init(&none, &machine, where, HEIST__WORKERS_MAX + 1, 0, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__victims_init(&none, &machine, where, 2, 2, NULL));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__victims_init(&none, &machine, where, 0, 0, NULL));
    TEST_ASSERT_NULL(none.worker);
    TEST_ASSERT_EQUAL_UINT(0, none.count);
    free(where);
}

static unsigned allocated;

static void *failing(size_t size)
{
    (void)size;
    return NULL;
}

static void *counting(size_t size)
{
    allocated++;
    return malloc(size);
}

static void uncounting(void *p)
{
    allocated--;
    free(p);
}

static void without_memory_there_is_an_error_and_nothing_else(void)
{
    build_plain(3);
    heist__victims none;
    TEST_ASSERT_EQUAL_INT(-ENOMEM, heist__victims_init(&none, &machine, pu_of, 3, 0, failing));
    TEST_ASSERT_NULL(none.worker);
    TEST_ASSERT_EQUAL_UINT(0, none.count);
}

static void memory_goes_back_to_where_it_came_from(void)
{
    build_plain(3);
    heist__victims some;
    allocated = 0;
    TEST_ASSERT_EQUAL_INT(0, heist__victims_init(&some, &machine, pu_of, 3, 0, counting));
    TEST_ASSERT_EQUAL_UINT(1, allocated);
    heist__victims_free(&some, uncounting);
    TEST_ASSERT_EQUAL_UINT(0, allocated);
    TEST_ASSERT_NULL(some.worker);
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
    RUN_TEST(a_laptop_shares_its_cache);
    RUN_TEST(a_desktop_has_siblings_then_cache_then_the_rest);
    RUN_TEST(two_sockets_are_far_from_each_other);
    RUN_TEST(sub_numa_clusters_do_not_count_a_cache_that_spans_them);
    RUN_TEST(eight_sockets_with_siblings);
    RUN_TEST(a_server_of_many_chiplets_uses_every_level);
    RUN_TEST(tiles_share_a_cache_of_two_cores);
    RUN_TEST(without_packages_another_node_is_far);
    RUN_TEST(packages_of_a_virtual_machine_are_in_one_node);
    RUN_TEST(a_single_cpu_has_no_victims);
    RUN_TEST(a_hybrid_laptop_has_two_kinds_of_neighbourhood);
    RUN_TEST(uneven_caches_give_each_thief_its_own_levels);
    RUN_TEST(sockets_without_memory_are_nodes_all_the_same);
    RUN_TEST(far_sockets_come_by_their_distance);
    RUN_TEST(two_workers_on_one_pu_are_as_near_as_siblings);
    RUN_TEST(near_starts_anywhere_in_a_ring);
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
    RUN_TEST(as_many_workers_as_there_may_be);
    RUN_TEST(too_many_or_no_workers_are_refused);
    RUN_TEST(without_memory_there_is_an_error_and_nothing_else);
    RUN_TEST(memory_goes_back_to_where_it_came_from);
    RUN_TEST(random_numbers_stay_below_and_reach_everything);
    RUN_TEST(no_seed_stands_still);
    RUN_TEST(neighbouring_streams_are_unlike);
    return UNITY_END();
}
