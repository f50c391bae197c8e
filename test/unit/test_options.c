/* Options: the caller's mistakes are errors with a sentence, the environment's are warnings, zero is sensible. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "schedule/pool.h"
#include "support.h"

static const char *const variables[] = {
    "HEIST_WORKERS", "HEIST_BIND",     "HEIST_STEAL", "HEIST_AMOUNT", "HEIST_SPIN",   "HEIST_STACK", "HEIST_SEED",
    "HEIST_FENCES",  "HEIST_TOPOLOGY", "HEIST_INBOX", "HEIST_SLOTS",  "HEIST_STRICT", "HEIST_WATCH", "HEIST_STRESS"};

void setUp(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
}

void tearDown(void)
{
    setUp();
}

/* ---- the caller ---- */

static void refused(const heist_options *options, const char *about)
{
    errno = 0;
    heist_pool *pool = heist_pool_new(options);
    TEST_ASSERT_NULL_MESSAGE(pool, about);
    TEST_ASSERT_EQUAL_INT_MESSAGE(EINVAL, errno, about);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heist_explain(), about), heist_explain());
}

#define REFUSED(field, value)                                                                                          \
    do {                                                                                                               \
        heist_options wrong = HEIST_OPTIONS_INIT;                                                                      \
        wrong.field = (value);                                                                                         \
        refused(&wrong, #field);                                                                                       \
    } while (0)

static void absurd_values_are_refused_with_a_sentence(void)
{
    REFUSED(workers, HEIST_MAX_WORKERS + 1);
    REFUSED(workers, UINT_MAX);
    REFUSED(bind, (heist_bind)(HEIST_BIND_NODE + 1));
    REFUSED(bind, (heist_bind)-1);
    REFUSED(strategy, (heist_strategy)(HEIST_STRATEGY_ADAPTIVE + 1));
    REFUSED(amount, (heist_amount)(HEIST_AMOUNT_HALF + 1));
    REFUSED(fences, (heist_fences)(HEIST_FENCES_BOTH + 1));
    REFUSED(spin, UINT_MAX);
    REFUSED(stack_size, 1);
    REFUSED(stack_size, SIZE_MAX);
    REFUSED(inbox, 1);
    REFUSED(inbox, SIZE_MAX);
    REFUSED(slots, 1);
    REFUSED(slots, SIZE_MAX);
    REFUSED(watch, UINT64_MAX);
    REFUSED(size, 1);
    REFUSED(size, SIZE_MAX);
}

static void a_described_machine_cannot_be_bound_to(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.topology = "core:2 pu:1";
    options.bind = HEIST_BIND_CORE;
    refused(&options, "bound");
}

static void a_description_that_is_none_is_refused(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.topology = "no machine at all";
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NULL(pool);
    TEST_ASSERT_TRUE(errno == EINVAL || errno == ENOTSUP);
    TEST_ASSERT_TRUE(strlen(heist_explain()) > 0);
    options.topology = "/no/such/file.xml";
    TEST_ASSERT_NULL(heist_pool_new(&options));
    TEST_ASSERT_TRUE(errno == ENOENT || errno == ENOTSUP);
}

static void nothing_at_all_is_sensible(void)
{
    heist_pool *pool = heist_pool_new(NULL);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_TRUE(heist_pool_workers(pool) >= 1);
    free_pool(pool);
    heist_options zero;
    memset(&zero, 0, sizeof zero);
    pool = heist_pool_new(&zero);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    free_pool(pool);
}

static void an_older_callers_struct_is_shorter(void)
{
    union {
        heist_options options;
        char bytes[sizeof(heist_options)];
    } u;
    memset(&u, 0xff, sizeof u); /* beyond its size everything is rubbish */
    u.options.size = offsetof(heist_options, bind);
    u.options.workers = 3;
    heist_pool *pool = heist_pool_new(&u.options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_UINT(3, heist_pool_workers(pool));
    free_pool(pool);
}

static void a_newer_callers_struct_may_be_longer_if_it_says_nothing_new(void)
{
    union {
        heist_options options;
        char bytes[sizeof(heist_options) + 64];
    } u;
    memset(&u, 0, sizeof u);
    u.options.size = sizeof u;
    u.options.workers = 2;
    heist_pool *pool = heist_pool_new(&u.options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_UINT(2, heist_pool_workers(pool));
    free_pool(pool);
    u.bytes[sizeof u - 1] = 1;
    refused(&u.options, "does not know");
}

/* ---- the environment ---- */

/* Words on stderr go to a file until `heard` is asked for them. */
typedef struct {
    FILE *file;
    int stderr_before;
} ear;

static ear listening(void)
{
    ear e = {tmpfile(), dup(STDERR_FILENO)};
    TEST_ASSERT_NOT_NULL(e.file);
    fflush(stderr);
    dup2(fileno(e.file), STDERR_FILENO);
    return e;
}

static void heard(ear e, char said[512])
{
    fflush(stderr);
    dup2(e.stderr_before, STDERR_FILENO);
    close(e.stderr_before);
    rewind(e.file);
    said[fread(said, 1, 511, e.file)] = '\0';
    fclose(e.file);
}

/* Reads the settings with one variable set; the words on stderr meanwhile are in `said`. */
static heist__settings settings_with(const char *variable, const char *value, char said[512])
{
    heist__settings settings;
    ear e = listening();
    setenv(variable, value, 1);
    int error = heist__settings_read(&settings, NULL);
    unsetenv(variable);
    heard(e, said);
    TEST_ASSERT_EQUAL_INT(0, error);
    return settings;
}

#define HONOURED(variable, value, field, expected)                                                                     \
    do {                                                                                                               \
        char said[512];                                                                                                \
        heist__settings s = settings_with(variable, value, said);                                                      \
        TEST_ASSERT_EQUAL_STRING_MESSAGE("", said, variable);                                                          \
        TEST_ASSERT_EQUAL_UINT64_MESSAGE((expected), (uint64_t)s.field, variable "=" value);                           \
        heist__settings_free(&s);                                                                                      \
    } while (0)

static void every_variable_is_honoured(void)
{
    HONOURED("HEIST_WORKERS", "7", workers, 7);
    HONOURED("HEIST_BIND", "spread", bind, HEIST__BIND_SPREAD);
    HONOURED("HEIST_BIND", "numa", bind, HEIST__BIND_NODE);
    HONOURED("HEIST_BIND", "none", bind, HEIST__BIND_NONE);
    HONOURED("HEIST_STEAL", "random", strategy, HEIST__STEAL_RANDOM);
    HONOURED("HEIST_STEAL", "adaptive", strategy, HEIST__STEAL_ADAPTIVE);
    HONOURED("HEIST_AMOUNT", "half", amount, HEIST_AMOUNT_HALF);
    HONOURED("HEIST_SPIN", "5", spin, 5);
    HONOURED("HEIST_STACK", "2M", stack_size, 2 << 20);
    HONOURED("HEIST_STACK", "128k", stack_size, 128 << 10);
    HONOURED("HEIST_SEED", "0x10", seed, 16);
    HONOURED("HEIST_FENCES", "both", fences, HEIST_FENCES_BOTH);
    HONOURED("HEIST_INBOX", "64", inbox, 64);
    HONOURED("HEIST_SLOTS", "4096", slots, 4096);
    HONOURED("HEIST_STRICT", "1", strict, 1);
    HONOURED("HEIST_STRICT", "0", strict, 0);
    HONOURED("HEIST_WATCH", "30", watch, 30);
    HONOURED("HEIST_WORKERS", "", workers, 0);
    HONOURED("HEIST_WORKERS", "010", workers, 10);
    HONOURED("HEIST_WORKERS", "0x10", workers, 16);
    char said[512];
    heist__settings s = settings_with("HEIST_TOPOLOGY", "core:4 pu:2", said);
    TEST_ASSERT_EQUAL_STRING("core:4 pu:2", s.topology);
    heist__settings_free(&s);
}

static void rubbish_is_a_warning_and_the_default(void)
{
    static const struct {
        const char *variable, *value;
    } rubbish[] = {
        {"HEIST_WORKERS", "many"},
        {"HEIST_WORKERS", "0"},
        {"HEIST_WORKERS", "-1"},
        {"HEIST_WORKERS", "3x"},
        {"HEIST_WORKERS", "99999999999999999999"},
        {"HEIST_WORKERS", "4097"},
        {"HEIST_BIND", "tight"},
        {"HEIST_STEAL", "near "},
        {"HEIST_AMOUNT", "2"},
        {"HEIST_SPIN", "1e3"},
        {"HEIST_STACK", "1"},
        {"HEIST_STACK", "99999999999G"},
        {"HEIST_SEED", "abc"},
        {"HEIST_SEED", "-1"},
        {"HEIST_SEED", " 5"},
        {"HEIST_SEED", "99999999999G"},
        {"HEIST_SEED", "99999999999999999999999"},
        {"HEIST_FENCES", "none"},
        {"HEIST_INBOX", "1"},
        {"HEIST_SLOTS", "12"},
        {"HEIST_STRICT", "yes"},
        {"HEIST_WATCH", "0.5"},
    };
    char said[512];
    heist__settings plain = settings_with("HEIST_TEST_NOTHING", "1", said);
    for (size_t i = 0; i < sizeof rubbish / sizeof *rubbish; i++) {
        heist__settings s = settings_with(rubbish[i].variable, rubbish[i].value, said);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, rubbish[i].variable), rubbish[i].value);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "ignored"), said);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&plain, &s, sizeof s, rubbish[i].variable);
    }
}

