/* The problems sort, strassen and uts: the serial parts against simpler ones, whole runs with and without heist, and
 * that every check sees a wrong result. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "apps/sort/sort.h"
#include "apps/strassen/strassen.h"
#include "apps/uts/uts.h"
#include "strassen_sample.h"
#include "test_scale.h"

volatile bool perf_interrupted; /* the harness's, in its programs */

extern const struct perf_workload perf_sort_workload, perf_strassen_workload, perf_uts_workload;
extern const struct perf_implementation perf_sort_serial, perf_sort_heist, perf_strassen_serial, perf_strassen_heist,
    perf_uts_serial, perf_uts_heist;

static struct perf_outcome outcome;
static char error[300];

void setUp(void)
{
    memset(&outcome, 0, sizeof outcome);
    memset(error, 0, sizeof error);
    perf_interrupted = false;
}

void tearDown(void)
{
}

/* ---- running an implementation as the harness does ---- */

static void *prepared(const struct perf_implementation *app, unsigned workers, const char *size,
                      const char *const *settings)
{
    struct perf_input input = {size, workers, settings};
    void *state = NULL;
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, app->prepare(&input, &state, error, sizeof error), error);
    return state;
}

static void run_once(const struct perf_implementation *app, void *state)
{
    if (app->reset) app->reset(state);
    app->run(state);
}

static const char *verdict(const struct perf_implementation *app, void *state)
{
    memset(&outcome, 0, sizeof outcome);
    app->check(state, &outcome);
    return outcome.check;
}

static int refusal(const struct perf_implementation *app, const char *size, const char *const *settings)
{
    struct perf_input input = {size, 1, settings};
    void *state;
    error[0] = '\0';
    return app->prepare(&input, &state, error, sizeof error);
}

static void assert_wrong(const char *verdict_given)
{
    TEST_ASSERT_NOT_EQUAL_MESSAGE(0, strlen(verdict_given), "the check says nothing");
    TEST_ASSERT_NOT_EQUAL_MESSAGE(0, strcmp(verdict_given, "ok"), "the check finds a wrong result right");
}

static const unsigned worker_numbers[] = {1, 2, 4};
#define EACH_WORKERS(w) for (const unsigned *w = worker_numbers; w < worker_numbers + 3; w++)

static uint64_t random_state = 88172645463325252u;
static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* ---- SHA-1 ---- */

/* The digest of `repeats` times `text`, in hexadecimal. */
static const char *digest(sha1_function *hash, const char *text, size_t repeats)
{
    static char hex[41];
    size_t length = strlen(text), total = length * repeats, blocks = (total + 8) / 64 + 1;
    uint32_t state[5];
    memcpy(state, sha1_start, sizeof state);
    for (size_t block = 0; block < blocks; block++) {
        uint32_t words[16] = {0};
        for (size_t i = 0; i < 64; i++) {
            size_t at = block * 64 + i;
            uint32_t byte = at < total ? (unsigned char)text[at % length] : at == total ? 0x80 : 0;
            words[i / 4] |= byte << (24 - 8 * (i % 4));
        }
        if (block == blocks - 1) {
            words[14] = (uint32_t)((uint64_t)total * 8 >> 32);
            words[15] = (uint32_t)(total * 8);
        }
        hash(state, words);
    }
    for (int i = 0; i < 5; i++) snprintf(hex + 8 * i, 9, "%08x", (unsigned)state[i]);
    return hex;
}

