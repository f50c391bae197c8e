/* test_quota.c: CPU quotas of control groups, read from pictures of /proc and /sys/fs/cgroup that the tests draw in a
 * folder of their own, and the number of workers that follows. */
#include "topology/affinity.h"
#include "topology/quota.h"
#include "unity.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lines of /proc/self/mountinfo as the kernel writes them. */
#define V2_MOUNT "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNT "33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
#define OTHER_MOUNTS                                                                                                   \
    "23 1 254:0 / / rw,relatime - ext4 /dev/root rw\n"                                                                 \
    "24 23 0:5 / /proc rw - proc proc rw\n"                                                                            \
    "34 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"                                       \
    "35 31 0:31 / /sys/fs/cgroup/cpuacct-only rw,relatime - cgroup cgroup rw,cpuacct\n"

static char root[64];
static heist__cpus mask_before;

/* Writes a file of the picture, with the folders that lead there. */
static void put(const char *path, const char *text)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, whole);
    fputs(text, file);
    fclose(file);
}

static int put_away(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

void setUp(void)
{
    strcpy(root, "/tmp/heist-quota-XXXXXX");
    TEST_ASSERT_NOT_NULL(mkdtemp(root));
    TEST_ASSERT_EQUAL_INT(0, heist__cpus_read(&mask_before));
}

void tearDown(void)
{
    nftw(root, put_away, 8, FTW_DEPTH | FTW_PHYS);
    sched_setaffinity(0, mask_before.size, mask_before.set);
    heist__cpus_free(&mask_before);
}

static void quota_is(unsigned expected)
{
    unsigned cpus = 12345;
    TEST_ASSERT_EQUAL_INT(0, heist__cpu_quota(root, &cpus));
    TEST_ASSERT_EQUAL_UINT(expected, cpus);
}

/* A system of version 2, with this process in /app/web. */
static void draw_v2(const char *web, const char *app)
{
    put("/proc/self/cgroup", "0::/app/web\n");
    put("/proc/self/mountinfo", OTHER_MOUNTS V2_MOUNT);
    if (web) put("/sys/fs/cgroup/app/web/cpu.max", web);
    if (app) put("/sys/fs/cgroup/app/cpu.max", app);
}

/* A system of version 1, likewise. */
static void draw_v1(const char *quota, const char *period)
{
    put("/proc/self/cgroup", "12:cpuset:/\n4:cpu,cpuacct:/app/web\n1:name=systemd:/app\n");
    put("/proc/self/mountinfo", OTHER_MOUNTS V1_MOUNT);
    if (quota) put("/sys/fs/cgroup/cpu,cpuacct/app/web/cpu.cfs_quota_us", quota);
    if (period) put("/sys/fs/cgroup/cpu,cpuacct/app/web/cpu.cfs_period_us", period);
}

static void v2_gives_whole_cpus(void)
{
    draw_v2("300000 100000\n", NULL);
    quota_is(3);
}

static void v2_rounds_a_part_of_a_cpu_up(void)
{
    draw_v2("150000 100000\n", NULL);
    quota_is(2);
    draw_v2("1000 100000\n", NULL);
    quota_is(1);
    draw_v2("200001 100000\n", NULL);
    quota_is(3);
}

static void v2_max_is_no_quota(void)
{
    draw_v2("max 100000\n", "max 100000\n");
    quota_is(0);
}

static void v2_takes_the_least_on_the_way_up(void)
{
    draw_v2("800000 100000\n", "250000 100000\n");
    quota_is(3);
    draw_v2("200000 100000\n", "800000 100000\n");
    quota_is(2);
    draw_v2("max 100000\n", "400000 100000\n");
    quota_is(4);
    draw_v2("max 100000\n", "max 100000\n");
    put("/sys/fs/cgroup/cpu.max", "500000 100000\n"); /* the top, as a container sees it */
    quota_is(5);
}

static void v2_has_a_default_period(void)
{
    draw_v2("700000", NULL);
    quota_is(7);
}

static void v2_group_that_was_removed_leaves_those_above(void)
{
    draw_v2(NULL, "200000 100000\n");
    put("/proc/self/cgroup", "0::/app/web (deleted)\n");
    quota_is(2);
}

static void v2_in_a_namespace_sees_its_own_top(void)
{
    put("/proc/self/cgroup", "0::/\n");
    put("/proc/self/mountinfo", V2_MOUNT);
    put("/sys/fs/cgroup/cpu.max", "150000 50000\n");
    quota_is(3);
}

static void v1_divides_quota_by_period(void)
{
    draw_v1("250000\n", "100000\n");
    quota_is(3);
    draw_v1("50000\n", "25000\n");
    quota_is(2);
}

static void v1_minus_one_is_no_quota(void)
{
    draw_v1("-1\n", "100000\n");
    quota_is(0);
}

static void v1_takes_the_least_on_the_way_up(void)
{
    draw_v1("-1\n", "100000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "600000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
    quota_is(6);
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "100000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    quota_is(1);
}

static void v1_needs_both_files(void)
{
    draw_v1("200000\n", NULL);
    quota_is(0);
}

static void v1_other_controllers_are_not_cpu(void)
{
    put("/proc/self/cgroup", "5:cpuacct:/app\n4:cpuset:/app\n");
    put("/proc/self/mountinfo", OTHER_MOUNTS V1_MOUNT);
    put("/sys/fs/cgroup/cpuset/app/cpu.cfs_quota_us", "100000\n");
    put("/sys/fs/cgroup/cpuset/app/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpuacct-only/app/cpu.cfs_quota_us", "100000\n");
    put("/sys/fs/cgroup/cpuacct-only/app/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "100000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
    quota_is(0);
}

static void v1_in_a_container_is_mounted_at_its_own_group(void)
{
    put("/proc/self/cgroup", "4:cpu,cpuacct:/docker/0123/inner\n");
    put("/proc/self/mountinfo", "33 31 0:29 /docker/0123 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpuacct,cpu\n");
    put("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "900000\n");
    put("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
    quota_is(9);
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    quota_is(4);
}

static void both_versions_count(void)
{
    put("/proc/self/cgroup", "4:cpu,cpuacct:/old\n0::/new\n");
    put("/proc/self/mountinfo", V1_MOUNT "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/cpu,cpuacct/old/cpu.cfs_quota_us", "300000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/old/cpu.cfs_period_us", "100000\n");
    quota_is(3);
    put("/sys/fs/cgroup/unified/new/cpu.max", "200000 100000\n");
    quota_is(2);
}

static void a_mount_of_another_group_is_the_last_resort(void)
{
    put("/proc/self/cgroup", "0::/host/path\n");
    put("/proc/self/mountinfo", "30 23 0:26 /elsewhere /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    quota_is(2);
    /* As soon as our own group can be seen, the quotas of other groups do not matter. */
    put("/proc/self/mountinfo", "30 23 0:26 /elsewhere /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
                                "31 23 0:26 / /mnt/groups rw - cgroup2 cgroup2 rw\n");
    quota_is(0);
    put("/mnt/groups/host/path/cpu.max", "500000 100000\n");
    quota_is(5);
}

static void a_group_is_not_below_one_whose_name_it_begins_with(void)
{
    put("/proc/self/cgroup", "0::/app2\n");
    put("/proc/self/mountinfo", "30 23 0:26 /app /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup2/cpu.max", "100000 100000\n"); /* the mount point and what is left of the name */
    put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    quota_is(2);
}

static void a_path_that_leads_out_is_not_followed(void)
{
    put("/proc/self/cgroup", "0::/../sibling\n");
    put("/proc/self/mountinfo", V2_MOUNT);
    put("/sys/fs/sibling/cpu.max", "100000 100000\n");
    put("/sys/fs/cgroup/cpu.max", "300000 100000\n");
    quota_is(3);
}

static void blanks_in_paths_are_read_as_the_kernel_writes_them(void)
{
    put("/proc/self/cgroup", "0::/a b\n");
    put("/proc/self/mountinfo", "30 23 0:26 / /mnt/my\\040groups\\134x rw - cgroup2 cgroup2 rw\n");
    put("/mnt/my groups\\x/a b/cpu.max", "200000 100000\n");
    quota_is(2);
}

static void missing_files_are_no_quota(void)
{
    quota_is(0); /* nothing at all */
    put("/proc/self/cgroup", "0::/app\n");
    quota_is(0); /* no mounts */
    put("/proc/self/mountinfo", V2_MOUNT);
    quota_is(0); /* no cpu.max */
}

static void mounts_without_groups_are_no_quota(void)
{
    put("/proc/self/mountinfo", V2_MOUNT V1_MOUNT);
    put("/sys/fs/cgroup/cpu.max", "100000 100000\n");
    quota_is(0);
}

static void garbage_is_no_quota(void)
{
    static const char *const garbage[] = {"",           "\n",           "hello\n",        "-100000 100000\n",
                                          "1e5 1e5\n",  "100000 0\n",   "100000 -5\n",    "0x100 100000\n",
                                          " 100000 10", "100000 max\n", "100000 100000x", "max\n",
                                          "0 100000\n", "100000  \n",   "+100000 100000"};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        unsigned cpus = 12345;
        draw_v2(garbage[i], NULL);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__cpu_quota(root, &cpus), garbage[i]);
        TEST_ASSERT_EQUAL_UINT_MESSAGE(0, cpus, garbage[i]);
    }
}

static void garbage_does_not_hide_a_quota_above(void)
{
    draw_v2("hello\n", "200000 100000\n");
    quota_is(2);
}

static void garbage_lines_are_passed_over(void)
{
    put("/proc/self/cgroup", "\n:\n::\nhello\n0\n0:\n0::\n0::relative\n99:cpu\n:::::\n0::/app\n");
    put("/proc/self/mountinfo", "\n - \n- cgroup2\n1 2 3 - cgroup2\n30 23 0:26 / - cgroup2 cgroup2 rw\n"
                                "30 23 0:26 / /x rw -\n31 1 0:2 / /x rw - cgroup\nhello\n" V2_MOUNT);
    put("/sys/fs/cgroup/app/cpu.max", "200000 100000\n");
    quota_is(2);
}

static void absurd_numbers_are_many_cpus(void)
{
    draw_v2("18446744073709551615 1\n", NULL);
    quota_is(UINT_MAX);
    draw_v2("99999999999999999999999999 100000\n", NULL);
    quota_is(UINT_MAX);
    draw_v2("1 18446744073709551615\n", NULL);
    quota_is(1);
}

static void a_very_long_line_is_read_whole(void)
{
    enum { LONG = 20000 };
    char *text = malloc(LONG + 200);
    TEST_ASSERT_NOT_NULL(text);
    int head = sprintf(text, "22 1 0:20 / / rw - overlay overlay lowerdir=");
    memset(text + head, 'x', LONG);
    strcpy(text + head + LONG, "\n" V2_MOUNT);
    put("/proc/self/cgroup", "0::/app\n");
    put("/proc/self/mountinfo", text);
    free(text);
    put("/sys/fs/cgroup/app/cpu.max", "200000 100000\n");
    quota_is(2);
}

static void this_system_can_be_asked(void)
{
    unsigned cpus;
    TEST_ASSERT_EQUAL_INT(0, heist__cpu_quota(NULL, &cpus));
    unsigned workers = heist__default_workers(NULL);
    TEST_ASSERT_TRUE(workers >= 1);
    TEST_ASSERT_TRUE(workers <= heist__cpus_count(&mask_before));
    if (cpus) TEST_ASSERT_TRUE(workers <= cpus);
}

static void a_narrow_mask_makes_few_workers(void)
{
    heist__cpus one;
    unsigned cpu = 0;
    while (!heist__cpus_has(&mask_before, cpu)) cpu++;
    TEST_ASSERT_EQUAL_INT(0, heist__cpus_new(&one, cpu));
    CPU_SET_S(cpu, one.size, one.set);
    int refused = sched_setaffinity(0, one.size, one.set);
    heist__cpus_free(&one);
    if (refused) TEST_IGNORE_MESSAGE("the affinity mask cannot be set here");
    TEST_ASSERT_EQUAL_UINT(1, heist__default_workers_at(root, NULL));
    TEST_ASSERT_EQUAL_UINT(1, heist__default_workers(NULL));
}

static void workers_are_the_lesser_of_mask_and_quota(void)
{
    unsigned in_mask = heist__cpus_count(&mask_before);
    TEST_ASSERT_EQUAL_UINT(in_mask, heist__default_workers_at(root, NULL)); /* no quota in an empty picture */
    draw_v2("1000 100000\n", NULL);
    TEST_ASSERT_EQUAL_UINT(1, heist__default_workers_at(root, NULL));
    draw_v2("18446744073709551615 1\n", NULL);
    TEST_ASSERT_EQUAL_UINT(in_mask, heist__default_workers_at(root, NULL));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(v2_gives_whole_cpus);
    RUN_TEST(v2_rounds_a_part_of_a_cpu_up);
    RUN_TEST(v2_max_is_no_quota);
    RUN_TEST(v2_takes_the_least_on_the_way_up);
    RUN_TEST(v2_has_a_default_period);
    RUN_TEST(v2_group_that_was_removed_leaves_those_above);
    RUN_TEST(v2_in_a_namespace_sees_its_own_top);
    RUN_TEST(v1_divides_quota_by_period);
    RUN_TEST(v1_minus_one_is_no_quota);
    RUN_TEST(v1_takes_the_least_on_the_way_up);
    RUN_TEST(v1_needs_both_files);
    RUN_TEST(v1_other_controllers_are_not_cpu);
    RUN_TEST(v1_in_a_container_is_mounted_at_its_own_group);
    RUN_TEST(both_versions_count);
    RUN_TEST(a_mount_of_another_group_is_the_last_resort);
    RUN_TEST(a_group_is_not_below_one_whose_name_it_begins_with);
    RUN_TEST(a_path_that_leads_out_is_not_followed);
    RUN_TEST(blanks_in_paths_are_read_as_the_kernel_writes_them);
    RUN_TEST(missing_files_are_no_quota);
    RUN_TEST(mounts_without_groups_are_no_quota);
    RUN_TEST(garbage_is_no_quota);
    RUN_TEST(garbage_does_not_hide_a_quota_above);
    RUN_TEST(garbage_lines_are_passed_over);
    RUN_TEST(absurd_numbers_are_many_cpus);
    RUN_TEST(a_very_long_line_is_read_whole);
    RUN_TEST(this_system_can_be_asked);
    RUN_TEST(a_narrow_mask_makes_few_workers);
    RUN_TEST(workers_are_the_lesser_of_mask_and_quota);
    return UNITY_END();
}
