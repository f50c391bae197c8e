/* What is made of the counters: histograms, differences, times, advice, JSON, and files that are written safely. All of
 * it is pure, or about files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <unity.h>

#include "observe/counters.h"
#include "observe/histogram.h"
#include "observe/report.h"
#include "platform/safe_file.h"

#include <heist/heist.h>

void setUp(void)
{
}
void tearDown(void)
{
}

/* ---- histograms ---- */

static void a_time_is_in_the_bucket_of_its_power_of_two(void)
{
    TEST_ASSERT_EQUAL_UINT(0, heist__bucket_of(0));
    TEST_ASSERT_EQUAL_UINT(0, heist__bucket_of(1));
    TEST_ASSERT_EQUAL_UINT(1, heist__bucket_of(2));
    TEST_ASSERT_EQUAL_UINT(1, heist__bucket_of(3));
    TEST_ASSERT_EQUAL_UINT(10, heist__bucket_of(1024));
    TEST_ASSERT_EQUAL_UINT(10, heist__bucket_of(2047));
    TEST_ASSERT_EQUAL_UINT(HEIST_BUCKETS - 1, heist__bucket_of(UINT64_MAX));
}

static heist_stats spread_of(const uint64_t *times, unsigned count)
{
    static heist__counters c;
    heist_stats s = {0};
    memset(&c, 0, sizeof c);
    for (unsigned i = 0; i < count; i++) heist__spread_add(&c.steal_latency, times[i]);
    heist__counters_add(&s, &c, 0);
    return s;
}

static void least_mean_and_most_are_exact(void)
{
    const uint64_t times[] = {700, 100, 1000000, 5000};
    const heist_stats s = spread_of(times, 4);
    TEST_ASSERT_EQUAL_UINT64(4, s.steal_latency.count);
    TEST_ASSERT_EQUAL_UINT64(100, s.steal_latency.least);
    TEST_ASSERT_EQUAL_UINT64(1000000, s.steal_latency.most);
    TEST_ASSERT_EQUAL_UINT64(1005800, s.steal_latency.sum);
}

/* Of 1 to 10000 the percentile is known; a bucket is a factor of two wide, and taken as even, which these are. */
static void percentiles_are_near_those_of_an_even_spread(void)
{
    uint64_t times[10000];
    for (unsigned i = 0; i < 10000; i++) times[i] = i + 1;
    const heist_stats s = spread_of(times, 10000);
    for (unsigned percent = 5; percent < 100; percent += 5) {
        const uint64_t found = heist_histogram_percentile(&s.steal_latency, percent);
        TEST_ASSERT_UINT64_WITHIN(20, percent * 100, found);
    }
    TEST_ASSERT_EQUAL_UINT64(1, heist_histogram_percentile(&s.steal_latency, 0));
    TEST_ASSERT_EQUAL_UINT64(10000, heist_histogram_percentile(&s.steal_latency, 100));
    const heist_histogram empty = {0};
    TEST_ASSERT_EQUAL_UINT64(0, heist_histogram_percentile(&empty, 50));
    TEST_ASSERT_EQUAL_UINT64(0, heist_histogram_percentile(NULL, 50));
}

static void the_difference_of_two_snapshots_is_what_came_between(void)
{
    const uint64_t times[] = {10, 10, 5000, 6000, 7000};
    heist_stats before = spread_of(times, 2), after = spread_of(times, 5), between = {0};
    before.size = after.size = sizeof before;
    before.tasks = 100;
    after.tasks = 175;
    before.steal_got[HEIST_LEVEL_FAR] = 3;
    after.steal_got[HEIST_LEVEL_FAR] = 10;
    before.slots_most = 7;
    after.slots_most = 9;
    before.working = 1000;
    after.working = 4000;
    TEST_ASSERT_EQUAL_INT(0, heist_stats_difference(&after, &before, &between));
    TEST_ASSERT_EQUAL_UINT64(75, between.tasks);
    TEST_ASSERT_EQUAL_UINT64(7, between.steal_got[HEIST_LEVEL_FAR]);
    TEST_ASSERT_EQUAL_UINT64(9, between.slots_most);
    TEST_ASSERT_EQUAL_UINT64(3000, between.working);
    TEST_ASSERT_EQUAL_UINT64(3, between.steal_latency.count);
    TEST_ASSERT_EQUAL_UINT64(18000, between.steal_latency.sum);
    TEST_ASSERT_EQUAL_UINT64(4096, between.steal_latency.least);
    TEST_ASSERT_EQUAL_UINT64(7000, between.steal_latency.most);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_stats_difference(NULL, &before, &between));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_stats_difference(&after, &before, NULL));
}

