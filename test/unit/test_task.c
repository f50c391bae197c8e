/* test_task.c: typed tasks: what can be given and returned, in which orders children can be joined, how many there can
 * be and how deep. Every computation has a serial twin or a closed form to compare with. */
#include <limits.h>
#include <stdlib.h>

#include "support.h"
#include "test_task_shared.h"

/* test_task_cpp.cpp: NULL, or what went wrong. */
const char *check_cpp_tasks(heist_pool *pool);

static heist_pool *pool;

void setUp(void)
{
    watchdog(PATIENCE_S);
    pool = pool_of(4, HEIST_FENCES_DEFAULT);
}

void tearDown(void)
{
    heist_pool_free(pool);
    pool = NULL;
}

/* ---- arguments and results ---- */

typedef int binary(int, int);
typedef binary *binary_pointer;

static int minus(int a, int b)
{
    return a - b;
}

HEIST_TASK(int, none)
{
    return 7;
}
HEIST_TASK(char, one, char, a)
{
    return (char)(a + 1);
}
HEIST_TASK(double, two, float, a, double, b)
{
    return (double)a * b;
}
HEIST_TASK(unsigned long, three, unsigned char, a, unsigned short, b, unsigned long, c)
{
    return a + b + c;
}
HEIST_TASK(int, four, binary_pointer, f, int, a, int, b, bool, negate)
{
    return negate ? -f(a, b) : f(a, b);
}
HEIST_TASK(long long, five, int, a, long, b, long long, c, short, d, signed char, e)
{
    return a + b + c + d + e;
}
HEIST_TASK(const char *, six, const char *, s, size_t, a, size_t, b, size_t, c, size_t, d, size_t, e)
{
    return s + a + b + c + d + e;
}
HEIST_TASK(long double, seven, long double, a, int, b, int, c, int, d, int, e, int, f, int, g)
{
    return a + b + c + d + e + f + g;
}
HEIST_TASK(point, eight, point, a, int, b, int, c, int, d, double, e, int, f, int, g, point, h)
{
    point p = {a.x + h.x + e, a.y + h.y, a.weight + h.weight + b + c + d + f + g};
    return p;
}
HEIST_TASK(int64_t, nine, int8_t, a, int16_t, b, int32_t, c, int64_t, d, uint8_t, e, uint16_t, f, uint32_t, g, bool, h,
           char, i)
{
    return d + a + b + c + e + f + (int64_t)g + h + i;
}
HEIST_TASK(double, ten, char, a, short, b, int, c, long, d, float, e, double, f, const double *, g, point, h, bool, i,
           binary_pointer, j)
{
    return a + b + c + (double)d + (double)e + f + *g + h.x + (i ? 0.5 : 0.0) + j(3, 1);
}

