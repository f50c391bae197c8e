/* Counters: exact where they can be, and the sized struct. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "quiet_fork.h"
#include "support.h"

void setUp(void)
{
}
void tearDown(void)
{
}

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

static long fib_number(int n)
{
    long a = 0, b = 1;
    for (; n > 0; n--) {
        long next = a + b;
        a = b;
        b = next;
    }
    return a;
}

static void count_one(void *argument)
{
    __atomic_fetch_add((int *)argument, 1, __ATOMIC_RELAXED);
}

static void every_spawn_is_counted_once_and_joined_once(void)
{
    const int n = 22;
    const uint64_t spawns = (uint64_t)fib_number(n + 1) - 1;
    FOR_BOTH_FENCE_MODES(mode)
    {
        for (unsigned workers = 1; workers <= 4; workers++) {
            heist_pool *pool = pool_of(workers, *mode);
            for (uint64_t run = 1; run <= 5; run++) {
                TEST_ASSERT_EQUAL_INT64(fib_number(n), HEIST_RUN(pool, fib, n));
                heist_stats stats = stats_of(pool);
                TEST_ASSERT_EQUAL_UINT64(run * spawns, stats.spawns);
                TEST_ASSERT_EQUAL_UINT64(stats.spawns, stats.joins_inline + stats.joins_stolen);
                if (workers == 1) TEST_ASSERT_EQUAL_UINT64(0, stats.joins_stolen);
                TEST_ASSERT_EQUAL_UINT64(0, stats.spawns_called);
                TEST_ASSERT_EQUAL_UINT(workers, stats.workers);
            }
            heist_pool_wait(pool); /* the root's own count comes after its result */
            heist_stats stats = stats_of(pool);
            TEST_ASSERT_EQUAL_UINT64(5, stats.detached);
            TEST_ASSERT_EQUAL_UINT64(stats.spawns + stats.detached, stats.tasks);
            free_pool(pool);
        }
    }
}

/* How long a steal is waited for: on a busy machine a thief may not run at all for a second. */
#define PATIENCE_MS 5000

static bool a_thief_comes(void *pool)
{
    double end = now_ms() + PATIENCE_MS;
    while (now_ms() < end && stats_of(pool).joins_stolen == 0) HEIST_RUN(pool, fib, 24);
    return stats_of(pool).joins_stolen > 0;
}

static void a_stolen_join_is_a_steal(void)
{
    heist_pool *pool = pool_of(4, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(a_thief_comes, pool), "no thief came");
    heist_pool_wait(pool);
    heist_stats stats = stats_of(pool);
    uint64_t got = steals_in(&stats);
    TEST_ASSERT_EQUAL_UINT64(stats.joins_stolen, got);
    free_pool(pool);
}

/* On a machine of two packages all steals are far; a worker that found nothing before it slept has looked in vain. */
static void steals_are_counted_where_they_happened(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    options.topology = "pack:2 [numa] core:1 pu:1";
    heist_pool *pool = heist_pool_new(&options);
#ifndef HEIST_HAVE_HWLOC
    if (!pool) TEST_IGNORE_MESSAGE("built without hwloc: no machine can be described");
#endif
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(a_thief_comes, pool), "no thief came");
    heist_stats stats = stats_of(pool);
    TEST_ASSERT_TRUE(stats.steal_got[HEIST_LEVEL_FAR] > 0);
    TEST_ASSERT_TRUE(stats.steal_empty[HEIST_LEVEL_FAR] > 0);
    for (int level = 0; level < HEIST_LEVEL_FAR; level++) {
        TEST_ASSERT_EQUAL_UINT64(0, stats.steal_got[level] + stats.steal_empty[level] + stats.steal_lost[level]);
    }
    free_pool(pool);
}

/* Both must have work at the same time, and one of them is asleep before. */
static void a_worker_that_wakes_another_counts_it(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    for (int round = 0; round < 1000 && stats_of(pool).wakes == 0; round++) {
        sleep_us(2000);
        HEIST_RUN(pool, fib, 22);
    }
    TEST_ASSERT_TRUE(stats_of(pool).wakes > 0);
    free_pool(pool);
}

HEIST_TASK(long, crowd, int, n)
{
    HEIST_CHILD(fib) *children = calloc((size_t)n, sizeof *children);
    if (!children) return -1;
    long sum = 0;
    for (int i = 0; i < n; i++) HEIST_SPAWN_AT(&children[i], fib, 1);
    for (int i = n; i-- > 0;) sum += HEIST_SYNC_AT(&children[i], fib);
    free(children);
    return sum;
}