/* A program that was compiled with an older header has a shorter struct, and nothing behind it is touched. */
static void the_difference_of_short_structs_is_short(void)
{
    const size_t shorter = offsetof(heist_stats, working);
    heist_stats before = {.size = shorter, .tasks = 1}, after = {.size = shorter, .tasks = 3}, between;
    memset(&between, 0x55, sizeof between);
    TEST_ASSERT_EQUAL_INT(0, heist_stats_difference(&after, &before, &between));
    TEST_ASSERT_EQUAL_UINT64(2, between.tasks);
    TEST_ASSERT_EQUAL_size_t(shorter, between.size);
    TEST_ASSERT_EACH_EQUAL_HEX8(0x55, (char *)&between + shorter, sizeof between - shorter);
}

/* ---- times ---- */

static heist__counters times_c;

static void set_times(uint64_t started, uint64_t searching, uint64_t asleep, uint64_t lent)
{
    memset(&times_c, 0, sizeof times_c);
    heist__counter_set(&times_c.started, started);
    heist__counter_set(&times_c.searching, searching);
    heist__counter_set(&times_c.asleep, asleep);
    heist__counter_set(&times_c.lent, lent);
}

static void the_three_times_sum_up_to_the_life(void)
{
    set_times(1000, 200, 300, 0);
    heist__times t = heist__counters_times(&times_c, 2000, 0, 1);
    TEST_ASSERT_EQUAL_UINT64(200, t.searching);
    TEST_ASSERT_EQUAL_UINT64(300, t.asleep);
    TEST_ASSERT_EQUAL_UINT64(500, t.working);
    heist__counter_set(&times_c.ended, 1800); /* the thread has gone */
    TEST_ASSERT_EQUAL_UINT64(300, heist__counters_times(&times_c, 9000, 0, 1).working);
}

static void an_interval_that_goes_on_counts(void)
{
    set_times(1000, 0, 0, 0);
    heist__counter_set(&times_c.asleep_since, 1100);
    heist__times t = heist__counters_times(&times_c, 2000, 0, 1);
    TEST_ASSERT_EQUAL_UINT64(900, t.asleep);
    TEST_ASSERT_EQUAL_UINT64(100, t.working);
}

/* The home thread sleeps while a caller works in its seat: that is work. Ticks are half a nanosecond here. */
static void a_lent_seat_works(void)
{
    set_times(1000, 50, 800, 1200);
    heist__times t = heist__counters_times(&times_c, 2000, 0, 0.5);
    TEST_ASSERT_EQUAL_UINT64(200, t.asleep);
    TEST_ASSERT_EQUAL_UINT64(50, t.searching);
    TEST_ASSERT_EQUAL_UINT64(750, t.working);
}

/* ---- advice ---- */

/* A report without a fault: two workers, a second each, work of 10 us a task. */
static heist__report *sound(void)
{
    heist__report *r = heist__report_new(2, true);
    TEST_ASSERT_NOT_NULL(r);
    r->cpus = r->cores = r->pus = 2;
    r->near = true;
    r->all.tasks = r->all.spawns = r->all.joins_inline = 200000;
    r->all.working = UINT64_C(1980000000);
    r->all.searching = 10000000;
    r->all.asleep = 10000000;
    r->all.steal_got[HEIST_LEVEL_CACHE] = 200;
    r->all.steal_empty[HEIST_LEVEL_CACHE] = 300;
    r->matrix[1] = r->matrix[2] = 100;
    r->all.wake_latency.count = 30;
    r->all.wake_latency.sum = 30 * 50000;
    return r;
}

static void only(const char *rule, heist__report *r)
{
    heist__advice advice[HEIST__ADVICES];
    const unsigned count = heist__advise(r, advice);
    if (rule) {
        TEST_ASSERT_EQUAL_UINT_MESSAGE(1, count, rule);
        TEST_ASSERT_EQUAL_STRING(rule, advice[0].rule);
        TEST_ASSERT_TRUE(strlen(advice[0].text) > 60 && strlen(advice[0].text) < sizeof advice[0].text - 1);
        TEST_ASSERT_NOT_NULL_MESSAGE(strpbrk(advice[0].text, "0123456789"), "no figure");
    } else {
        TEST_ASSERT_EQUAL_UINT_MESSAGE(0, count, count ? advice[0].text : "");
    }
    heist__report_free(r);
}

