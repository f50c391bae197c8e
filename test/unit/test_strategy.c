/* Every strategy, amount, fence mode and binding: the same results, and nothing lost. */
#include <stdio.h>

#include "schedule/pool.h"
#include "support.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

/* An unbalanced tree: node i has as many children as its number says. */
HEIST_TASK(long, grow, uint64_t, number, int, depth)
{
    if (depth == 0) {
        if (number % 32 == 0) give_way(); /* also on a busy machine a thief gets a chance */
        return 1;
    }
    HEIST_CHILD(grow) children[5];
    uint64_t state = number;
    int n = (int)(draw(&state) % 6);
    for (int i = 0; i < n; i++) HEIST_SPAWN_AT(&children[i], grow, number * 5 + (uint64_t)i + 1, depth - 1);
    long nodes = 1;
    for (int i = 0; i < n; i++) nodes += HEIST_SYNC_AT(&children[(i + n / 2) % n], grow);
    return nodes;
}

static long grow_serial(uint64_t number, int depth)
{
    if (depth == 0) return 1;
    uint64_t state = number;
    int n = (int)(draw(&state) % 6);
    long nodes = 1;
    for (int i = 0; i < n; i++) nodes += grow_serial(number * 5 + (uint64_t)i + 1, depth - 1);
    return nodes;
}

/* A burst of detached tasks, each of which detaches a few more. */
static int burst_ran;

static void burst(void *argument)
{
    uintptr_t depth = (uintptr_t)argument;
    __atomic_fetch_add(&burst_ran, 1, __ATOMIC_RELAXED);
    for (int i = 0; depth > 0 && i < 3; i++) {
        int error = heist_detach(NULL, burst, (void *)(depth - 1));
        if (error) __atomic_fetch_add(&burst_ran, 1000000, __ATOMIC_RELAXED);
    }
}

static heist_options options_of(heist_strategy strategy, heist_amount amount, heist_fences fences, heist_bind bind)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 4;
    options.strategy = strategy;
    options.amount = amount;
    options.fences = fences;
    options.bind = bind;
    return options;
}

static uint64_t stolen; /* in all pools since it was set to 0 */

static void computes_right(heist_options options, const char *about)
{
    static long expected;
    const int depth = 9;
    if (expected == 0) expected = grow_serial(10, depth);
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    for (int round = 0; round < 3; round++) {
        TEST_ASSERT_EQUAL_INT64_MESSAGE(expected, HEIST_RUN(pool, grow, 10, depth), about);
        burst_ran = 0;
        TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, burst, (void *)5, HEIST_WAIT));
        TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
        TEST_ASSERT_EQUAL_INT_MESSAGE(364, burst_ran, about); /* 1 + 3 + ... + 3^5 */
    }
    heist_stats stats = stats_of(pool);
    stolen += steals_in(&stats);
    free_pool(pool);
}

static void all_bindings_compute_the_same(heist_strategy strategy, heist_amount amount, heist_fences fences)
{
    for (int bind = HEIST_BIND_NONE; bind <= HEIST_BIND_NODE; bind++) {
        char about[120];
        snprintf(about, sizeof about, "strategy %d, amount %d, %s, bind %d", (int)strategy, (int)amount,
                 fence_word(fences), bind);
        computes_right(options_of(strategy, amount, fences, (heist_bind)bind), about);
    }
}

/* Checks the results. True: enough was stolen for that to mean anything. */
static bool computes_the_same_with_thieves(void *strategy)
{
    stolen = 0;
    for (int amount = HEIST_AMOUNT_ONE; amount <= HEIST_AMOUNT_HALF; amount++) {
        FOR_BOTH_FENCE_MODES(mode)
        {
            all_bindings_compute_the_same(*(heist_strategy *)strategy, (heist_amount)amount, *mode);
        }
    }
    return stolen > 20;
}

static void every_strategy_amount_fence_mode_and_binding_computes_the_same(void)
{
    for (int i = HEIST_STRATEGY_NEAR; i <= HEIST_STRATEGY_ADAPTIVE; i++) {
        heist_strategy strategy = (heist_strategy)i;
        TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(computes_the_same_with_thieves, &strategy),
                                 "hardly anything was stolen: nothing was tested");
    }
}

static void every_seed_computes_the_same(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        heist_options options =
            options_of(HEIST_STRATEGY_RANDOM, HEIST_AMOUNT_HALF, HEIST_FENCES_DEFAULT, HEIST_BIND_NONE);
        options.seed = seed;
        computes_right(options, "seeded");
    }
}

/* ---- the options reach the thieves ---- */

static unsigned seeds_seen;

/* Each draw moves a generator one step on, and no step leads to the same state twice: so it began with this seed if
 * it is a few steps behind it, and with no other. */
static bool began_with(const heist__random *now, uint64_t seed, unsigned stream)
{
    heist__random r;
    heist__random_seed(&r, seed, stream);
    for (int i = 0; i < 1000000; i++, heist__random_next(&r)) {
        if (r.state == now->state) return true;
    }
    return false;
}