static void calls_for_want_of_slots_are_counted(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1;
    options.slots = 1024;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_INT64(1000, HEIST_RUN(pool, crowd, 1000));
    TEST_ASSERT_EQUAL_UINT64(0, stats_of(pool).spawns_called);
    TEST_ASSERT_EQUAL_INT64(3000, HEIST_RUN(pool, crowd, 3000));
    heist_stats stats = stats_of(pool);
    TEST_ASSERT_EQUAL_UINT64(4000, stats.spawns);
    TEST_ASSERT_TRUE(stats.spawns_called >= 3000 - 1024 && stats.spawns_called < 2100);
    free_pool(pool);
}

static void detached_tasks_are_counted(void)
{
    heist_pool *pool = pool_of(3, HEIST_FENCES_DEFAULT);
    int ran = 0;
    for (int i = 0; i < 1000; i++) TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, count_one, &ran, HEIST_WAIT));
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    TEST_ASSERT_EQUAL_INT(1000, ran);
    TEST_ASSERT_EQUAL_UINT64(1000, stats_of(pool).detached);
    TEST_ASSERT_EQUAL_UINT64(1000, stats_of(pool).tasks);
    free_pool(pool);
}

static void the_workers_add_up_to_the_pool(void)
{
    heist_pool *pool = pool_of(4, HEIST_FENCES_DEFAULT);
    HEIST_RUN(pool, fib, 24);
    heist_pool_wait(pool);
    /* let one park: parks are counted then; a machine with much else to do may take seconds */
    for (int tries = 0; stats_of(pool).parks == 0 && tries < 1000; tries++) sleep_us(10000);
    heist_stats all, sum = {0};
    for (int tries = 0;; tries++) {
        all = stats_of(pool);
        memset(&sum, 0, sizeof sum);
        for (unsigned i = 0; i < 4; i++) {
            heist_stats one = {.size = sizeof one};
            TEST_ASSERT_EQUAL_INT(0, heist_stats_read_worker(pool, i, &one));
            TEST_ASSERT_EQUAL_UINT(1, one.workers);
            sum.tasks += one.tasks;
            sum.spawns += one.spawns;
            sum.joins_stolen += one.joins_stolen;
            sum.parks += one.parks;
        }
        if (sum.parks == all.parks || tries == 100) break; /* else a worker woke in between */
    }
    TEST_ASSERT_EQUAL_UINT64(all.tasks, sum.tasks);
    TEST_ASSERT_EQUAL_UINT64(all.spawns, sum.spawns);
    TEST_ASSERT_EQUAL_UINT64(all.joins_stolen, sum.joins_stolen);
    TEST_ASSERT_EQUAL_UINT64(all.parks, sum.parks);
    TEST_ASSERT_TRUE(all.parks > 0);
    free_pool(pool);
}

static void a_struct_of_another_size_is_filled_as_far_as_it_goes(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    HEIST_RUN(pool, fib, 10);
    union {
        heist_stats stats;
        unsigned char bytes[sizeof(heist_stats) + 32];
    } u;
    memset(&u, 0xee, sizeof u);
    u.stats.size = offsetof(heist_stats, spawns);
    TEST_ASSERT_EQUAL_INT(0, heist_stats_read(pool, &u.stats));
    TEST_ASSERT_EQUAL_UINT(2, u.stats.workers);
    TEST_ASSERT_EQUAL_HEX8(0xee, u.bytes[offsetof(heist_stats, spawns)]);
    u.stats.size = sizeof u;
    TEST_ASSERT_EQUAL_INT(0, heist_stats_read(pool, &u.stats));
    TEST_ASSERT_EQUAL_UINT64(88, u.stats.spawns); /* fib(11) - 1 */
    TEST_ASSERT_EQUAL_HEX8(0, u.bytes[sizeof u - 1]);
    memset(&u, 0xee, sizeof u);
    u.stats.size = 0; /* stands for the size that the library knows */
    TEST_ASSERT_EQUAL_INT(0, heist_stats_read(pool, &u.stats));
    TEST_ASSERT_EQUAL_UINT64(88, u.stats.spawns);
    TEST_ASSERT_EQUAL_size_t(sizeof u.stats, u.stats.size);
    TEST_ASSERT_EQUAL_HEX8(0xee, u.bytes[sizeof u.stats]);
    u.stats.size = SIZE_MAX;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_stats_read(pool, &u.stats));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_stats_read(pool, NULL));
    u.stats.size = sizeof u.stats;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_stats_read_worker(pool, 2, &u.stats));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_stats_read(NULL, &u.stats)); /* no default pool has been made */
    free_pool(pool);
}

/* How the child process below ends: with its pool freed, or by exit() with the pool as it is, freed by a handler, or
 * used by its own child only. */
enum end { FREES, EXITS, FREES_AT_EXIT, EXITS_IN_A_FORK };

static heist_pool *kept;

static void free_kept(void)
{
    heist_pool_free(kept);
}