/* Each is spawned, then joined in an order of its own, and called as well. */
HEIST_TASK(const char *, use_all_numbers_of_arguments)
{
    static const char text[] = "abcdefghijklmnop";
    double g = 64.0;
    point p = {1, 2, 3}, q = {10, 20, 30};
    HEIST_SPAWN(c0, none);
    HEIST_SPAWN(c1, one, 'a');
    HEIST_SPAWN(c2, two, 1.5f, 4.0);
    HEIST_SPAWN(c3, three, 200, 60000, 1ul << 40);
    HEIST_SPAWN(c4, four, minus, 5, 8, true);
    HEIST_SPAWN(c5, five, -1, 2l, 1ll << 50, -300, -5);
    HEIST_SPAWN(c6, six, text, 1, 2, 3, 4, 5);
    HEIST_SPAWN(c7, seven, 0.25L, 1, 2, 3, 4, 5, 6);
    HEIST_SPAWN(c8, eight, p, 1, 2, 3, 0.5, 4, 5, q);
    HEIST_SPAWN(c9, nine, INT8_MIN, INT16_MIN, INT32_MIN, INT64_C(1) << 60, UINT8_MAX, UINT16_MAX, UINT32_MAX, true,
                'i');
    HEIST_SPAWN(c10, ten, 1, 2, 4, 8, 16.0f, 32.0, &g, p, true, minus);
    if (HEIST_SYNC(c5) != -1 + 2 + (1ll << 50) - 300 - 5) return "five arguments";
    if (HEIST_SYNC(c0) != 7) return "no argument";
    if (HEIST_SYNC(c10) != 1 + 2 + 4 + 8 + 16 + 32 + 64 + 1 + 0.5 + 2) return "ten arguments";
    if (HEIST_SYNC(c1) != 'b') return "one argument";
    if (HEIST_SYNC(c9) !=
        (INT64_C(1) << 60) + INT8_MIN + INT16_MIN + INT32_MIN + UINT8_MAX + UINT16_MAX + (int64_t)UINT32_MAX + 1 + 'i')
        return "nine arguments";
    if (HEIST_SYNC(c2) != 6.0) return "two arguments";
    point r = HEIST_SYNC(c8);
    if (r.x != 11.5 || r.y != 22.0 || r.weight != 48) return "eight arguments";
    if (HEIST_SYNC(c3) != 60200 + (1ul << 40)) return "three arguments";
    if (HEIST_SYNC(c7) != 21.25L) return "seven arguments";
    if (HEIST_SYNC(c4) != 3) return "four arguments";
    if (HEIST_SYNC(c6) != text + 15) return "six arguments";
    if (HEIST_CALL(none) != 7 || HEIST_CALL(one, 'b') != 'c') return "calls";
    if (HEIST_CALL(ten, 1, 2, 4, 8, 16.0f, 32.0, &g, p, false, minus) != 130.0) return "a call with ten arguments";
    return NULL;
}

static void tasks_have_none_to_ten_arguments_of_any_type(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *mine = pool_of(2, *mode);
        for (int i = test_scale(2000); i > 0; i--) {
            const char *wrong = HEIST_RUN(mine, use_all_numbers_of_arguments);
            if (wrong) TEST_FAIL_MESSAGE(wrong);
        }
        free_pool(mine);
    }
    TEST_ASSERT_EQUAL_INT(7, HEIST_RUN(pool, none));
    TEST_ASSERT_EQUAL_INT('z', HEIST_RUN(pool, one, 'y'));
}

typedef struct {
    int numbers[100];
} crowd;

HEIST_TASK(crowd, shifted, crowd, c, int, by)
{
    for (int i = 0; i < 100; i++) c.numbers[i] += by;
    return c;
}

/* A result larger than the arguments shares their place in the record. */
HEIST_TASK(crowd, from_nothing, int, first)
{
    if (first >= 6400) {
        crowd leaf;
        for (int i = 0; i < 100; i++) leaf.numbers[i] = first + i;
        return leaf;
    }
    HEIST_SPAWN(left, from_nothing, first * 2);
    HEIST_SPAWN(right, from_nothing, first * 2 + 1);
    crowd l = HEIST_SYNC(left), r = HEIST_SYNC(right);
    for (int i = 0; i < 100; i++) l.numbers[i] ^= r.numbers[i];
    HEIST_SPAWN(back, shifted, l, 0);
    return HEIST_SYNC(back);
}

static crowd from_nothing_serial(int first)
{
    crowd l, r;
    if (first >= 6400) {
        for (int i = 0; i < 100; i++) l.numbers[i] = first + i;
        return l;
    }
    l = from_nothing_serial(first * 2);
    r = from_nothing_serial(first * 2 + 1);
    for (int i = 0; i < 100; i++) l.numbers[i] ^= r.numbers[i];
    return l;
}

static void structs_go_in_and_come_out(void)
{
    crowd expected = from_nothing_serial(3);
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *mine = pool_of(4, *mode);
        for (int i = test_scale(10); i > 0; i--) {
            crowd got = HEIST_RUN(mine, from_nothing, 3);
            TEST_ASSERT_EQUAL_INT_ARRAY(expected.numbers, got.numbers, 100);
        }
        free_pool(mine);
    }
}