static void look_at_seed(void *argument)
{
    const heist_options *options = argument;
    heist__worker *w = heist__self();
    for (unsigned stream = 0; stream < 2; stream++) {
        if (began_with(&w->random, options->seed, stream) != (stream == w->index)) return;
    }
    if (!began_with(&w->random, options->seed + 1, w->index)) __atomic_fetch_add(&seeds_seen, 1, __ATOMIC_RELAXED);
}

static void the_seed_reaches_each_workers_generator(void)
{
    heist_options options = options_of(HEIST_STRATEGY_RANDOM, HEIST_AMOUNT_ONE, HEIST_FENCES_DEFAULT, HEIST_BIND_NONE);
    options.workers = 2;
    for (options.seed = 5; options.seed < 7; options.seed++) {
        heist_pool *pool = heist_pool_new(&options);
        TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
        seeds_seen = 0;
        for (int i = 0; i < 6; i++) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, look_at_seed, &options, HEIST_WAIT));
        free_pool(pool);
        TEST_ASSERT_EQUAL_UINT(6, seeds_seen);
    }
}

enum { CROWD = 60 };
static int crowd_ran;

static void one_of_the_crowd(void *argument)
{
    (void)argument;
    __atomic_fetch_add(&crowd_ran, 1, __ATOMIC_RELAXED);
}

/* Fills its worker's deque and stays until others have emptied it. */
static void leaves_it_to_the_thief(void *argument)
{
    for (int i = 0; i < CROWD; i++) *(int *)argument |= heist_detach(NULL, one_of_the_crowd, NULL);
    while (__atomic_load_n(&crowd_ran, __ATOMIC_RELAXED) < CROWD) sched_yield();
}

static uint64_t steals_for_the_crowd(heist_amount amount)
{
    heist_options options = options_of(HEIST_STRATEGY_NEAR, amount, HEIST_FENCES_DEFAULT, HEIST_BIND_NONE);
    options.workers = 2;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    int error = 0;
    crowd_ran = 0;
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, leaves_it_to_the_thief, &error));
    TEST_ASSERT_EQUAL_INT(0, error);
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    heist_stats stats = stats_of(pool);
    free_pool(pool);
    return steals_in(&stats);
}

/* By halves the last task is reached with the logarithm of the steals; some come while the deque is still being
 * filled. */
static void a_thief_takes_one_or_half_as_it_was_told(void)
{
    TEST_ASSERT_EQUAL_UINT64(CROWD, steals_for_the_crowd(HEIST_AMOUNT_ONE));
    uint64_t least = CROWD;
    for (int tries = 0; tries < 20; tries++) {
        uint64_t steals = steals_for_the_crowd(HEIST_AMOUNT_HALF);
        if (steals < least) least = steals;
    }
    TEST_ASSERT_LESS_THAN_UINT64(CROWD / 2, least);
}

static void tells_its_strategy(void *argument)
{
    *(heist__strategy *)argument = heist__self()->strategy.now;
}

static heist__strategy strategy_of(heist_pool *pool)
{
    heist__strategy now = HEIST__STEAL_NEAR;
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, tells_its_strategy, &now, HEIST_WAIT)); /* to one that searches */
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    return now;
}

static void a_worker_has_the_strategy_asked_for_and_an_adaptive_one_adapts(void)
{
    for (int strategy = HEIST_STRATEGY_NEAR; strategy <= HEIST_STRATEGY_POWER_OF_TWO; strategy++) {
        heist_options options =
            options_of((heist_strategy)strategy, HEIST_AMOUNT_ONE, HEIST_FENCES_DEFAULT, HEIST_BIND_NONE);
        heist_pool *pool = heist_pool_new(&options);
        TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
        TEST_ASSERT_EQUAL_INT(strategy - 1, strategy_of(pool));
        free_pool(pool);
    }
    heist_options options =
        options_of(HEIST_STRATEGY_ADAPTIVE, HEIST_AMOUNT_ONE, HEIST_FENCES_DEFAULT, HEIST_BIND_NONE);
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    heist__strategy now = HEIST__STEAL_NEAR;
    for (int tries = 0; tries < 20000 && now == HEIST__STEAL_NEAR; tries++) {
        now = strategy_of(pool); /* each brings vain searches of those that are woken for it, or wake up late */
        if (tries % 100 == 99) HEIST_RUN(pool, grow, 10, 6);
    }
    TEST_ASSERT_NOT_EQUAL(HEIST__STEAL_NEAR, now);
    free_pool(pool);
}

int main(void)
{
    canary_begin(); /* under ThreadSanitizer, too: this program does not fork */
    UNITY_BEGIN();
    RUN_TEST(every_strategy_amount_fence_mode_and_binding_computes_the_same);
    RUN_TEST(every_seed_computes_the_same);
    RUN_TEST(the_seed_reaches_each_workers_generator);
    RUN_TEST(a_thief_takes_one_or_half_as_it_was_told);
    RUN_TEST(a_worker_has_the_strategy_asked_for_and_an_adaptive_one_adapts);
    return UNITY_END();
}
