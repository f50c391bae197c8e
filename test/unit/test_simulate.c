/* The simulator keeps what is known exactly about schedules: bounds of the time and of the steals, and counts. A seed
 * gives one result. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "simulate/event_queue.h"
#include "simulate_support.h"
#include "test_scale.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void events_come_in_the_order_of_time_and_then_of_workers(void)
{
    heist__event_queue q;
    int64_t at[37];
    heist__random random;
    heist__random_seed(&random, 1, 0);
    TEST_ASSERT_EQUAL_INT(0, heist__events_init(&q, 37));
    for (unsigned i = 0; i < 37; i++) heist__events_set(&q, i, at[i] = heist__random_below(&random, 20));
    for (unsigned step = 0; step < test_scale(20000u); step++) {
        unsigned first = 0;
        for (unsigned i = 1; i < 37; i++) {
            if (at[i] < at[first]) first = i;
        }
        TEST_ASSERT_EQUAL_UINT(first, heist__events_first(&q));
        const unsigned moved = step % 3 ? first : heist__random_below(&random, 37);
        at[moved] = at[moved] == HEIST__NEVER ? at[first] : at[moved] + heist__random_below(&random, 20);
        if (step % 11 == 0) at[moved] = HEIST__NEVER;
        heist__events_set(&q, moved, at[moved]);
    }
    heist__events_free(&q);
}

static const char *const programs[] = {
    "fib:n=16",
    "tree:k=3,h=7",
    "nqueens:n=7",
    "uts:tree=T3S",
    "loop:n=20000,schedule=static,shape=random",
    "loop:n=20000,schedule=steal,shape=triangular",
    "loop:n=20000,schedule=shared,shape=heavy",
    "loop:n=20000,schedule=hybrid,shape=constant",
    "gemm:n=200,tile=20",
    "lfsr:bits=14,batch=64",
    "tasks:n=300,least=1us,most=9us",
    "spawning:n=200,every=0",
    "imbalanced:n=400,first=390,least=1us,most=2us",
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static const char *const machines[] = {"free", "flat", "laptop", "two-socket", "4 x laptop"};
enum { MACHINES = sizeof machines / sizeof *machines };

/* All programs run their whole work, wherever and however they are run. */
static void work_and_span_bound_the_time(void)
{
    const unsigned workers[] = {1, 2, 7, 32};
    for (unsigned i = 0; i < PROGRAMS; i++) {
        int64_t work = -1;
        for (unsigned m = 0; m < MACHINES; m++) {
            for (unsigned n = 0; n < 4; n++) {
                heist__sim_settings s = with(workers[n], (heist__strategy)((i + m + n) % 6));
                s.half = n & 1;
                s.cold = m & 1;
                heist__sim_result r = simulated(programs[i], machines[m], &s);
                char what[100];
                snprintf(what, sizeof what, "%s on %u of %s", programs[i], workers[n], machines[m]);
                if (work < 0) work = r.work;
                TEST_ASSERT_EQUAL_INT64_MESSAGE(work, r.work, what);
                TEST_ASSERT_TRUE_MESSAGE(r.time >= r.span && r.time * workers[n] >= r.work, what);
                TEST_ASSERT_TRUE_MESSAGE(r.busy >= r.work && r.busy <= r.time * workers[n], what);
                if (workers[n] == 1 && m == 0) TEST_ASSERT_EQUAL_INT64_MESSAGE(r.work, r.time, what);
                if (workers[n] == 1) TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, heist__sim_stolen(&r), what);
                heist__sim_result_free(&r);
            }
        }
    }
}

/* Where no task waits at a join and nothing costs anything, no worker idles while a task is ready. */
static void free_steals_of_jobs_are_greedy(void)
{
    const char *const jobs[] = {"tasks:n=300,least=1us,most=9us", "spawning:n=200,every=0",
                                "imbalanced:n=400,first=390,least=1us,most=2us"};
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned how = 0; how < 6; how++) {
            for (unsigned workers = 2; workers <= 32; workers *= 2) {
                heist__sim_settings s = with(workers, (heist__strategy)how);
                heist__sim_result r = simulated(jobs[i], "free", &s);
                char what[120];
                snprintf(what, sizeof what, "%s, %u workers, %s", jobs[i], workers, heist__strategy_words[how]);
                TEST_ASSERT_TRUE_MESSAGE(r.time <= r.work / workers + r.span + 1, what);
                heist__sim_result_free(&r);
            }
        }
    }
}

