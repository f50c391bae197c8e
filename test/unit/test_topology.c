/* Reading machines, this one and others; descriptions and files that are refused. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../topologies/fixture.h"
#include "topology/affinity.h"
#include "topology/place.h"
#include "topology_support.h"
#include "unity.h"

/* Stands before the C library's function, so that a test can have a kernel with more CPUs than this one: it refuses
 * sets that are smaller than it wants, and has a CPU far out. */
static size_t kernel_wants;
enum { CPU_FAR_OUT = 5000 };

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set)
{
    if (size < kernel_wants) {
        errno = EINVAL;
        return -1;
    }
    long written = syscall(SYS_sched_getaffinity, thread, size, set);
    if (written < 0) return -1;
    memset((char *)set + written, 0, size - (size_t)written);
    if (kernel_wants) CPU_SET_S(CPU_FAR_OUT, size, set);
    return 0;
}

void setUp(void)
{
    memset(&machine, 0, sizeof machine);
    kernel_wants = 0;
    TEST_ASSERT_EQUAL_INT(0, heist__cpus_read(&mask_before));
}

void tearDown(void)
{
    heist__machine_free(&machine);
    sched_setaffinity(0, mask_before.size, mask_before.set);
    heist__cpus_free(&mask_before);
}

/* ---- this machine ---- */

static void this_machine_is_what_the_mask_allows(void)
{
    load_here();
    TEST_ASSERT_EQUAL_UINT(heist__cpus_count(&mask_before), machine.pu_count);
    for (unsigned i = 0; i < machine.pu_count; i++) {
        TEST_ASSERT_TRUE(heist__cpus_has(&mask_before, machine.pus[i].os_cpu));
        for (unsigned j = 0; j < i; j++) TEST_ASSERT_TRUE(machine.pus[i].os_cpu != machine.pus[j].os_cpu);
        TEST_ASSERT_LESS_THAN_UINT(machine.node_count, machine.pus[i].node);
        TEST_ASSERT_EQUAL(HEIST__SAME_CORE, heist__distance(&machine, i, i));
    }
}

static void reading_this_machine_leaves_the_thread_where_it_was(void)
{
    load_here();
    TEST_ASSERT_TRUE(mask_is(&mask_before));
}

static void a_narrowed_mask_narrows_the_machine(void)
{
    load_here();
    for (unsigned i = 0; i < machine.pu_count && i < 8; i++) {
        heist__machine narrow;
        heist__cpus one;
        unsigned cpu = machine.pus[i].os_cpu;
        TEST_ASSERT_EQUAL_INT(0, heist__cpus_new(&one, cpu));
        CPU_SET_S(cpu, one.size, one.set);
        int refused = sched_setaffinity(0, one.size, one.set);
        heist__cpus_free(&one);
        if (refused) TEST_IGNORE_MESSAGE("the affinity mask cannot be set here");
        TEST_ASSERT_EQUAL_INT(0, heist__machine_load(&narrow, NULL, NULL, 0));
        TEST_ASSERT_EQUAL_UINT(1, narrow.pu_count);
        TEST_ASSERT_EQUAL_UINT(1, narrow.node_count);
        TEST_ASSERT_EQUAL_UINT(cpu, narrow.pus[0].os_cpu);
        TEST_ASSERT_EQUAL_UINT(0, narrow.pus[0].core);
        TEST_ASSERT_EQUAL_UINT(0, narrow.pus[0].node);
        heist__machine_free(&narrow);
    }
}

static void a_kernel_of_many_cpus_is_asked_again_with_more_room(void)
{
    heist__cpus many;
    kernel_wants = 1024; /* bytes: 8192 CPUs */
    int error = heist__cpus_read(&many);
    kernel_wants = 0;
    TEST_ASSERT_EQUAL_INT(0, error);
    TEST_ASSERT_TRUE(heist__cpus_has(&many, CPU_FAR_OUT));
    TEST_ASSERT_FALSE(heist__cpus_has(&many, CPU_FAR_OUT + 1));
    TEST_ASSERT_FALSE(heist__cpus_has(&many, heist__cpus_room(&many)));
    TEST_ASSERT_EQUAL_UINT(heist__cpus_count(&mask_before) + 1, heist__cpus_count(&many));
    heist__cpus_free(&many);
}