static void a_sound_program_gets_no_advice(void)
{
    only(NULL, sound());
}

static void each_fault_gets_its_advice_and_no_other(void)
{
    heist__report *r = sound();
    r->all.working = UINT64_C(1500000000);
    r->all.searching = 500000000;
    r->all.steal_empty[HEIST_LEVEL_CACHE] = 3000;
    only("steal-success", r);

    r = sound();
    r->all.tasks = r->all.spawns = r->all.joins_inline = 400000000;
    only("task-size", r);

    r = sound();
    r->all.tasks = 15;
    r->all.joins_inline = 15;
    r->all.steal_got[HEIST_LEVEL_CACHE] = 2;
    r->all.working = 1000000000;
    r->all.asleep = 1000000000;
    only("task-count", r);

    r = sound();
    r->all.tasks = 1000;
    r->matrix[1] = 195;
    r->matrix[2] = 5;
    only("one-producer", r);

    r = sound();
    r->all.wake_latency.sum = 500000000;
    only("asleep", r);

    r = sound();
    r->all.steal_got[HEIST_LEVEL_FAR] = 250;
    only("far-steals", r);

    r = sound();
    r->cpus = 1;
    only("cpu-quota", r);

    r = sound();
    r->cores = 1;
    only("shared-cores", r);

    r = sound();
    r->all.detached = 10000;
    r->all.inbox_full = 150;
    only("inbox", r);

    r = sound();
    r->all.spawns_called = 1;
    only("slots", r);
}

/* On the other side of each threshold nothing is said. */
static void thresholds_are_where_the_table_says(void)
{
    heist__report *r = sound();
    r->all.working = UINT64_C(1500000000);
    r->all.searching = 500000000;
    r->all.steal_empty[HEIST_LEVEL_CACHE] = 466; /* 200 of 666: 30.03% */
    only(NULL, r);

    r = sound();
    r->all.working = 810;
    r->all.searching = 10; /* too short to tell */
    r->all.asleep = 0;
    only(NULL, r);

    r = sound();
    r->all.joins_inline = 190000000; /* 19.2% */
    only(NULL, r);

    r = sound();
    r->all.tasks = 16;
    r->all.joins_inline = 16;
    r->all.steal_got[HEIST_LEVEL_CACHE] = 2;
    r->all.working = 1000000000;
    r->all.asleep = 1000000000;
    only(NULL, r);

    r = sound();
    r->all.tasks = 1000;
    r->matrix[1] = 179;
    r->matrix[2] = 21;
    only(NULL, r);

    r = sound();
    r->all.tasks = 2100; /* all from one, but few of the tasks are stolen */
    r->matrix[1] = 200;
    r->matrix[2] = 0;
    only(NULL, r);

    r = sound();
    r->all.wake_latency.sum = 390000000;
    only(NULL, r);

    r = sound();
    r->all.steal_got[HEIST_LEVEL_FAR] = 199;
    only(NULL, r);

    r = sound();
    r->all.steal_got[HEIST_LEVEL_FAR] = 250;
    r->near = false; /* there is no nearer victim */
    only(NULL, r);
}

/* ---- JSON ---- */

static void strings_are_escaped(void)
{
    char text[256] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    heist__json j = heist__json_to(out);
    heist__json_begin(&j, NULL, '[');
    heist__json_string(&j, NULL, "a\"b\\c\n\xc3\xa9\xff");
    heist__json_string(&j, NULL, NULL);
    heist__json_real(&j, NULL, 0.5);
    heist__json_real(&j, NULL, 1.0 / 0.0);
    heist__json_bool(&j, NULL, true);
    heist__json_end(&j);
    fclose(out);
    TEST_ASSERT_EQUAL_STRING("[\n  \"a\\\"b\\\\c\\u000a\xc3\xa9\\u00ff\",\n  null,\n  0.5,\n  null,\n  true\n]\n",
                             text);
}

/* ---- files ---- */

static char directory[64], path[96], other[96];