HEIST_VOID_TASK(void_none)
{
}
HEIST_VOID_TASK(void_one, int *, a)
{
    *a += 1;
}
HEIST_VOID_TASK(void_ten, int *, sum, int, a, int, b, int, c, int, d, int, e, int, f, int, g, int, h, int, i)
{
    *sum = a + b + c + d + e + f + g + h + i;
}
HEIST_VOID_TASK(void_all, int *, results)
{
    HEIST_SPAWN(c0, void_none);
    HEIST_SPAWN(c1, void_one, &results[0]);
    HEIST_SPAWN(c10, void_ten, &results[1], 1, 2, 3, 4, 5, 6, 7, 8, 9);
    HEIST_CALL(void_none);
    HEIST_CALL(void_one, &results[2]);
    HEIST_SYNC(c1);
    HEIST_SYNC(c10);
    HEIST_SYNC(c0);
}

static void tasks_without_a_result_do_their_work(void)
{
    for (int i = test_scale(1000); i > 0; i--) {
        int results[3] = {41, 0, 99};
        HEIST_RUN(pool, void_none);
        HEIST_RUN(pool, void_all, results);
        TEST_ASSERT_EQUAL_INT(42, results[0]);
        TEST_ASSERT_EQUAL_INT(45, results[1]);
        TEST_ASSERT_EQUAL_INT(100, results[2]);
    }
}

/* ---- several files, several languages ---- */

HEIST_TASK_IMPL(int, is_even, unsigned, n)
{
    if (n == 0) return 1;
    HEIST_SPAWN(rest, is_odd, n - 1);
    return HEIST_SYNC(rest);
}

HEIST_TASK(long, uses_elsewhere)
{
    point a = {0, 0, 1}, b = {4, 8, 2};
    HEIST_SPAWN(sum, elsewhere_sum, 0, 1001);
    HEIST_SPAWN(middle, elsewhere_middle, a, b);
    HEIST_SPAWN(answer, elsewhere_answer);
    point m = HEIST_SYNC(middle);
    return HEIST_SYNC(sum) + (long)(m.x * 10 + m.y * 100) + m.weight * 1000000 + HEIST_SYNC(answer);
}

static void a_task_may_be_defined_in_another_file(void)
{
    TEST_ASSERT_EQUAL_INT(42, HEIST_RUN(pool, elsewhere_answer));
    TEST_ASSERT_EQUAL_INT64(500500, HEIST_RUN(pool, elsewhere_sum, 0, 1001));
    TEST_ASSERT_EQUAL_INT64(500500 + 20 + 400 + 3000000 + 42, HEIST_RUN(pool, uses_elsewhere));
    int cells[777];
    HEIST_RUN(pool, elsewhere_fill, cells, 777, 5);
    for (int i = 0; i < 777; i++) TEST_ASSERT_EQUAL_INT(5 + i, cells[i]);
}

static void tasks_in_two_files_may_call_each_other(void)
{
    for (unsigned n = 0; n < 200; n++) {
        TEST_ASSERT_EQUAL_INT(n % 2 == 0, HEIST_RUN(pool, is_even, n));
        TEST_ASSERT_EQUAL_INT(n % 2 == 1, HEIST_RUN(pool, is_odd, n));
    }
}

HEIST_TASK_DECL(long, from_c, long, n);
HEIST_TASK_IMPL(long, from_c, long, n)
{
    if (n == 0) return 0;
    HEIST_SPAWN(rest, from_c, n - 1);
    return HEIST_SYNC(rest) + n;
}

static void tasks_may_be_written_in_cpp(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *mine = pool_of(3, *mode);
        const char *wrong = check_cpp_tasks(mine);
        if (wrong) TEST_FAIL_MESSAGE(wrong);
        free_pool(mine);
    }
}

/* ---- joins in any order ---- */

typedef enum { LIFO, FIFO, SHUFFLED, INTERLEAVED, ORDERS } order;
static const char *const order_words[ORDERS] = {"last in first out", "first in first out", "shuffled", "interleaved"};

#define BRANCHES 6