static void sha1_gives_the_published_digests(void)
{
    sha1_function *both[] = {sha1_portable, sha1_fastest(NULL)};
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL_STRING("da39a3ee5e6b4b0d3255bfef95601890afd80709", digest(both[i], "", 1));
        TEST_ASSERT_EQUAL_STRING("a9993e364706816aba3e25717850c26c9cd0d89d", digest(both[i], "abc", 1));
        TEST_ASSERT_EQUAL_STRING("84983e441c3bd26ebaae4aa1f95129e5e54670f1",
                                 digest(both[i], "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1));
        TEST_ASSERT_EQUAL_STRING("34aa973cd4c4daa4f61eeb2bdbad27316534016f", digest(both[i], "a", 1000000));
    }
}

static void the_fastest_sha1_does_what_plain_c_does(void)
{
    const char *name = NULL;
    sha1_function *fastest = sha1_fastest(&name);
    TEST_ASSERT_NOT_NULL(name);
    for (int i = 0; i < test_scale(10000); i++) {
        uint32_t plain[5], fast[5], block[16];
        for (int k = 0; k < 5; k++) plain[k] = fast[k] = (uint32_t)random_number();
        for (int k = 0; k < 16; k++) block[k] = (uint32_t)random_number();
        sha1_portable(plain, block);
        fastest(fast, block);
        TEST_ASSERT_EQUAL_HEX32_ARRAY_MESSAGE(plain, fast, 5, name);
    }
}

/* ---- uts ---- */

static const char *const no_settings[] = {NULL};
static const char *const small_trees[] = {"T1S", "T2S", "T3S", "T4S", "T5S"};
static const char *const published_trees[] = {"T1", "T2", "T3", "T4", "T5"};

static void count_tree(const struct perf_implementation *app, unsigned workers, const char *tree, int runs)
{
    void *state = prepared(app, workers, tree, no_settings);
    for (int i = 0; i < runs; i++) {
        run_once(app, state);
        TEST_ASSERT_EQUAL_STRING("ok", verdict(app, state));
        TEST_ASSERT_EQUAL_UINT64(uts_recipe_called(tree)->expected.nodes - 1, outcome.tasks);
    }
    app->discard(state);
}

static void small_trees_are_counted_exactly(void)
{
    for (int i = 0; i < 5; i++) {
        count_tree(&perf_uts_serial, 1, small_trees[i], 1);
        EACH_WORKERS(workers) count_tree(&perf_uts_heist, *workers, small_trees[i], test_scale(5));
    }
}

/* Four million nodes each: on machines where a node costs much more than a tenth of a microsecond, the small ones
 * suffice. */
static void published_trees_are_counted_exactly(void)
{
#ifndef __OPTIMIZE__
    TEST_IGNORE_MESSAGE("too slow without optimisation");
#endif
    if (test_scale_percent() < 100) TEST_IGNORE_MESSAGE("only at full scale");
    for (int i = 0; i < 5; i++) count_tree(&perf_uts_heist, 2, published_trees[i], 1);
    count_tree(&perf_uts_serial, 1, "T3", 1); /* the deepest */
}

static void both_kinds_of_sha1_grow_the_same_tree(void)
{
    struct uts_tree plain, fast;
    const struct uts_recipe *recipe = uts_recipe_called("T4S");
    uts_tree_init(&plain, recipe, sha1_portable);
    uts_tree_init(&fast, recipe, sha1_fastest(NULL));
    struct uts_node a, b, next;
    uts_root(&plain, &a);
    uts_root(&fast, &b);
    for (uint32_t i = 0; i < 1000; i++) {
        TEST_ASSERT_EQUAL_MEMORY(&a, &b, sizeof a);
        TEST_ASSERT_EQUAL_UINT(uts_children(&plain, &a), uts_children(&fast, &b));
        uts_child(&plain, &a, i, &next);
        a = next;
        uts_child(&fast, &b, i, &next);
        b = next;
    }
}

static void a_miscounted_tree_is_not_ok(void)
{
    struct uts_search search;
    struct perf_input input = {"T2S", 1, no_settings};
    TEST_ASSERT_EQUAL_INT(0, uts_prepare(&input, false, &search, error, sizeof error));
    const struct uts_counts right = search.tree.recipe->expected;
    const struct uts_counts wrong[] = {
        {right.nodes + 1, right.leaves, right.depth},
        {right.nodes, right.leaves - 1, right.depth},
        {right.nodes, right.leaves, right.depth + 1},
        {0, 0, 0},
    };
    search.counts = right;
    uts_check(&search, &outcome);
    TEST_ASSERT_EQUAL_STRING("ok", outcome.check);
    for (int i = 0; i < 4; i++) {
        search.counts = wrong[i];
        uts_check(&search, &outcome);
        assert_wrong(outcome.check);
    }
    uts_discard(&search);
}

static void a_count_is_good_for_one_check_only(void)
{
    void *state = prepared(&perf_uts_heist, 2, "T1S", no_settings);
    run_once(&perf_uts_heist, state);
    TEST_ASSERT_EQUAL_STRING("ok", verdict(&perf_uts_heist, state));
    assert_wrong(verdict(&perf_uts_heist, state));
    perf_uts_heist.discard(state);
}

static void an_interrupted_search_ends_at_once_and_says_so(void)
{
    void *state = prepared(&perf_uts_heist, 2, "T1XL", no_settings); /* some minutes, otherwise */
    perf_interrupted = true;
    run_once(&perf_uts_heist, state);
    TEST_ASSERT_EQUAL_STRING("interrupted", verdict(&perf_uts_heist, state));
    TEST_ASSERT_LESS_THAN_UINT64(1000, outcome.tasks);
    perf_uts_heist.discard(state);
}

static void unknown_trees_are_refused(void)
{
    const char *const none[] = {"", "T0", "t1", "T1 ", "T11", "4000000"};
    for (int i = 0; i < 6; i++) {
        error[0] = '\0';
        TEST_ASSERT_EQUAL_INT(-EINVAL, perf_uts_workload.valid_size(none[i], error, sizeof error));
        TEST_ASSERT_NOT_NULL(strstr(error, none[i]));
        TEST_ASSERT_EQUAL_INT(-EINVAL, refusal(&perf_uts_serial, none[i], no_settings));
        TEST_ASSERT_NOT_EQUAL(0, strlen(error));
    }
}

/* ---- sort ---- */

static const char *const sort_inputs[] = {"random", "ascending", "descending", "equal", "few"};

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The keys of an input, and the same sorted by the C library. */
static void make_keys(const char *input, size_t n, uint64_t *keys, uint64_t *sorted)
{
    TEST_ASSERT_TRUE(sort_make_input(input, keys, n));
    memcpy(sorted, keys, n * sizeof *keys);
    qsort(sorted, n, sizeof *sorted, ascending);
}

static void assert_same_keys(const uint64_t *expected, const uint64_t *actual, size_t n)
{
    if (n > 0) TEST_ASSERT_EQUAL_UINT64_ARRAY(expected, actual, (unsigned)n);
}

static void the_serial_sort_sorts_every_small_number_of_keys(void)
{
    uint64_t keys[200], spare[200], sorted[200];
    for (int input = 0; input < 5; input++) {
        for (size_t n = 0; n < 200; n++) {
            for (int into_spare = 0; into_spare < 2; into_spare++) {
                make_keys(sort_inputs[input], n, keys, sorted);
                sort_serially(keys, spare, n, into_spare);
                assert_same_keys(sorted, into_spare ? spare : keys, n);
            }
        }
    }
}

/* Two sorted runs of so many keys with values below `range`. */
static struct sort_merge two_runs(uint64_t *from, uint64_t *to, size_t a_count, size_t b_count, uint64_t range)
{
    for (size_t i = 0; i < a_count + b_count; i++) from[i] = random_number() % range;
    qsort(from, a_count, sizeof *from, ascending);
    qsort(from + a_count, b_count, sizeof *from, ascending);
    return (struct sort_merge){from, from + a_count, a_count, b_count, to};
}

static void runs_of_any_two_lengths_are_merged(void)
{
    uint64_t from[80], to[80];
    for (size_t a_count = 0; a_count <= 40; a_count++) {
        for (size_t b_count = 0; b_count <= 40; b_count++) {
            struct sort_merge m = two_runs(from, to, a_count, b_count, b_count % 2 ? 4 : 1000);
            sort_merge_serially(&m);
            qsort(from, a_count + b_count, sizeof *from, ascending);
            assert_same_keys(from, to, a_count + b_count);
        }
    }
}

static void a_merge_is_cut_where_its_result_has_its_middle(void)
{
    uint64_t from[60], to[60];
    for (size_t a_count = 0; a_count <= 30; a_count++) {
        for (size_t b_count = 0; b_count <= 30; b_count++) {
            struct sort_merge m = two_runs(from, to, a_count, b_count, a_count % 2 ? 3 : 1000), lower, upper;
            sort_merge_cut(&m, &lower, &upper);
            TEST_ASSERT_EQUAL_size_t((a_count + b_count) / 2, sort_merge_size(&lower));
            TEST_ASSERT_EQUAL_size_t(a_count, lower.a_count + upper.a_count);
            TEST_ASSERT_EQUAL_size_t(b_count, lower.b_count + upper.b_count);
            sort_merge_serially(&upper);
            sort_merge_serially(&lower);
            qsort(from, a_count + b_count, sizeof *from, ascending);
            assert_same_keys(from, to, a_count + b_count);
        }
    }
}

static uint64_t spawns_of_merge(size_t n, size_t cutoff)
{
    return n <= cutoff ? 0 : 1 + spawns_of_merge(n / 2, cutoff) + spawns_of_merge(n - n / 2, cutoff);
}

static uint64_t spawns_of_sort(size_t n, size_t cutoff)
{
    if (n <= cutoff) return 0;
    return 1 + spawns_of_sort(n / 2, cutoff) + spawns_of_sort(n - n / 2, cutoff) + spawns_of_merge(n, cutoff);
}

static void sort_and_compare(const struct perf_implementation *app, unsigned workers, size_t n, const char *cutoff,
                             const char *input)
{
    const char *const settings[] = {"cutoff", cutoff, "input", input, NULL};
    char size[24];
    snprintf(size, sizeof size, "%zu", n);
    struct sort_job *job = prepared(app, workers, size, settings);
    uint64_t *keys = malloc((n + 1) * sizeof *keys), *sorted = malloc((n + 1) * sizeof *sorted);
    TEST_ASSERT_TRUE(keys && sorted);
    make_keys(input, n, keys, sorted);
    for (int run = 0; run < 2; run++) {
        run_once(app, job);
        TEST_ASSERT_EQUAL_STRING("ok", verdict(app, job));
        assert_same_keys(sorted, job->keys, n);
        TEST_ASSERT_EQUAL_UINT64(spawns_of_sort(n, (size_t)atol(cutoff)), outcome.tasks);
    }
    free(keys);
    free(sorted);
    app->discard(job);
}

static void every_input_is_sorted_with_every_cutoff(void)
{
    const size_t sizes[] = {0, 1, 2, 3, 1000, test_scale((size_t)20011)};
    const char *const cutoffs[] = {"1", "2", "3", "61", "2048"};
    for (int size = 0; size < 6; size++) {
        for (int cutoff = 0; cutoff < 5; cutoff++) {
            for (int input = 0; input < 5; input++) {
                sort_and_compare(&perf_sort_heist, 2, sizes[size], cutoffs[cutoff], sort_inputs[input]);
                sort_and_compare(&perf_sort_serial, 1, sizes[size], cutoffs[cutoff], sort_inputs[input]);
            }
        }
    }
    EACH_WORKERS(workers) sort_and_compare(&perf_sort_heist, *workers, test_scale((size_t)300000), "1000", "random");
}

static void a_badly_sorted_array_is_not_ok(void)
{
    enum { N = 1000 };
    const char *const settings[] = {"cutoff", "10", "input", "random", NULL};
    struct sort_job *job = prepared(&perf_sort_heist, 2, "1000", settings);
    perf_sort_heist.reset(job);
    assert_wrong(verdict(&perf_sort_heist, job)); /* not run at all */
    run_once(&perf_sort_heist, job);
    TEST_ASSERT_EQUAL_STRING("ok", verdict(&perf_sort_heist, job));

    uint64_t keep = job->keys[N / 2], first = job->keys[0];
    job->keys[N / 2] = job->keys[N / 2 - 1]; /* one lost, one twice */
    assert_wrong(verdict(&perf_sort_heist, job));
    job->keys[N / 2] = keep + 1; /* one bit or more, and still in order */
    TEST_ASSERT_TRUE(keep + 1 < job->keys[N / 2 + 1]);
    assert_wrong(verdict(&perf_sort_heist, job));
    job->keys[N / 2] = keep;
    TEST_ASSERT_EQUAL_STRING("ok", verdict(&perf_sort_heist, job));
    job->keys[0] = job->keys[1]; /* out of order, but the right keys */
    job->keys[1] = first;
    assert_wrong(verdict(&perf_sort_heist, job));
    for (size_t i = 0; i < N; i++) job->keys[i] = 0;
    assert_wrong(verdict(&perf_sort_heist, job));
    perf_sort_heist.discard(job);
}

/* Otherwise a second run that did nothing, or did not wait, could pass. */
static void nothing_of_the_last_sort_is_left(void)
{
    const char *const settings[] = {"cutoff", "10", "input", "random", NULL};
    struct sort_job *job = prepared(&perf_sort_serial, 1, "1000", settings);
    run_once(&perf_sort_serial, job);
    TEST_ASSERT_EQUAL_STRING("ok", verdict(&perf_sort_serial, job));
    perf_sort_serial.reset(job);
    assert_wrong(verdict(&perf_sort_serial, job));
    TEST_ASSERT_EACH_EQUAL_UINT64(0, job->spare, 1000);
    perf_sort_serial.discard(job);
}

static void impossible_sorts_are_refused(void)
{
    const char *const sizes[] = {"", "-1", "1e6", "10 ", "99999999999999999999"};
    const char *const settings[] = {"cutoff", "2048", "input", "random", NULL};
    for (int i = 0; i < 5; i++) {
        TEST_ASSERT_EQUAL_INT(-EINVAL, perf_sort_workload.valid_size(sizes[i], error, sizeof error));
        TEST_ASSERT_EQUAL_INT(-EINVAL, refusal(&perf_sort_serial, sizes[i], settings));
        TEST_ASSERT_NOT_EQUAL(0, strlen(error));
    }
    const char *const no_cutoff[] = {"cutoff", "0", "input", "random", NULL};
    const char *const no_input[] = {"cutoff", "2048", "input", "Random", NULL};
    TEST_ASSERT_EQUAL_INT(-EINVAL, refusal(&perf_sort_serial, "10", no_cutoff));
    TEST_ASSERT_EQUAL_INT(-EINVAL, refusal(&perf_sort_heist, "10", no_input));
}

/* ---- strassen ---- */

static void multiply_naively(const double *a, const double *b, double *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    }
}