static void make_directory(void)
{
    snprintf(directory, sizeof directory, "/tmp/heist-observe-XXXXXX");
    TEST_ASSERT_NOT_NULL(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/file", directory);
    snprintf(other, sizeof other, "%s/other", directory);
}

static int write_it(const char *text)
{
    heist__safe_file f;
    int error = heist__safe_file_open(&f, path);
    if (error) return error;
    fputs(text, f.out);
    return heist__safe_file_close(&f);
}

static void contains(const char *name, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(name, "r");
    TEST_ASSERT_NOT_NULL(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    TEST_ASSERT_EQUAL_STRING(text, found);
}

static void a_file_is_replaced_whole(void)
{
    make_directory();
    TEST_ASSERT_EQUAL_INT(0, write_it("a longer text"));
    TEST_ASSERT_EQUAL_INT(0, write_it("text"));
    contains(path, "text");
    TEST_ASSERT_EQUAL_INT(0, unlink(path));
    TEST_ASSERT_EQUAL_INT(0, rmdir(directory)); /* nothing else was there */
}

static void a_link_is_not_followed(void)
{
    make_directory();
    FILE *victim = fopen(other, "w");
    fputs("precious", victim);
    fclose(victim);
    TEST_ASSERT_EQUAL_INT(0, symlink(other, path));
    TEST_ASSERT_EQUAL_INT(-EEXIST, write_it("text"));
    contains(other, "precious");
    TEST_ASSERT_EQUAL_INT(0, unlink(path));
    TEST_ASSERT_EQUAL_INT(0, unlink(other));
    TEST_ASSERT_EQUAL_INT(0, rmdir(directory));
}

/* A link in the place of the temporary file, whose name can be guessed. */
static void a_link_beside_it_is_not_followed(void)
{
    make_directory();
    FILE *victim = fopen(other, "w");
    fputs("precious", victim);
    fclose(victim);
    char beside[160];
    snprintf(beside, sizeof beside, "%s.%ld.0", path, (long)getpid());
    TEST_ASSERT_EQUAL_INT(0, symlink(other, beside));
    TEST_ASSERT_EQUAL_INT(0, write_it("text"));
    contains(other, "precious");
    contains(path, "text");
    unlink(beside);
    unlink(path);
    unlink(other);
    TEST_ASSERT_EQUAL_INT(0, rmdir(directory));
}

static void nothing_is_left_behind_by_a_failure(void)
{
    make_directory();
    TEST_ASSERT_EQUAL_INT(0, mkdir(path, 0700)); /* a directory has the name */
    TEST_ASSERT_EQUAL_INT(-EEXIST, write_it("text"));
    TEST_ASSERT_EQUAL_INT(0, rmdir(path));
    heist__safe_file f;
    TEST_ASSERT_EQUAL_INT(0, heist__safe_file_open(&f, path));
    TEST_ASSERT_EQUAL_INT(0, mkdir(path, 0700)); /* it comes later */
    fputs("text", f.out);
    TEST_ASSERT_TRUE(heist__safe_file_close(&f) < 0);
    TEST_ASSERT_EQUAL_INT(0, rmdir(path));
    TEST_ASSERT_EQUAL_INT(0, rmdir(directory));
    TEST_ASSERT_EQUAL_INT(-ENOENT, write_it("text")); /* no such directory */
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_time_is_in_the_bucket_of_its_power_of_two);
    RUN_TEST(least_mean_and_most_are_exact);
    RUN_TEST(percentiles_are_near_those_of_an_even_spread);
    RUN_TEST(the_difference_of_two_snapshots_is_what_came_between);
    RUN_TEST(the_difference_of_short_structs_is_short);
    RUN_TEST(the_three_times_sum_up_to_the_life);
    RUN_TEST(an_interval_that_goes_on_counts);
    RUN_TEST(a_lent_seat_works);
    RUN_TEST(a_sound_program_gets_no_advice);
    RUN_TEST(each_fault_gets_its_advice_and_no_other);
    RUN_TEST(thresholds_are_where_the_table_says);
    RUN_TEST(strings_are_escaped);
    RUN_TEST(a_file_is_replaced_whole);
    RUN_TEST(a_link_is_not_followed);
    RUN_TEST(a_link_beside_it_is_not_followed);
    RUN_TEST(nothing_is_left_behind_by_a_failure);
    return UNITY_END();
}