static double binomial(unsigned n, unsigned k)
{
    double product = 1;
    for (unsigned i = 0; i < k; i++) product = product * (n - i) / (i + 1);
    return k > n ? 0 : product;
}

/* The bound of Leiserson, Schardl and Suksompong for a complete k-ary tree of height h on n workers. */
static void a_complete_tree_is_stolen_from_no_more_often_than_the_bound(void)
{
    for (unsigned k = 2; k <= 4; k++) {
        for (unsigned h = 1; h <= 8; h++) {
            for (unsigned n = 2; n <= 16; n *= 2) {
                double bound = 0;
                for (unsigned i = 1; i <= n; i++) bound += pow(k - 1, i) * binomial(h, i);
                for (unsigned m = 0; m < 3; m++) {
                    char program[40];
                    snprintf(program, sizeof program, "tree:k=%u,h=%u,grain=30", k, h);
                    heist__sim_settings s = with(n, HEIST__STEAL_RANDOM);
                    heist__sim_result r = simulated(program, machines[m], &s);
                    TEST_ASSERT_TRUE_MESSAGE((double)heist__sim_stolen(&r) <= bound, program);
                    heist__sim_result_free(&r);
                }
            }
        }
    }
}

static void counts_of_known_trees_are_exact(void)
{
    const struct {
        const char *program;
        uint64_t tasks;
    } known[] = {
        {"uts:tree=T1S", 26417}, {"uts:tree=T2S", 16459}, {"uts:tree=T3S", 39137},
        {"uts:tree=T4S", 16337}, {"uts:tree=T5S", 23735}, {"nqueens:n=8", 2057},
        {"fib:n=20", 21891},     {"tree:k=3,h=8", 9841},  {"uts:tree=T1", 4130071},
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].tasks > 1000000 && test_scale_percent() < 100) continue;
        heist__sim_settings s = with(5, HEIST__STEAL_NEAR);
        heist__sim_result r = simulated(known[i].program, "laptop", &s);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(known[i].tasks, r.tasks, known[i].program);
        uint64_t executed = 0;
        for (unsigned n = 0; n < 5; n++) executed += r.of[n].executed;
        TEST_ASSERT_EQUAL_UINT64(r.tasks, executed);
        heist__sim_result_free(&r);
    }
}

static void a_seed_gives_one_result_and_another_seed_another(void)
{
    heist__sim_settings s = with(16, HEIST__STEAL_RANDOM);
    heist__sim_result a = simulated("fib:n=18", "two-socket", &s), b = simulated("fib:n=18", "two-socket", &s);
    s.seed = 2;
    heist__sim_result c = simulated("fib:n=18", "two-socket", &s);
    TEST_ASSERT_EQUAL_INT64(a.time, b.time);
    TEST_ASSERT_EQUAL_UINT64(a.events, b.events);
    TEST_ASSERT_EQUAL_MEMORY(a.of, b.of, 16 * sizeof *a.of);
    TEST_ASSERT_TRUE(a.time != c.time || a.events != c.events);
    heist__sim_result_free(&a);
    heist__sim_result_free(&b);
    heist__sim_result_free(&c);
}

/* near, on two packages: most steals are near ones, and random has more far ones. */
static void near_steals_are_nearer_than_random_ones(void)
{
    heist__sim_settings s = with(64, HEIST__STEAL_NEAR);
    heist__sim_result near = simulated("tree:h=14,grain=1us", "two-socket", &s);
    s.strategy = HEIST__STEAL_RANDOM;
    heist__sim_result any = simulated("tree:h=14,grain=1us", "two-socket", &s);
    TEST_ASSERT_TRUE(near.steals[HEIST__SAME_CACHE] > near.steals[HEIST__FAR]);
    TEST_ASSERT_TRUE(any.steals[HEIST__FAR] * heist__sim_stolen(&near) >
                     near.steals[HEIST__FAR] * heist__sim_stolen(&any));
    heist__sim_result_free(&near);
    heist__sim_result_free(&any);
}