static _Noreturn void end_as(enum end how, heist_pool *pool)
{
    kept = pool;
    if (how == FREES) _exit(heist_pool_free(pool) != 0);
    if (how == FREES_AT_EXIT) atexit(free_kept);
    if (how == EXITS_IN_A_FORK) {
        int status;
        pid_t child = fork_quietly();
        if (child == 0) exit(0);
        _exit(waitpid(child, &status, 0) != child || status != 0);
    }
    exit(0);
}

/* The pool is not freed: blocks that only its workers point to look lost, since workers are not malloc's. */
static void leave_it(void)
{
#ifdef __SANITIZE_ADDRESS__
    __lsan_disable();
#endif
}

/* The words on stderr of a child process that runs fib with this value of HEIST_STATS. */
static void printed_with(const char *value, enum end how, char said[4096])
{
    int ends[2], status;
    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    pid_t child = fork_quietly();
    if (child == 0) {
        watchdog_of_child(20);
        dup2(ends[1], STDERR_FILENO);
        setenv("HEIST_STATS", value, 1);
        if (how != FREES) leave_it();
        heist_options options = HEIST_OPTIONS_INIT;
        options.workers = 2;
        options.name = "counted";
        heist_pool *pool = heist_pool_new(&options);
        if (!pool || HEIST_RUN(pool, fib, 10) != 55) _exit(1);
        end_as(how, pool);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], said + n, 4095 - n)) > 0;) n += (size_t)got;
    said[n] = '\0';
    close(ends[0]);
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    TEST_ASSERT_EQUAL_INT(0, status);
}

static void they_are_printed_when_asked_for(void)
{
    char said[4096];
    printed_with("1", FREES, said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "pool counted, 2 workers"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "\n1 "), said);
    const char *all = strstr(said, "\nall ");
    TEST_ASSERT_NOT_NULL_MESSAGE(all, said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(all, " 88 "), said);
    printed_with("0", FREES, said);
    TEST_ASSERT_EQUAL_STRING("", said);
    printed_with("", FREES, said);
    TEST_ASSERT_EQUAL_STRING("", said);
    printed_with("please", FREES, said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "HEIST_STATS=please is not 1 or 0, or a file name"), said);
}

static void they_are_printed_once_at_exit_if_the_pool_is_never_freed(void)
{
    static const enum end ends[] = {EXITS, FREES_AT_EXIT};
    char said[4096];
    for (int i = 0; i < 2; i++) {
        printed_with("1", ends[i], said);
        const char *pool = strstr(said, "pool counted, 2 workers"), *all = strstr(said, "\nall ");
        TEST_ASSERT_NOT_NULL_MESSAGE(pool, said);
        TEST_ASSERT_NULL_MESSAGE(strstr(pool + 1, "pool counted"), said);
        TEST_ASSERT_TRUE_MESSAGE(all && strstr(all, " 88 "), said);
        printed_with("0", ends[i], said);
        TEST_ASSERT_EQUAL_STRING("", said);
    }
    printed_with("1", EXITS_IN_A_FORK, said); /* they are the parent's, which ends without a word */
    TEST_ASSERT_NULL_MESSAGE(strstr(said, "pool counted"),
                             said); /* AddressSanitizer misses the parent's threads aloud */
}

/* ---- times, matrix, marks ---- */

static void the_rows_of_the_matrix_add_up_to_the_steals(void)
{
    heist_pool *pool = pool_of(4, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(a_thief_comes, pool), "no thief came");
    heist_pool_wait(pool);
    for (unsigned thief = 0; thief < 4; thief++) {
        uint64_t row[5] = {1, 1, 1, 1, 1}, sum = 0, got = 0;
        heist_stats stats = {0};
        TEST_ASSERT_EQUAL_INT(0, heist_stats_read_victims(pool, thief, row, 5));
        TEST_ASSERT_EQUAL_INT(0, heist_stats_read_worker(pool, thief, &stats));
        for (unsigned victim = 0; victim < 5; victim++) sum += row[victim];
        for (int level = 0; level < HEIST_LEVELS; level++) got += stats.steal_got[level]; /* no leapfrogs */
        TEST_ASSERT_EQUAL_UINT64(got, sum);
        TEST_ASSERT_EQUAL_UINT64(got, stats.steal_latency.count);
        TEST_ASSERT_EQUAL_UINT64(0, row[thief]);
        TEST_ASSERT_EQUAL_UINT64(0, row[4]);
    }
    uint64_t none;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_stats_read_victims(pool, 4, &none, 1));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_stats_read_victims(pool, 0, NULL, 1));
    free_pool(pool);
}

static void work_for_20_ms(void *argument)
{
    (void)argument;
    const double end = now_ms() + 20;
    while (now_ms() < end) {
    }
}

