/* test_lead_in.c: when a loop is shared, how many iterations run before that, and how long a worker spins: the two
 * policies, told what time it is. */
#include "idle/spin_budget.h"
#include "loop/lead_in.h"
#include "loop/loop_costs.h"
#include "loop/plan.h"
#include "support.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
}

/* Runs a lead-in over units of `ns` each. Returns how many ran alone; *largest is the most at once. */
static uint64_t alone(uint64_t units, unsigned at_once, double known, double ns, bool sought, uint64_t *largest)
{
    heist__lead_in lead;
    uint64_t ran = 0;
    *largest = 0;
    heist__lead_in_begin(&lead, units, at_once, known, sought);
    while (lead.next > 0) {
        if (lead.next > *largest) *largest = lead.next;
        ran += lead.next;
        heist__lead_in_ran(&lead, (int64_t)((double)lead.next * ns) + 20, sought);
        TEST_ASSERT_EQUAL_UINT64(units - ran, lead.left);
    }
    return ran;
}

static void a_short_loop_is_run_alone(void)
{
    uint64_t largest;
    TEST_ASSERT_EQUAL_UINT64(1000, alone(1000, 2, 0, 3, true, &largest));    /* 3 us, a worker searches */
    TEST_ASSERT_EQUAL_UINT64(10000, alone(10000, 2, 0, 4, false, &largest)); /* 40 us, all sleep */
}

static void a_longer_one_is_shared_within_a_microsecond(void)
{
    for (double ns = 0.5; ns < 500; ns *= 2) {
        uint64_t largest, ran = alone(1000000, 2, 0, ns, true, &largest);
        TEST_ASSERT_LESS_OR_EQUAL(1400, (uint64_t)((double)ran * ns));
        TEST_ASSERT_GREATER_THAN_UINT64(0, ran);
    }
}

static void whether_others_search_decides(void)
{
    uint64_t largest;
    TEST_ASSERT_LESS_THAN_UINT64(1000, alone(4000, 2, 0, 5, true, &largest)); /* 20 us */
    TEST_ASSERT_EQUAL_UINT64(4000, alone(4000, 2, 0, 5, false, &largest));
}

static void dear_units_are_not_waited_for(void)
{
    uint64_t largest;
    TEST_ASSERT_EQUAL_UINT64(1, alone(320, 2, 0, 200000, false, &largest)); /* one, to know */
    TEST_ASSERT_EQUAL_UINT64(0, alone(31, 2, 0, 200000, false, &largest));  /* none to spare */
    TEST_ASSERT_EQUAL_UINT64(0, alone(8, 8, 0, 200000, true, &largest));
    TEST_ASSERT_EQUAL_UINT64(1, alone(320, 2, 1, 200000, false, &largest)); /* short the last time */
    TEST_ASSERT_EQUAL_UINT64(1, alone(8, 8, 1, 200000, true, &largest));
    TEST_ASSERT_EQUAL_UINT64(0, alone(8, 8, 200000, 200000, true, &largest)); /* known to be dear */
}

static void what_is_known_to_be_short_is_not_shared(void)
{
    uint64_t largest;
    TEST_ASSERT_EQUAL_UINT64(10, alone(10, 2, 5, 5, true, &largest));
    TEST_ASSERT_EQUAL_UINT64(0, alone(1000000, 2, 5, 5, true, &largest)); /* known to be long: shared at once */
}

static void no_batch_is_large(void)
{
    for (uint64_t units = 100; units < 100000000; units *= 7) {
        uint64_t largest, part = units / (4 * HEIST__LARGEST_PART);
        alone(units, 4, 0, 0.001, true, &largest);
        TEST_ASSERT_LESS_OR_EQUAL(part > 64 ? part : 64, largest);
    }
}

static void costs_are_remembered_by_body(void)
{
    heist__loop_costs costs = {0};
    TEST_ASSERT_TRUE(heist__loop_costs_get(&costs, 4096) == 0);
    heist__loop_costs_set(&costs, 4096, 2.5);
    TEST_ASSERT_TRUE(heist__loop_costs_get(&costs, 4096) == 2.5);
    TEST_ASSERT_TRUE(heist__loop_costs_get(&costs, 4096 + 16) == 0);
    for (uintptr_t body = 1; body < 100000; body += 16) heist__loop_costs_set(&costs, body, 1);
    TEST_ASSERT_TRUE(heist__loop_costs_get(&costs, 4096) == 0); /* forgotten, not mistaken */
}