static void a_kernel_that_is_never_content_is_asked_no_more(void)
{
    heist__cpus online;
    kernel_wants = SIZE_MAX;
    int error = heist__cpus_read(&online);
    kernel_wants = 0;
    TEST_ASSERT_EQUAL_INT(1, error);
    TEST_ASSERT_EQUAL_UINT((unsigned)sysconf(_SC_NPROCESSORS_ONLN), heist__cpus_count(&online));
    heist__cpus_free(&online);
}

static void without_hwloc_this_machine_is_flat_and_says_so(void)
{
    heist__machine other;
    int error = heist__machine_load(&other, "pu:1", note, sizeof note);
    heist__machine_free(&other);
    if (error != -ENOTSUP) TEST_IGNORE_MESSAGE("built with hwloc");
    TEST_ASSERT_NOT_NULL(strstr(note, "hwloc"));
    load_here();
    TEST_ASSERT_NOT_NULL(strstr(note, "flat"));
    TEST_ASSERT_EQUAL_STRING(note, machine.note);
    TEST_ASSERT_EQUAL_UINT(1, machine.node_count);
    for (unsigned i = 1; i < machine.pu_count; i++) {
        TEST_ASSERT_EQUAL(HEIST__SAME_NODE, heist__distance(&machine, 0, i));
    }
}

static void a_machine_from_hwlocs_environment_is_not_here(void)
{
    setenv("HWLOC_SYNTHETIC", "pack:3 core:5 pu:1", 1);
    int error = heist__machine_load(&machine, NULL, note, sizeof note);
    unsetenv("HWLOC_SYNTHETIC");
    TEST_ASSERT_EQUAL_INT(0, error);
    TEST_ASSERT_NOT_EQUAL_UINT(0, strlen(note));
    if (strstr(note, "without hwloc")) TEST_IGNORE_MESSAGE("built without hwloc");
    TEST_ASSERT_TRUE(machine.synthetic);
    TEST_ASSERT_EQUAL_UINT(15, machine.pu_count);
    TEST_ASSERT_EQUAL_INT(-ENOTSUP, heist__bind_thread(&machine, HEIST__BIND_CORE, 0));
}

/* ---- machines that are not here ---- */

static void levels_are_told_apart(void)
{
    load_machine(&machine, "pack:2 group:2 [numa] l3:2 core:2 pu:2");
    static const struct {
        unsigned other;
        heist__level level;
    } expected[] = {{0, HEIST__SAME_CORE}, {1, HEIST__SAME_CORE}, {2, HEIST__SAME_CACHE},   {3, HEIST__SAME_CACHE},
                    {4, HEIST__SAME_NODE}, {7, HEIST__SAME_NODE}, {8, HEIST__SAME_PACKAGE}, {15, HEIST__SAME_PACKAGE},
                    {16, HEIST__FAR},      {31, HEIST__FAR}};
    TEST_ASSERT_EQUAL_UINT(32, machine.pu_count);
    TEST_ASSERT_EQUAL_UINT(4, machine.node_count);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        TEST_ASSERT_EQUAL(expected[i].level, heist__distance(&machine, 0, expected[i].other));
        TEST_ASSERT_EQUAL(expected[i].level, heist__distance(&machine, expected[i].other, 0));
    }
    TEST_ASSERT_NULL(machine.node_distance);
    TEST_ASSERT_EQUAL_UINT(UINT16_MAX, heist__node_distance(&machine, 0, 1));
}

