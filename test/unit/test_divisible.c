/* The model of divisible work with latency gives the published figures. */
#include <math.h>

#include "simulate/divisible.h"
#include "test_scale.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

typedef struct {
    double mean, deviation;
} sample;

static sample runs_of(heist__divisible d, unsigned runs)
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < runs; i++) {
        d.seed = i + 1;
        const double time = (double)heist__divisible_run(&d);
        TEST_ASSERT_TRUE(time * d.processors >= (double)d.work);
        sum += time;
        squares += time * time;
    }
    const double mean = sum / runs;
    return (sample){mean, sqrt(squares / runs - mean * mean)};
}

/* (T - W/p) / (lambda log2(W/lambda)), one answer at a time. */
static void the_overhead_has_the_published_constant(void)
{
    const struct {
        unsigned processors;
        double constant;
    } published[] = {{16, 2.44}, {32, 2.9}, {64, 3.28}};
    for (unsigned i = 0; i < 3; i++) {
        double sum = 0;
        unsigned count = 0;
        for (int64_t latency = 2; latency <= 512; latency *= 4) {
            const heist__divisible d = {published[i].processors, 10000000, latency, 1, 0, true, 1};
            const double share = (double)d.work / d.processors;
            sum += (runs_of(d, 200).mean - share) / ((double)latency * log2((double)d.work / (double)latency));
            count++;
        }
        TEST_ASSERT_TRUE(fabs(sum / count - published[i].constant) <= 0.08 * published[i].constant);
    }
}

/* The means of 200 runs, each within the spread of the runs. */
static void two_clusters_take_the_published_times(void)
{
    const struct {
        int64_t latency;
        double time;
    } published[] = {{64, 626690}, {128, 628095}, {256, 630753}, {512, 635856}, {1024, 644832}};
    for (unsigned i = 0; i < 5; i++) {
        const heist__divisible d = {16, 10000000, published[i].latency, 2, 0.5, true, 1};
        const sample s = runs_of(d, 200);
        TEST_ASSERT_TRUE(fabs(s.mean - published[i].time) <= s.deviation);
        TEST_ASSERT_TRUE(fabs(s.mean - published[i].time) <= 0.003 * published[i].time);
    }
}

static void a_seed_gives_one_time(void)
{
    const heist__divisible d = {32, 100000, 16, 1, 0, false, 7};
    TEST_ASSERT_EQUAL_INT64(heist__divisible_run(&d), heist__divisible_run(&d));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_overhead_has_the_published_constant);
    RUN_TEST(two_clusters_take_the_published_times);
    RUN_TEST(a_seed_gives_one_time);
    return UNITY_END();
}