/* A sleeper is woken by the chain of wakes, and comes later than a searcher. */
static void a_cold_pool_spreads_later_than_a_warm_one(void)
{
    heist__sim_settings s = with(8, HEIST__STEAL_NEAR);
    heist__sim_result warm = simulated("tree:h=14,grain=1us", "laptop", &s);
    s.cold = true;
    heist__sim_result cold = simulated("tree:h=14,grain=1us", "laptop", &s);
    TEST_ASSERT_EQUAL_UINT(8, cold.used);
    TEST_ASSERT_TRUE(cold.wakes >= 7);
    TEST_ASSERT_EQUAL_UINT64(0, warm.wakes);
    TEST_ASSERT_TRUE(cold.spread > warm.spread + 20000000);
    heist__sim_result_free(&warm);
    heist__sim_result_free(&cold);
}

/* Two siblings of a core run at smt of their speed; memory has a roof. */
static void siblings_and_memory_slow_work_down(void)
{
    heist__sim_settings s = with(2, HEIST__STEAL_NEAR);
    s.bind = HEIST__BIND_COMPACT;
    heist__sim_result together = simulated("tasks:n=2,least=1ms,most=1ms,seed=3", "laptop", &s);
    s.bind = HEIST__BIND_CORE;
    heist__sim_result apart = simulated("tasks:n=2,least=1ms,most=1ms,seed=3", "laptop", &s);
    TEST_ASSERT_TRUE(together.time > apart.time * 3 / 2);
    heist__sim_result_free(&together);
    heist__sim_result_free(&apart);
    s = with(8, HEIST__STEAL_NEAR);
    heist__sim_result light = simulated("gemm:n=400,tile=20,memory=0.1", "laptop", &s);
    heist__sim_result heavy = simulated("gemm:n=400,tile=20,memory=1", "laptop", &s);
    TEST_ASSERT_TRUE(heavy.time > light.time * 11 / 10);
    TEST_ASSERT_EQUAL_INT64(light.work, heavy.work);
    heist__sim_result_free(&light);
    heist__sim_result_free(&heavy);
}

static void many_tasks_on_many_workers_are_simulated(void)
{
    heist__sim_settings s = with(1024, HEIST__STEAL_NEAR);
    heist__sim_result r =
        simulated(test_scale_percent() < 100 ? "tree:k=10,h=4,grain=1us" : "tree:k=10,h=6,grain=1us", "flat", &s);
    TEST_ASSERT_TRUE(r.used > 500);
    TEST_ASSERT_TRUE(r.time * 1024 >= r.work);
    heist__sim_result_free(&r);
}

static void too_many_events_are_an_error(void)
{
    heist__sim_machine m;
    heist__sim_program p;
    heist__sim_result r;
    heist__sim_settings s = with(4, HEIST__STEAL_NEAR);
    s.most_events = 1000;
    TEST_ASSERT_EQUAL_INT(0, heist__sim_machine_make(&m, "flat", NULL, error, sizeof error));
    TEST_ASSERT_EQUAL_INT(0, heist__sim_program_make(&p, "fib:n=30", error, sizeof error));
    TEST_ASSERT_EQUAL_INT(-E2BIG, heist__sim_run(&r, &m, &p, &s, error, sizeof error));
    TEST_ASSERT_EQUAL_STRING("more than 1000 events", error);
    heist__sim_program_free(&p);
    heist__sim_machine_free(&m);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(events_come_in_the_order_of_time_and_then_of_workers);
    RUN_TEST(work_and_span_bound_the_time);
    RUN_TEST(free_steals_of_jobs_are_greedy);
    RUN_TEST(a_complete_tree_is_stolen_from_no_more_often_than_the_bound);
    RUN_TEST(counts_of_known_trees_are_exact);
    RUN_TEST(a_seed_gives_one_result_and_another_seed_another);
    RUN_TEST(near_steals_are_nearer_than_random_ones);
    RUN_TEST(a_cold_pool_spreads_later_than_a_warm_one);
    RUN_TEST(siblings_and_memory_slow_work_down);
    RUN_TEST(many_tasks_on_many_workers_are_simulated);
    RUN_TEST(too_many_events_are_an_error);
    return UNITY_END();
}