static double greatest_difference(const double *x, const double *y, size_t count)
{
    double greatest = 0;
    for (size_t i = 0; i < count; i++) {
        double d = fabs(x[i] - y[i]);
        if (!(d <= greatest)) greatest = d; /* a NaN is kept */
    }
    return greatest;
}

/* Runs with a cut-off that need not be one of those that the command accepts. */
static void multiply_and_compare(const struct perf_implementation *app, unsigned workers, size_t n, size_t cutoff,
                                 int runs)
{
    const char *const settings[] = {"cutoff", "8", NULL};
    char size[24];
    snprintf(size, sizeof size, "%zu", n);
    struct strassen_job *job = prepared(app, workers, size, settings);
    double *product = malloc(n * n * sizeof *product);
    double bound = strassen_error_bound(n, cutoff) + strassen_error_bound(n, n); /* of ours, and of the plain one */
    TEST_ASSERT_NOT_NULL(product);
    job->cutoff = cutoff;
    for (int run = 0; run < runs; run++) {
        run_once(app, job);
        TEST_ASSERT_EQUAL_STRING("ok", verdict(app, job));
        multiply_naively(job->a, job->b, product, n);
        TEST_ASSERT_TRUE(greatest_difference(job->c, product, n * n) <= bound);
    }
    free(product);
    app->discard(job);
}