/* ---- spinning ---- */

static int64_t now = 1000000;

/* A wait that ends after `ns`, in rounds of 5 us while it spins. Returns how long it has spun. */
static int64_t waits(heist__spin_budget *b, int64_t ns)
{
    const int64_t began = now;
    int64_t spun = 0;
    heist__spin_begin(b, now);
    while (now - began < ns) {
        now += 5000;
        spun = now - began;
        if (!heist__spin_on(b, now)) break;
    }
    if (now < began + ns) now = began + ns;
    heist__spin_end(b, now);
    return spun;
}

static void short_waits_are_spun_through(void)
{
    heist__spin_budget b = {0};
    for (int i = 0; i < 20; i++) waits(&b, 200000);
    TEST_ASSERT_EQUAL_INT64(200000, waits(&b, 200000));
    for (int i = 0; i < 200; i++) waits(&b, 10000);
    TEST_ASSERT_LESS_OR_EQUAL(HEIST__SPIN_LEAST_NS + 5000, waits(&b, 200000)); /* a round more than the least */
}

static void long_waits_are_slept_through(void)
{
    heist__spin_budget b = {0};
    TEST_ASSERT_EQUAL_INT64(HEIST__SPIN_FIRST_NS, waits(&b, 10000000));
    for (int i = 0; i < 20; i++) TEST_ASSERT_LESS_OR_EQUAL(HEIST__SPIN_FIRST_NS, waits(&b, 10000000));
    TEST_ASSERT_EQUAL_INT64(HEIST__SPIN_LEAST_NS, waits(&b, 10000000));
}

static void nobody_spins_for_longer_than_the_most(void)
{
    heist__spin_budget b = {0};
    for (int i = 0; i < 100; i++) TEST_ASSERT_LESS_OR_EQUAL(HEIST__SPIN_MOST_NS, waits(&b, 1000 + (int64_t)i * 10000));
}

static void a_worker_that_was_disturbed_sleeps(void)
{
    heist__spin_budget b = {0};
    for (int i = 0; i < 20; i++) waits(&b, 200000);
    heist__spin_begin(&b, now);
    TEST_ASSERT_TRUE(heist__spin_on(&b, now + 5000));
    TEST_ASSERT_FALSE(heist__spin_on(&b, now + 5000 + HEIST__SPIN_DISTURBED_NS + 1)); /* another program ran */
    heist__spin_end(&b, now + 200000);
    now += 200000;
    TEST_ASSERT_EQUAL_INT64(HEIST__SPIN_LEAST_NS, waits(&b, 1000000));
}

static void a_sleep_is_no_disturbance(void)
{
    heist__spin_budget b = {0};
    heist__spin_begin(&b, now);
    heist__spin_woken(&b, now + 150000);
    TEST_ASSERT_TRUE(heist__spin_on(&b, now + 151000));
    TEST_ASSERT_FALSE(heist__spin_on(&b, now + 150000 + HEIST__SPIN_LEAST_NS));
    heist__spin_end(&b, now + 180000);
    now += 180000;
    TEST_ASSERT_EQUAL_INT64(200000, waits(&b, 200000)); /* it spins twice as long as that the next time */
}

static void a_clock_that_stands_still_ends_the_spinning(void)
{
    heist__spin_budget b = {0};
    int rounds = 0;
    heist__spin_begin(&b, 0);
    while (heist__spin_on(&b, 0)) rounds++;
    TEST_ASSERT_LESS_THAN(HEIST__SPIN_ROUNDS_MOST, rounds);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_short_loop_is_run_alone);
    RUN_TEST(a_longer_one_is_shared_within_a_microsecond);
    RUN_TEST(whether_others_search_decides);
    RUN_TEST(dear_units_are_not_waited_for);
    RUN_TEST(what_is_known_to_be_short_is_not_shared);
    RUN_TEST(no_batch_is_large);
    RUN_TEST(costs_are_remembered_by_body);
    RUN_TEST(short_waits_are_spun_through);
    RUN_TEST(long_waits_are_slept_through);
    RUN_TEST(nobody_spins_for_longer_than_the_most);
    RUN_TEST(a_worker_that_was_disturbed_sleeps);
    RUN_TEST(a_sleep_is_no_disturbance);
    RUN_TEST(a_clock_that_stands_still_ends_the_spinning);
    return UNITY_END();
}