static void numbers_have_no_gaps(void)
{
    load_machine(&machine, "pack:2 group:2 [numa] l3:2 core:2 pu:2");
    for (unsigned i = 0; i < machine.pu_count; i++) {
        TEST_ASSERT_EQUAL_UINT(i, machine.pus[i].os_cpu);
        TEST_ASSERT_EQUAL_UINT(i / 2, machine.pus[i].core);
        TEST_ASSERT_EQUAL_UINT(i / 4, machine.pus[i].cache);
        TEST_ASSERT_EQUAL_UINT(i / 8, machine.pus[i].node);
        TEST_ASSERT_EQUAL_UINT(i / 8, machine.pus[i].os_node);
        TEST_ASSERT_EQUAL_UINT(i / 16, machine.pus[i].package);
        TEST_ASSERT_EQUAL_UINT(0, machine.pus[i].efficiency);
    }
}

static void cpus_beyond_a_thousand_are_counted(void)
{
    load_machine(&machine, "pack:8 [numa] core:128 pu:2");
    TEST_ASSERT_EQUAL_UINT(2048, machine.pu_count);
    TEST_ASSERT_EQUAL_UINT(2047, machine.pus[2047].os_cpu);
    TEST_ASSERT_EQUAL(HEIST__SAME_CORE, heist__distance(&machine, 2046, 2047));
    TEST_ASSERT_EQUAL(HEIST__FAR, heist__distance(&machine, 0, 2047));
}

static void distances_are_those_of_the_file(void)
{
    load_machine(&machine, fixture("eight-in-a-row.xml"));
    TEST_ASSERT_EQUAL_UINT(8, machine.node_count);
    for (unsigned a = 0; a < 8; a++) {
        for (unsigned b = 0; b < 8; b++) {
            TEST_ASSERT_EQUAL_UINT(10 + 6 * (a > b ? a - b : b - a), heist__node_distance(&machine, a, b));
        }
    }
}

static void fast_cores_are_known(void)
{
    load_machine(&machine, fixture("hybrid-laptop.xml"));
    TEST_ASSERT_EQUAL_UINT(12, machine.pu_count);
    for (unsigned i = 0; i < 8; i++) TEST_ASSERT_EQUAL_UINT(0, machine.pus[i].efficiency);
    for (unsigned i = 8; i < 12; i++) TEST_ASSERT_EQUAL_UINT(1, machine.pus[i].efficiency);
}

static void kinds_of_unknown_speed_are_alike(void)
{
    load_machine(&machine, fixture("uneven-caches.xml"));
    for (unsigned i = 0; i < machine.pu_count; i++) TEST_ASSERT_EQUAL_UINT(0, machine.pus[i].efficiency);
}

static void a_node_without_memory_is_not_preferred(void)
{
    load_machine(&machine, fixture("memory-at-one-socket.xml"));
    for (unsigned i = 0; i < 12; i++) {
        TEST_ASSERT_EQUAL_UINT(i / 4, machine.pus[i].node);
        TEST_ASSERT_EQUAL_UINT(i < 4 ? 0 : HEIST__NO_NODE, machine.pus[i].os_node);
    }
}

static void every_level_has_a_word(void)
{
    static const char *const words[] = {"core", "cache", "node", "package", "far"};
    for (unsigned i = 0; i < HEIST__LEVELS; i++) TEST_ASSERT_EQUAL_STRING(words[i], heist__level_word((heist__level)i));
    TEST_ASSERT_NULL(heist__level_word(HEIST__LEVELS));
}

/* ---- rubbish ---- */

static bool have_hwloc(void)
{
    heist__machine probe;
    int error = heist__machine_load(&probe, "pu:1", NULL, 0);
    heist__machine_free(&probe);
    return error != -ENOTSUP;
}