static void products_are_right_with_every_cutoff(void)
{
    const size_t cutoffs[] = {1, 2, 3, 5, 8, 13, 31, 64, 100, 16384};
    for (size_t n = 1; n <= 128; n *= 2) {
        for (int i = 0; i < 10; i++) {
            if (n == 128 && cutoffs[i] < 5) continue;
            multiply_and_compare(&perf_strassen_serial, 1, n, cutoffs[i], 2);
            multiply_and_compare(&perf_strassen_heist, 2, n, cutoffs[i], 2);
        }
    }
    EACH_WORKERS(workers) multiply_and_compare(&perf_strassen_heist, *workers, 128, 8, 2);
    if (test_scale_percent() >= 100)
        multiply_and_compare(&perf_strassen_heist, 2, 512, 64, 1); /* put together in bands */
}

static void tasks_and_operations_are_counted(void)
{
    const char *const settings[] = {"cutoff", "64", NULL};
    struct strassen_job *job = prepared(&perf_strassen_serial, 1, "512", settings);
    run_once(&perf_strassen_serial, job);
    TEST_ASSERT_EQUAL_STRING("ok", verdict(&perf_strassen_serial, job));
    TEST_ASSERT_EQUAL_UINT64(7 + 49 + 343 + 2, outcome.tasks); /* the uppermost result is put together in two bands */
    double additions = 21 * (256.0 * 256 + 7 * 128 * 128 + 49 * 64 * 64);
    TEST_ASSERT_TRUE(outcome.flops == 343 * 2 * 64.0 * 64 * 64 + additions);
    perf_strassen_serial.discard(job);
}