/* What a node is worth: its children's results, each with the child's number, so that a mix-up shows. */
static uint64_t weigh(uint64_t node, unsigned child, uint64_t result)
{
    return result * (2 * child + 3) + (node ^ child);
}

static uint64_t tree_serial(int depth, uint64_t node)
{
    uint64_t sum = node;
    for (unsigned i = 0; depth > 0 && i < BRANCHES; i++)
        sum += weigh(node, i, tree_serial(depth - 1, node * BRANCHES + i));
    return sum;
}

/* The places of the children in the order in which they are joined. */
static void join_order(order how, uint64_t node, unsigned place[BRANCHES])
{
    uint64_t chance = node;
    for (unsigned i = 0; i < BRANCHES; i++) place[i] = how == LIFO ? BRANCHES - 1 - i : i;
    for (unsigned i = BRANCHES - 1; how == SHUFFLED && i > 0; i--) {
        unsigned j = draw(&chance) % (i + 1), kept = place[i];
        place[i] = place[j];
        place[j] = kept;
    }
}

HEIST_TASK_DECL(uint64_t, tree, int, depth, uint64_t, node, order, how);

/* Spawns and joins come in a random sequence: any open child may be joined at any time. */
HEIST_TASK(uint64_t, tree_interleaved, int, depth, uint64_t, node)
{
    HEIST_CHILD(tree) child[BRANCHES];
    unsigned open[BRANCHES], opened = 0, next = 0;
    uint64_t chance = node, sum = node;
    while (next < BRANCHES || opened > 0) {
        uint32_t drawn = draw(&chance);
        if (next < BRANCHES && (opened == 0 || drawn % 5 < 3)) {
            HEIST_SPAWN_AT(&child[next], tree, depth - 1, node * BRANCHES + next, INTERLEAVED);
            open[opened++] = next++;
        } else {
            unsigned at = drawn / 5 % opened, i = open[at];
            open[at] = open[--opened];
            sum += weigh(node, i, HEIST_SYNC_AT(&child[i], tree));
        }
    }
    return sum;
}

HEIST_TASK_IMPL(uint64_t, tree, int, depth, uint64_t, node, order, how)
{
    if (depth == 0) {
        if (node % 512 == 0) give_way(); /* also on one core somebody gets a chance to steal */
        return node;
    }
    if (how == INTERLEAVED) return HEIST_CALL(tree_interleaved, depth, node);
    HEIST_CHILD(tree) child[BRANCHES];
    unsigned place[BRANCHES];
    uint64_t sum = node;
    join_order(how, node, place);
    for (unsigned i = 0; i < BRANCHES; i++) HEIST_SPAWN_AT(&child[i], tree, depth - 1, node * BRANCHES + i, how);
    for (unsigned i = 0; i < BRANCHES; i++) sum += weigh(node, place[i], HEIST_SYNC_AT(&child[place[i]], tree));
    return sum;
}

static void children_may_be_joined_in_any_order(void)
{
    const unsigned counts[] = {1, 2, 4, 8};
    const int depth = 6;
    uint64_t expected = tree_serial(depth, 1), stolen = 0;
    for (unsigned c = 0; c < 4; c++) {
        FOR_BOTH_FENCE_MODES(mode)
        {
            heist_pool *mine = pool_of(counts[c], *mode);
            for (order how = LIFO; how < ORDERS; how++) {
                char what[100];
                snprintf(what, sizeof what, "%u workers, %s, %s", counts[c], fence_word(*mode), order_words[how]);
                for (int i = test_scale(5); i > 0; i--)
                    TEST_ASSERT_EQUAL_UINT64_MESSAGE(expected, HEIST_RUN(mine, tree, depth, 1, how), what);
            }
            stolen += stats_of(mine).joins_stolen;
            free_pool(mine);
        }
    }
    TEST_ASSERT_GREATER_THAN_UINT64_MESSAGE(100, stolen, "hardly any join met a stolen child: nothing was tested");
}