static void is_refused(const char *description, int expected)
{
    note[0] = '\0';
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected, heist__machine_load(&machine, description, note, sizeof note), description);
    TEST_ASSERT_TRUE_MESSAGE(strlen(note) > 10, description);
    TEST_ASSERT_TRUE_MESSAGE(!strstr(note, "\n"), description);
    TEST_ASSERT_EQUAL_UINT(0, machine.pu_count);
    TEST_ASSERT_NULL(machine.pus);
    heist__machine_free(&machine);
}

static void rubbish_is_refused_with_a_sentence(void)
{
    static const char *const rubbish[] = {"",
                                          " ",
                                          "hello",
                                          "pu:0",
                                          "pu:-1",
                                          "core:4",
                                          "pack:2 [numa core:1 pu:1",
                                          "pu",
                                          ":",
                                          "pack:2 pack:2 pu:1",
                                          "pu:1 pu",
                                          "%s%n%s%n",
                                          "pu:4 core:2",
                                          "pack:x pu:1",
                                          "(((("};
    if (!have_hwloc()) TEST_IGNORE_MESSAGE("built without hwloc");
    for (size_t i = 0; i < sizeof rubbish / sizeof *rubbish; i++) is_refused(rubbish[i], -EINVAL);
}

static void a_machine_too_large_is_refused_at_once(void)
{
    if (!have_hwloc()) TEST_IGNORE_MESSAGE("built without hwloc");
    is_refused("pu:4097", -EINVAL);
    is_refused("pu:1000000000", -EINVAL);
    is_refused("pu:99999999999999999999999999", -EINVAL);
    is_refused("pack:64 [numa(memory=1GB)] l3:1(size=4MB) core:64 pu:2", -EINVAL);
    is_refused("100 100 100", -EINVAL);
    load_machine(&machine, "pack:64 [numa(memory=1GB)] l3:1(size=4MB) core:32 pu:2"); /* exactly the limit */
    TEST_ASSERT_EQUAL_UINT(HEIST__DESCRIBED_MAX, machine.pu_count);
}

static void files_that_are_not_there_say_so(void)
{
    if (!have_hwloc()) TEST_IGNORE_MESSAGE("built without hwloc");
    is_refused("/nonexistent/machine.xml", -ENOENT);
    is_refused("no-such-machine.xml", -ENOENT);
    is_refused("/dev/null/machine", -ENOTDIR);
    is_refused("/tmp", -EINVAL);
    is_refused("/dev/null", -EINVAL);
}

/* Writes the first `size` bytes of the file `from`, or of `text` when that is NULL, to a file of ours and loads it. */
static void refuses_file(const char *from, const char *text, size_t size)
{
    char path[] = "/tmp/heist-topology-XXXXXX", bytes[4096];
    if (from) {
        FILE *whole = fopen(from, "r");
        TEST_ASSERT_NOT_NULL_MESSAGE(whole, from);
        size = fread(bytes, 1, size, whole);
        fclose(whole);
        text = bytes;
    }
    int file = mkstemp(path);
    TEST_ASSERT_TRUE(file >= 0);
    ssize_t written = write(file, text, size);
    close(file);
    int error = heist__machine_load(&machine, path, note, sizeof note);
    unlink(path);
    TEST_ASSERT_EQUAL_INT((int)size, (int)written);
    TEST_ASSERT_EQUAL_INT(-EINVAL, error);
    TEST_ASSERT_TRUE(strlen(note) > 10);
}

static void files_that_are_no_machine_are_refused(void)
{
    static const char zeroes[100];
    if (!have_hwloc()) TEST_IGNORE_MESSAGE("built without hwloc");
    refuses_file(NULL, "", 0);
    refuses_file(NULL, "hello", 5);
    refuses_file(NULL, "<topology><object type=", 23);
    refuses_file(NULL, "<topology version=\"2.0\"></topology>", 35);
    refuses_file(NULL, zeroes, sizeof zeroes);
    refuses_file(fixture("hybrid-laptop.xml"), NULL, 1500); /* cut off in the middle */
}