static void a_wrong_product_is_not_ok(void)
{
    enum { N = 256 };
    const char *const settings[] = {"cutoff", "32", NULL};
    const struct perf_implementation *app = &perf_strassen_heist;
    struct strassen_job *job = prepared(app, 2, "256", settings);
    app->reset(job);
    assert_wrong(verdict(app, job)); /* not run at all */
    run_once(app, job);
    TEST_ASSERT_EQUAL_STRING("ok", verdict(app, job));
    for (int i = 0; i < 50; i++) {
        double *entry = &job->c[random_number() % (N * N)], keep = *entry;
        *entry = keep + 1e-5;
        assert_wrong(verdict(app, job));
        *entry = NAN;
        assert_wrong(verdict(app, job));
        *entry = keep;
    }
    TEST_ASSERT_EQUAL_STRING("ok", verdict(app, job));
    for (size_t i = 0; i < N * N / 2; i++) { /* the lower half put where the upper belongs */
        double upper = job->c[i];
        job->c[i] = job->c[N * N / 2 + i];
        job->c[N * N / 2 + i] = upper;
    }
    assert_wrong(verdict(app, job));
    run_once(app, job);
    job->a[5 * N + 7] += 1e-3; /* a product of other factors */
    assert_wrong(verdict(app, job));
    app->discard(job);
}

