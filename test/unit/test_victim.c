/* The order of victims on machines that are not here: the nearest first, and each once. */
#include "../topologies/fixture.h"
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

/* A worker on every PU, in the machine's own order: worker i sits on PU i. */
static void build(const char *description)
{
    load_machine(&machine, description);
    TEST_ASSERT_LESS_OR_EQUAL_UINT(WORKERS_MOST, machine.pu_count);
    heist__place(&machine, HEIST__BIND_COMPACT, machine.pu_count, pu_of);
}

/* The rule for any machine and any thief: every other worker once, nearest first, with the right levels. */
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
    expect_levels(0, 0, 3, 8, 0, 0); /* a slow one: its cluster, then all */
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

/* ---- words, limits, memory ---- */

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
    RUN_TEST(as_many_workers_as_there_may_be);
    RUN_TEST(too_many_or_no_workers_are_refused);
    RUN_TEST(without_memory_there_is_an_error_and_nothing_else);
    RUN_TEST(memory_goes_back_to_where_it_came_from);
    return UNITY_END();
}