static void a_pipe_is_refused_and_not_waited_for(void)
{
    char path[] = "/tmp/heist-topology-XXXXXX";
    if (!have_hwloc()) TEST_IGNORE_MESSAGE("built without hwloc");
    TEST_ASSERT_NOT_NULL(mkdtemp(path));
    char pipe_path[64];
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", path);
    TEST_ASSERT_EQUAL_INT(0, mkfifo(pipe_path, 0600));
    int error = heist__machine_load(&machine, pipe_path, note, sizeof note);
    unlink(pipe_path);
    rmdir(path);
    TEST_ASSERT_EQUAL_INT(-EINVAL, error);
}

static void refusing_prints_nothing(void)
{
    char path[] = "/tmp/heist-topology-XXXXXX";
    int file = mkstemp(path), stderr_before = dup(2);
    TEST_ASSERT_TRUE(file >= 0 && stderr_before >= 0);
    unlink(path);
    dup2(file, 2);
    (void)!heist__machine_load(&machine, "hello", NULL, 0);
    (void)!heist__machine_load(&machine, "/dev/null", NULL, 0);
    (void)!heist__machine_load(&machine, "/tmp", NULL, 0);
    dup2(stderr_before, 2);
    close(stderr_before);
    off_t printed = lseek(file, 0, SEEK_END);
    close(file);
    TEST_ASSERT_EQUAL_INT(0, (int)printed);
}

static void a_sentence_is_cut_to_its_room(void)
{
    char small[8] = "xxxxxxx";
    TEST_ASSERT_TRUE(heist__machine_load(&machine, "hello", small, sizeof small) < 0);
    TEST_ASSERT_EQUAL_UINT(7, strlen(small));
    char untouched = 'x';
    TEST_ASSERT_TRUE(heist__machine_load(&machine, "hello", &untouched, 0) < 0);
    TEST_ASSERT_EQUAL_INT('x', untouched);
    TEST_ASSERT_TRUE(heist__machine_load(&machine, "hello", NULL, 0) < 0);
}

static void a_very_long_description_is_refused_in_a_short_sentence(void)
{
    static char text[100000];
    if (!have_hwloc()) TEST_IGNORE_MESSAGE("built without hwloc");
    memset(text, 'x', sizeof text - 1);
    is_refused(text, -EINVAL);
    TEST_ASSERT_TRUE(strlen(note) < HEIST__NOTE - 1);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(this_machine_is_what_the_mask_allows);
    RUN_TEST(reading_this_machine_leaves_the_thread_where_it_was);
    RUN_TEST(a_narrowed_mask_narrows_the_machine);
    RUN_TEST(a_kernel_of_many_cpus_is_asked_again_with_more_room);
    RUN_TEST(a_kernel_that_is_never_content_is_asked_no_more);
    RUN_TEST(without_hwloc_this_machine_is_flat_and_says_so);
    RUN_TEST(a_machine_from_hwlocs_environment_is_not_here);
    RUN_TEST(levels_are_told_apart);
    RUN_TEST(numbers_have_no_gaps);
    RUN_TEST(cpus_beyond_a_thousand_are_counted);
    RUN_TEST(distances_are_those_of_the_file);
    RUN_TEST(fast_cores_are_known);
    RUN_TEST(kinds_of_unknown_speed_are_alike);
    RUN_TEST(a_node_without_memory_is_not_preferred);
    RUN_TEST(every_level_has_a_word);
    RUN_TEST(rubbish_is_refused_with_a_sentence);
    RUN_TEST(a_machine_too_large_is_refused_at_once);
    RUN_TEST(files_that_are_not_there_say_so);
    RUN_TEST(files_that_are_no_machine_are_refused);
    RUN_TEST(a_pipe_is_refused_and_not_waited_for);
    RUN_TEST(refusing_prints_nothing);
    RUN_TEST(a_sentence_is_cut_to_its_room);
    RUN_TEST(a_very_long_description_is_refused_in_a_short_sentence);
    return UNITY_END();
}