/* The rows' test alone would let this through; the entries' bound is the closer one. */
static void a_small_error_everywhere_is_not_ok(void)
{
    const char *const settings[] = {"cutoff", "64", NULL};
    struct strassen_job *job = prepared(&perf_strassen_serial, 1, "256", settings);
    run_once(&perf_strassen_serial, job);
    double error_allowed = strassen_error_bound(256, 64);
    for (size_t i = 0; i < 256 * 256; i++) job->c[i] += 1.5 * error_allowed;
    assert_wrong(verdict(&perf_strassen_serial, job));
    perf_strassen_serial.discard(job);
}

static void nothing_of_the_last_product_is_left(void)
{
    const char *const settings[] = {"cutoff", "8", NULL};
    struct strassen_job *job = prepared(&perf_strassen_serial, 1, "64", settings);
    run_once(&perf_strassen_serial, job);
    TEST_ASSERT_EQUAL_STRING("ok", verdict(&perf_strassen_serial, job));
    double factor = job->a[0], last[64 * 64];
    memcpy(last, job->c, sizeof last);
    perf_strassen_serial.reset(job);
    TEST_ASSERT_TRUE(job->a[0] == -factor);
    assert_wrong(verdict(&perf_strassen_serial, job));
    memcpy(job->c, last, sizeof last); /* as if a run had found it in its memory */
    assert_wrong(verdict(&perf_strassen_serial, job));
    perf_strassen_serial.discard(job);
}

