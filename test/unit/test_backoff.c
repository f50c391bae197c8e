/* test_backoff.c: the rounds of an idle worker: how long each is, and what follows when they are used up. */
#include "idle/backoff.h"
#include "test_scale.h"
#include "unity.h"

#include <string.h>

static heist__backoff backoff;
static heist__random random_state;

void setUp(void)
{
    heist__random_seed(&random_state, 42, 0);
}

void tearDown(void)
{
}

static uint32_t next(void)
{
    return heist__backoff_next(&backoff, &random_state);
}

/* The wait of a round before jitter, said in another way than the code does. */
static uint64_t doubled(unsigned round, uint64_t cap)
{
    uint64_t wait = 1;
    for (unsigned i = 0; i < round && wait < cap; i++) wait *= 2;
    return wait < cap ? wait : cap;
}

static void every_wait_is_within_half_of_its_doubling(uint32_t cap)
{
    heist__backoff_init(&backoff, 40, 0, cap);
    for (unsigned repeat = 0; repeat < test_scale(500u); repeat++) {
        heist__backoff_reset(&backoff);
        for (unsigned round = 0; round < 40; round++) {
            uint64_t wait = doubled(round, cap);
            uint32_t pauses = next();
            TEST_ASSERT_TRUE(pauses >= 1);
            TEST_ASSERT_TRUE(pauses >= wait / 2);
            TEST_ASSERT_TRUE(pauses <= wait + wait / 2);
        }
    }
}

static void waits_double_up_to_the_cap(void)
{
    every_wait_is_within_half_of_its_doubling(1);
    every_wait_is_within_half_of_its_doubling(3);
    every_wait_is_within_half_of_its_doubling(256);
    every_wait_is_within_half_of_its_doubling(UINT32_C(1) << 31);
}

static void jitter_goes_both_ways_and_all_the_way(void)
{
    unsigned seen[200] = {0}, below = 0, rounds = test_scale(20000u);
    heist__backoff_init(&backoff, 20, 0, 100);
    for (unsigned i = 0; i < rounds; i++) {
        backoff.round = 10; /* at the cap: 50 to 150 */
        uint32_t pauses = next();
        TEST_ASSERT_TRUE(pauses >= 50 && pauses <= 150);
        seen[pauses]++;
        below += pauses < 100;
    }
    double off = below - rounds * 50.0 / 101.0;
    TEST_ASSERT_TRUE(off * off < 36.0 * (rounds / 4.0 + 1.0));
    if (rounds < 20000) return; /* too few to have met every wait */
    for (unsigned i = 50; i <= 150; i++) TEST_ASSERT_TRUE(seen[i] > 0);
}

static void two_thieves_do_not_wait_alike(void)
{
    heist__backoff other;
    heist__random others;
    heist__backoff_init(&backoff, 30, 0, 1u << 20);
    heist__backoff_init(&other, 30, 0, 1u << 20);
    heist__random_seed(&others, 42, 1);
    unsigned alike = 0;
    for (unsigned round = 0; round < 30; round++) alike += next() == heist__backoff_next(&other, &others);
    TEST_ASSERT_TRUE(alike < 10); /* the first round is 1 for all, and small ones meet by chance */
}

static void the_same_seed_waits_the_same(void)
{
    uint32_t first[20];
    heist__backoff_init(&backoff, 20, 0, 1000);
    for (unsigned i = 0; i < 20; i++) first[i] = next();
    heist__backoff_reset(&backoff);
    heist__random_seed(&random_state, 42, 0);
    for (unsigned i = 0; i < 20; i++) TEST_ASSERT_EQUAL_UINT32(first[i], next());
}

static void first_spin_then_yield_then_park(void)
{
    heist__backoff_init(&backoff, 3, 2, 64);
    for (unsigned i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL(HEIST__SPIN, heist__backoff_step(&backoff));
        TEST_ASSERT_TRUE(next() > 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL(HEIST__YIELD, heist__backoff_step(&backoff));
        TEST_ASSERT_EQUAL_UINT32(0, next());
    }
    for (unsigned i = 0; i < 10; i++) {
        TEST_ASSERT_EQUAL(HEIST__PARK, heist__backoff_step(&backoff));
        TEST_ASSERT_EQUAL_UINT32(0, next());
    }
}

static void success_begins_again(void)
{
    heist__backoff_init(&backoff, 3, 2, 64);
    for (unsigned i = 0; i < 20; i++) next();
    heist__backoff_reset(&backoff);
    TEST_ASSERT_EQUAL(HEIST__SPIN, heist__backoff_step(&backoff));
    TEST_ASSERT_EQUAL_UINT32(1, next()); /* the shortest wait, not the cap */
}

static void a_step_without_rounds_is_left_out(void)
{
    heist__backoff_init(&backoff, 0, 1, 64);
    TEST_ASSERT_EQUAL(HEIST__YIELD, heist__backoff_step(&backoff));
    next();
    TEST_ASSERT_EQUAL(HEIST__PARK, heist__backoff_step(&backoff));
    heist__backoff_init(&backoff, 1, 0, 64);
    TEST_ASSERT_EQUAL(HEIST__SPIN, heist__backoff_step(&backoff));
    next();
    TEST_ASSERT_EQUAL(HEIST__PARK, heist__backoff_step(&backoff));
    heist__backoff_init(&backoff, 0, 0, 64);
    TEST_ASSERT_EQUAL(HEIST__PARK, heist__backoff_step(&backoff));
}

static void absurd_budgets_stay_in_bounds(void)
{
    heist__backoff_init(&backoff, UINT32_MAX, UINT32_MAX, 0);
    for (unsigned i = 0; i < 100; i++) TEST_ASSERT_EQUAL_UINT32(1, next());
    TEST_ASSERT_EQUAL(HEIST__SPIN, heist__backoff_step(&backoff));
    heist__backoff_init(&backoff, UINT32_MAX, 0, UINT32_MAX);
    backoff.round = UINT32_MAX - 1;
    TEST_ASSERT_TRUE(next() >= UINT32_C(1) << 30);
    TEST_ASSERT_EQUAL(HEIST__PARK, heist__backoff_step(&backoff));
}

static void the_default_budget_is_bounded(void)
{
    uint64_t pauses = 0;
    unsigned rounds = 0;
    heist__backoff_init(&backoff, HEIST__SPIN_ROUNDS, HEIST__YIELD_ROUNDS, HEIST__SPIN_CAP);
    while (heist__backoff_step(&backoff) != HEIST__PARK) {
        uint32_t wait = next();
        pauses += wait;
        rounds++;
        for (uint32_t i = 0; i < wait; i++) heist__pause();
    }
    TEST_ASSERT_EQUAL_UINT(HEIST__SPIN_ROUNDS + HEIST__YIELD_ROUNDS, rounds);
    TEST_ASSERT_TRUE(pauses >= HEIST__SPIN_ROUNDS);
    TEST_ASSERT_TRUE(pauses <= (uint64_t)HEIST__SPIN_ROUNDS * HEIST__SPIN_CAP * 3 / 2);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(waits_double_up_to_the_cap);
    RUN_TEST(jitter_goes_both_ways_and_all_the_way);
    RUN_TEST(two_thieves_do_not_wait_alike);
    RUN_TEST(the_same_seed_waits_the_same);
    RUN_TEST(first_spin_then_yield_then_park);
    RUN_TEST(success_begins_again);
    RUN_TEST(a_step_without_rounds_is_left_out);
    RUN_TEST(absurd_budgets_stay_in_bounds);
    RUN_TEST(the_default_budget_is_bounded);
    return UNITY_END();
}