/* Whether it is one shows only when a pool is made of it. */
static void a_machine_that_is_none_is_a_warning_and_the_default(void)
{
    static const char *const rubbish[] = {"no machine\tat all\x1b[2J", "/no/such/file.xml"};
    for (size_t i = 0; i < sizeof rubbish / sizeof *rubbish; i++) {
        char said[512];
        setenv("HEIST_TOPOLOGY", rubbish[i], 1);
        ear e = listening();
        heist_pool *pool = heist_pool_new(NULL);
        heard(e, said);
        unsetenv("HEIST_TOPOLOGY");
        TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "HEIST_TOPOLOGY"), said);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "ignored"), said);
        const char *notes = heist_pool_notes(pool);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(notes, "HEIST_TOPOLOGY is ignored"), notes);
        TEST_ASSERT_NULL_MESSAGE(strpbrk(said, "\t\x1b"), "the terminal obeys it");
        TEST_ASSERT_NULL_MESSAGE(strpbrk(notes, "\t\x1b"), "the terminal obeys it");
        free_pool(pool);
    }
}

/* A program that fits the main thread's stack fits a worker's, with frames that are larger, if it fits the machine. */
static void the_default_stack_is_eight_times_the_main_threads(void)
{
    static const size_t limits[] = {(size_t)1 << 20, (size_t)8 << 20, (size_t)100 << 20, (size_t)2 << 30,
                                    RLIM_INFINITY};
    size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    struct rlimit before, limit;
    TEST_ASSERT_EQUAL_INT(0, getrlimit(RLIMIT_STACK, &before));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char said[512];
        limit = before;
        limit.rlim_cur = limits[i] < before.rlim_max ? limits[i] : before.rlim_max;
        TEST_ASSERT_EQUAL_INT(0, setrlimit(RLIMIT_STACK, &limit));
        heist__settings s = settings_with("HEIST_TEST_NOTHING", "1", said);
        setrlimit(RLIMIT_STACK, &before);
        TEST_ASSERT_TRUE(s.stack_by_default);
        TEST_ASSERT_TRUE(s.stack_size >= (limit.rlim_cur > memory / 16 ? memory / 2 - 4096 : 8 * limit.rlim_cur));
        TEST_ASSERT_TRUE(s.stack_size <= memory / 2 || s.stack_size == (size_t)64 << 20);
        heist__settings_free(&s);
    }
}