static void impossible_products_are_refused(void)
{
    const char *const sizes[] = {"", "0", "3", "1000", "1024x", "32768", "-2"};
    const char *const settings[] = {"cutoff", "64", NULL}, *const too_deep[] = {"cutoff", "4", NULL};
    for (int i = 0; i < 7; i++) {
        TEST_ASSERT_EQUAL_INT(-EINVAL, perf_strassen_workload.valid_size(sizes[i], error, sizeof error));
        TEST_ASSERT_EQUAL_INT(-EINVAL, refusal(&perf_strassen_serial, sizes[i], settings));
        TEST_ASSERT_NOT_EQUAL(0, strlen(error));
    }
    TEST_ASSERT_EQUAL_INT(-EINVAL, refusal(&perf_strassen_serial, "64", too_deep));
}

/* ---- the help texts of the workloads ---- */

static void each_size_is_valid(const struct perf_workload *workload, const char *list)
{
    char sizes[200], *rest = sizes;
    snprintf(sizes, sizeof sizes, "%s", list);
    for (char *size; (size = strtok_r(rest, ",", &rest));)
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, workload->valid_size(size, error, sizeof error), error);
}

static void usual_sizes_and_presets_are_valid(void)
{
    const struct perf_workload *const workloads[] = {&perf_sort_workload, &perf_strassen_workload, &perf_uts_workload};
    for (int i = 0; i < 3; i++) {
        each_size_is_valid(workloads[i], workloads[i]->sizes);
        each_size_is_valid(workloads[i], workloads[i]->quick_sizes);
        for (const struct perf_option *o = workloads[i]->options; o && o->name; o++) {
            TEST_ASSERT_EQUAL_INT_MESSAGE(0, o->valid(o->preset, error, sizeof error), error);
            TEST_ASSERT_EQUAL_INT(-EINVAL, o->valid("nonsense", error, sizeof error));
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(sha1_gives_the_published_digests);
    RUN_TEST(the_fastest_sha1_does_what_plain_c_does);
    RUN_TEST(small_trees_are_counted_exactly);
    RUN_TEST(published_trees_are_counted_exactly);
    RUN_TEST(both_kinds_of_sha1_grow_the_same_tree);
    RUN_TEST(a_miscounted_tree_is_not_ok);
    RUN_TEST(a_count_is_good_for_one_check_only);
    RUN_TEST(an_interrupted_search_ends_at_once_and_says_so);
    RUN_TEST(unknown_trees_are_refused);
    RUN_TEST(the_serial_sort_sorts_every_small_number_of_keys);
    RUN_TEST(runs_of_any_two_lengths_are_merged);
    RUN_TEST(a_merge_is_cut_where_its_result_has_its_middle);
    RUN_TEST(every_input_is_sorted_with_every_cutoff);
    RUN_TEST(a_badly_sorted_array_is_not_ok);
    RUN_TEST(nothing_of_the_last_sort_is_left);
    RUN_TEST(impossible_sorts_are_refused);
    RUN_TEST(the_base_multiplies_parts_of_larger_matrices);
    RUN_TEST(products_are_right_with_every_cutoff);
    RUN_TEST(tasks_and_operations_are_counted);
    RUN_TEST(a_wrong_product_is_not_ok);
    RUN_TEST(a_small_error_everywhere_is_not_ok);
    RUN_TEST(nothing_of_the_last_product_is_left);
    RUN_TEST(impossible_products_are_refused);
    RUN_TEST(usual_sizes_and_presets_are_valid);
    return UNITY_END();
}