HEIST_TASK(long, slow_square, long, n)
{
    if (n % 3 == 0) sleep_us(50);
    return n * n;
}

HEIST_TASK(long, three_named, long, n)
{
    HEIST_SPAWN(a, slow_square, n);
    HEIST_SPAWN(b, slow_square, n + 1);
    HEIST_SPAWN(c, slow_square, n + 2);
    long middle = HEIST_SYNC(b);
    long first = HEIST_SYNC(a);
    HEIST_SPAWN(d, slow_square, n + 3); /* a new one among the old */
    long last = HEIST_SYNC(c);
    return HEIST_SYNC(d) * 1000003 + last * 10007 + middle * 101 + first;
}

static void named_children_may_be_joined_in_any_order(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *mine = pool_of(4, *mode);
        for (long n = test_scale(2000L); n > 0; n--) {
            long expected = (n + 3) * (n + 3) * 1000003 + (n + 2) * (n + 2) * 10007 + (n + 1) * (n + 1) * 101 + n * n;
            TEST_ASSERT_EQUAL_INT64(expected, HEIST_RUN(mine, three_named, n));
        }
        free_pool(mine);
    }
}

/* A child's place may be used again as soon as the child has been joined; old copies of its address lie about. */
HEIST_TASK(long, reuse_places, int, rounds)
{
    HEIST_CHILD(slow_square) child[3];
    long sum = 0;
    uint64_t chance = 5;
    bool open[3] = {false, false, false};
    for (int i = 0; i < rounds; i++) {
        unsigned at = draw(&chance) % 3;
        if (open[at])
            sum += HEIST_SYNC_AT(&child[at], slow_square);
        else
            HEIST_SPAWN_AT(&child[at], slow_square, 1 + 3 * (long)(draw(&chance) % 1000) - i % 64 / 63);
        open[at] = !open[at];
    }
    for (unsigned at = 0; at < 3; at++) {
        if (open[at]) sum += HEIST_SYNC_AT(&child[at], slow_square);
    }
    return sum;
}

static long reuse_places_serial(int rounds)
{
    long sum = 0;
    uint64_t chance = 5;
    bool open[3] = {false, false, false};
    for (int i = 0; i < rounds; i++) {
        unsigned at = draw(&chance) % 3;
        if (!open[at]) {
            long n = 1 + 3 * (long)(draw(&chance) % 1000) - i % 64 / 63;
            sum += n * n;
        }
        open[at] = !open[at];
    }
    return sum;
}

static void a_joined_childs_place_may_be_used_again(void)
{
    int rounds = test_scale(20000);
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *mine = pool_of(4, *mode);
        for (int i = 0; i < 5; i++)
            TEST_ASSERT_EQUAL_INT64(reuse_places_serial(rounds), HEIST_RUN(mine, reuse_places, rounds));
        free_pool(mine);
    }
}

/* ---- wide ---- */

HEIST_TASK(uint64_t, leaf, uint64_t, n)
{
    return n ^ UINT64_C(0x5555);
}

HEIST_TASK(uint64_t, wide, size_t, width, order, how)
{
    HEIST_CHILD(leaf) *child = malloc(width * sizeof *child);
    if (!child) return 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < width; i++) HEIST_SPAWN_AT(&child[i], leaf, i);
    for (size_t i = 0; i < width; i++) {
        /* 7919 is prime and no factor of the width: each turn once */
        size_t at = how == FIFO ? i : how == LIFO ? width - 1 - i : (i * 7919) % width;
        sum += HEIST_SYNC_AT(&child[at], leaf) * (at + 1);
    }
    free(child);
    return sum;
}

static void a_million_children_may_wait_in_an_array(void)
{
    const size_t width = test_scale((size_t)1000000);
    uint64_t expected = 0;
    for (size_t i = 0; i < width; i++) expected += (i ^ UINT64_C(0x5555)) * (i + 1);
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 1; workers <= 4; workers += 3) {
            heist_pool *mine = pool_of(workers, *mode);
            for (order how = LIFO; how <= (width % 7919 ? SHUFFLED : FIFO); how++)
                TEST_ASSERT_EQUAL_UINT64_MESSAGE(expected, HEIST_RUN(mine, wide, width, how), order_words[how]);
            TEST_ASSERT_EQUAL_UINT64(0, stats_of(mine).spawns_called);
            free_pool(mine);
        }
    }
}