static void the_caller_comes_before_the_environment(void)
{
    setenv("HEIST_WORKERS", "5", 1);
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL(pool);
    TEST_ASSERT_EQUAL_UINT(2, heist_pool_workers(pool));
    free_pool(pool);
    pool = heist_pool_new(NULL);
    TEST_ASSERT_NOT_NULL(pool);
    TEST_ASSERT_EQUAL_UINT(5, heist_pool_workers(pool));
    free_pool(pool);
}

static void every_error_has_a_sentence(void)
{
    for (int error = -200; error <= 1; error++) {
        TEST_ASSERT_NOT_NULL(heist_strerror(error));
        TEST_ASSERT_TRUE(strlen(heist_strerror(error)) > 5);
    }
    TEST_ASSERT_TRUE(strcmp(heist_strerror(-EDEADLK), heist_strerror(-ENOMEM)) != 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(absurd_values_are_refused_with_a_sentence);
    RUN_TEST(a_described_machine_cannot_be_bound_to);
    RUN_TEST(a_description_that_is_none_is_refused);
    RUN_TEST(nothing_at_all_is_sensible);
    RUN_TEST(an_older_callers_struct_is_shorter);
    RUN_TEST(a_newer_callers_struct_may_be_longer_if_it_says_nothing_new);
    RUN_TEST(every_variable_is_honoured);
    RUN_TEST(rubbish_is_a_warning_and_the_default);
    RUN_TEST(a_machine_that_is_none_is_a_warning_and_the_default);
    RUN_TEST(the_default_stack_is_eight_times_the_main_threads);
    RUN_TEST(the_caller_comes_before_the_environment);
    RUN_TEST(every_error_has_a_sentence);
    return UNITY_END();
}