/* A run from outside works in a lent seat; the pool sleeps before and after it. The clock of the test is the bound. */
static void time_is_work_search_or_sleep(void)
{
    const double began = now_ms();
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    const double made = now_ms();
    sleep_us(30000);
    heist_stats before = {0}, after = {0}, part;
    TEST_ASSERT_EQUAL_INT(0, heist_stats_read(pool, &before));
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, work_for_20_ms, NULL));
    sleep_us(30000);
    const double least = now_ms();
    TEST_ASSERT_EQUAL_INT(0, heist_stats_read(pool, &after));
    const double most = now_ms();
    TEST_ASSERT_EQUAL_INT(0, heist_stats_difference(&after, &before, &part));
    const double all = (double)(after.working + after.searching + after.asleep) / 1e6;
    TEST_ASSERT_TRUE_MESSAGE(all <= 2 * (most - began) + 1, "more time than there was");
    TEST_ASSERT_TRUE_MESSAGE(all >= 2 * (least - made) - 1, "less time than there was");
    TEST_ASSERT_TRUE_MESSAGE((double)part.working / 1e6 >= 19, "the run was no work");
    TEST_ASSERT_TRUE_MESSAGE(part.asleep > 0, "nobody slept");
    free_pool(pool);
}

HEIST_TASK(int, deep, int, n)
{
    if (n == 0) return 0;
    HEIST_SPAWN(child, deep, 0);
    int below = HEIST_CALL(deep, n - 1);
    return below + HEIST_SYNC(child) + 1;
}

static void the_most_children_at_once_are_known(void)
{
    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    TEST_ASSERT_EQUAL_INT(1234, HEIST_RUN(pool, deep, 1234));
    TEST_ASSERT_EQUAL_UINT64(1234, stats_of(pool).slots_most);
    TEST_ASSERT_EQUAL_INT(10, HEIST_RUN(pool, deep, 10));
    TEST_ASSERT_EQUAL_UINT64(1234, stats_of(pool).slots_most);
    free_pool(pool);
}

static HEIST__ATOMIC(int) gate;

static void wait_at_the_gate(void *argument)
{
    (void)argument;
    while (!heist__load_acquire(&gate)) sleep_us(100); /* pairs with the store below */
}

static void a_full_inbox_is_counted(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1;
    options.inbox = 2;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL(pool);
    uint64_t refused = 0;
    heist__store_release(&gate, 0); /* before the tasks are given */
    for (int i = 0; i < 50; i++) refused += heist_submit(pool, wait_at_the_gate, NULL, HEIST_DO_NOT_WAIT) == -EAGAIN;
    heist__store_release(&gate, 1); /* pairs with the load above */
    heist_pool_wait(pool);
    TEST_ASSERT_TRUE(refused > 0);
    TEST_ASSERT_EQUAL_UINT64(refused, stats_of(pool).inbox_full);
    free_pool(pool);
}

static void all_formats_are_printed(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    HEIST_RUN(pool, fib, 10);
    heist_pool_wait(pool);
    static const char *const marks[] = {"\nall ", "\"tasks\": 89", "heist_tasks_total{pool=\"heist\""};
    for (int format = 0; format < 3; format++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        TEST_ASSERT_EQUAL_INT(0, heist_stats_print(pool, (heist_stats_format)format, out));
        fclose(out);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, marks[format]), text);
        free(text);
    }
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_stats_print(pool, (heist_stats_format)3, stderr));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_stats_print(pool, HEIST_STATS_TEXT, NULL));
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        TEST_ASSERT_EQUAL_INT(-EIO, heist_stats_print(pool, HEIST_STATS_TEXT, full));
        fclose(full);
    }
    free_pool(pool);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_spawn_is_counted_once_and_joined_once);
    RUN_TEST(a_stolen_join_is_a_steal);
    RUN_TEST(steals_are_counted_where_they_happened);
    RUN_TEST(a_worker_that_wakes_another_counts_it);
    RUN_TEST(calls_for_want_of_slots_are_counted);
    RUN_TEST(detached_tasks_are_counted);
    RUN_TEST(the_workers_add_up_to_the_pool);
    RUN_TEST(a_struct_of_another_size_is_filled_as_far_as_it_goes);
    RUN_TEST(the_rows_of_the_matrix_add_up_to_the_steals);
    RUN_TEST(time_is_work_search_or_sleep);
    RUN_TEST(the_most_children_at_once_are_known);
    RUN_TEST(a_full_inbox_is_counted);
    RUN_TEST(all_formats_are_printed);
    RUN_TEST(they_are_printed_when_asked_for);
    RUN_TEST(they_are_printed_once_at_exit_if_the_pool_is_never_freed);
    return UNITY_END();
}