/* ---- deep ---- */

HEIST_TASK(long, chain, long, n)
{
    if (n == 0) return 0;
    HEIST_SPAWN(rest, chain, n - 1);
    return HEIST_SYNC(rest) + 1;
}

/* The same with a younger brother in the deque, so that the join is a slow one. */
HEIST_TASK(long, chain_of_pairs, long, n)
{
    if (n == 0) return 0;
    HEIST_SPAWN(rest, chain_of_pairs, n - 1);
    HEIST_SPAWN(single, leaf, 1);
    long sum = HEIST_SYNC(rest);
    return sum + (HEIST_SYNC(single) != 0);
}

#if SANITIZED || !defined(__OPTIMIZE__)
#define ROOM ((size_t)4 << 30) /* frames are several times as large there */
#else
#define ROOM ((size_t)1 << 30)
#endif

static heist_pool *roomy_pool(unsigned workers, heist_fences fences)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.fences = fences;
    options.stack_size = ROOM;
    heist_pool *roomy = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(roomy, heist_explain());
    return roomy;
}

static void a_million_joins_may_be_nested(void)
{
    /* Sanitizers keep books of every frame, ThreadSanitizer of 2^16 at the most. */
    const long depth = SANITIZED ? 20000 : test_scale(1000000L);
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 1; workers <= 4; workers += 3) {
            heist_pool *roomy = roomy_pool(workers, *mode);
            TEST_ASSERT_EQUAL_INT64(depth, HEIST_RUN(roomy, chain, depth));
            TEST_ASSERT_EQUAL_INT64(depth, HEIST_RUN(roomy, chain_of_pairs, depth));
            free_pool(roomy);
        }
    }
}

/* The serial twin; with something to do after the call, so that it stays a call. */
static __attribute__((noinline)) long chain_serial(volatile long n)
{
    return n == 0 ? 0 : chain_serial(n - 1) + 1;
}

static __attribute__((noinline)) uintptr_t lowest_frame(volatile long n)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (n == 0) return here;
    uintptr_t below = lowest_frame(n - 1);
    return below < here ? below : here;
}

static void what_fits_the_main_stack_as_calls_fits_a_workers_stack_as_tasks(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    size_t frame = (here - lowest_frame(1000)) / 1000;
    long depth = SANITIZED ? 20000 : test_scale((long)(((size_t)7 << 20) / frame)); /* of the usual 8 MiB */
#ifndef __OPTIMIZE__
    depth /= 4; /* what watches over the children takes room as well */
#endif
    TEST_ASSERT_EQUAL_INT64(depth, chain_serial(depth));
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 1; workers <= 4; workers += 3) {
            heist_pool *mine = pool_of(workers, *mode); /* with a stack of the default size */
            TEST_ASSERT_EQUAL_INT64(depth, HEIST_RUN(mine, chain, depth));
            free_pool(mine);
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(tasks_have_none_to_ten_arguments_of_any_type);
    RUN_TEST(structs_go_in_and_come_out);
    RUN_TEST(tasks_without_a_result_do_their_work);
    RUN_TEST(a_task_may_be_defined_in_another_file);
    RUN_TEST(tasks_in_two_files_may_call_each_other);
    RUN_TEST(tasks_may_be_written_in_cpp);
    RUN_TEST(children_may_be_joined_in_any_order);
    RUN_TEST(named_children_may_be_joined_in_any_order);
    RUN_TEST(a_joined_childs_place_may_be_used_again);
    RUN_TEST(a_million_children_may_wait_in_an_array);
    RUN_TEST(a_million_joins_may_be_nested);
    RUN_TEST(what_fits_the_main_stack_as_calls_fits_a_workers_stack_as_tasks);
    return UNITY_END();
}
