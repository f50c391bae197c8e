/* test_topology.c: reading machines, this one and others; placing workers on them; what is asked of the system, and
 * what happens when it refuses. The order of victims on such machines is in test_victim.c. */
#include "../topologies/fixture.h"
#include "topology/affinity.h"
#include "topology/place.h"
#include "unity.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static heist__machine machine;
static heist__cpus mask_before;
static char note[HEIST__NOTE];

/* Stands before the C library's function, so that a test can have a kernel with more CPUs than this one: it refuses
 * sets of fewer bytes than it has use for, and has a CPU far out. */
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

static void load_here(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__machine_load(&machine, NULL, note, sizeof note), note);
    TEST_ASSERT_FALSE(machine.synthetic);
}

static bool same_mask(const heist__cpus *a, const heist__cpus *b)
{
    unsigned room = heist__cpus_room(a) > heist__cpus_room(b) ? heist__cpus_room(a) : heist__cpus_room(b);
    for (unsigned cpu = 0; cpu < room; cpu++) {
        if (heist__cpus_has(a, cpu) != heist__cpus_has(b, cpu)) return false;
    }
    return true;
}

static bool mask_is(const heist__cpus *expected)
{
    heist__cpus now;
    TEST_ASSERT_EQUAL_INT(0, heist__cpus_read(&now));
    bool same = same_mask(expected, &now);
    heist__cpus_free(&now);
    return same;
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

/* ---- places ---- */

static void places_are(heist__bind how, unsigned workers, const unsigned *expected)
{
    unsigned pu_of[64];
    heist__place(&machine, how, workers, pu_of);
    TEST_ASSERT_EQUAL_UINT_ARRAY(expected, pu_of, workers);
}

static void each_policy_places_in_its_own_order(void)
{
    load_machine(&machine, "pack:2 [numa] core:2 pu:2");
    places_are(HEIST__BIND_COMPACT, 8, (unsigned[]){0, 1, 2, 3, 4, 5, 6, 7});
    places_are(HEIST__BIND_CORE, 8, (unsigned[]){0, 2, 4, 6, 1, 3, 5, 7});
    places_are(HEIST__BIND_NONE, 8, (unsigned[]){0, 2, 4, 6, 1, 3, 5, 7});
    places_are(HEIST__BIND_SPREAD, 8, (unsigned[]){0, 4, 2, 6, 1, 5, 3, 7});
    places_are(HEIST__BIND_NODE, 8, (unsigned[]){0, 4, 2, 6, 1, 5, 3, 7});
}

static void more_workers_than_pus_go_round(void)
{
    load_machine(&machine, "core:2 pu:2");
    places_are(HEIST__BIND_COMPACT, 10, (unsigned[]){0, 1, 2, 3, 0, 1, 2, 3, 0, 1});
    places_are(HEIST__BIND_CORE, 10, (unsigned[]){0, 2, 1, 3, 0, 2, 1, 3, 0, 2});
}

static void spread_goes_over_packages_then_nodes_then_caches(void)
{
    load_machine(&machine, "pack:2 group:2 [numa] l3:2 core:2 pu:1");
    places_are(HEIST__BIND_SPREAD, 16, (unsigned[]){0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15});
}

static void fast_cores_are_taken_first_and_siblings_last(void)
{
    load_machine(&machine, fixture("hybrid-laptop.xml"));
    places_are(HEIST__BIND_CORE, 12, (unsigned[]){8, 10, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11});
    /* Spread: one of the fast, the other; then a slow one of each cluster in turn. */
    places_are(HEIST__BIND_SPREAD, 12, (unsigned[]){8, 10, 0, 4, 1, 5, 2, 6, 3, 7, 9, 11});
}

static void every_policy_uses_every_pu_once_first(void)
{
    const char *const machines[] = {"pu:1", "core:3 pu:3", "pack:3 group:2 [numa] l3:2 core:3 pu:2", "numa:5 pu:3"};
    static const heist__bind policies[] = {HEIST__BIND_NONE, HEIST__BIND_CORE, HEIST__BIND_COMPACT, HEIST__BIND_SPREAD,
                                           HEIST__BIND_NODE};
    for (size_t k = 0; k < sizeof machines / sizeof *machines + 2; k++) {
        const char *description = k < 4 ? machines[k] : fixture(k == 4 ? "uneven-caches.xml" : "hybrid-laptop.xml");
        load_machine(&machine, description);
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
            unsigned pu_of[256];
            unsigned char seen[256] = {0};
            heist__place(&machine, policies[p], machine.pu_count, pu_of);
            for (unsigned i = 0; i < machine.pu_count; i++) seen[pu_of[i]]++;
            TEST_ASSERT_EACH_EQUAL_UINT8_MESSAGE(1, seen, machine.pu_count, description);
        }
        heist__machine_free(&machine);
    }
}

static void every_policy_has_its_word(void)
{
    static const char *const words[] = {"none", "core", "compact", "spread", "numa"};
    for (unsigned i = 0; i < 5; i++) {
        heist__bind how = HEIST__BIND_NONE;
        TEST_ASSERT_EQUAL_STRING(words[i], heist__bind_word((heist__bind)i));
        TEST_ASSERT_EQUAL_INT(0, heist__bind_parse(words[i], &how));
        TEST_ASSERT_EQUAL_UINT(i, how);
    }
    heist__bind how = HEIST__BIND_SPREAD;
    TEST_ASSERT_NULL(heist__bind_word((heist__bind)5));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__bind_parse("", &how));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__bind_parse("Core", &how));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__bind_parse("cores", &how));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__bind_parse(NULL, &how));
    TEST_ASSERT_EQUAL(HEIST__BIND_SPREAD, how);
}

/* ---- binding ---- */

static void a_bound_thread_has_only_its_pu(void)
{
    load_here();
    for (unsigned pu = 0; pu < machine.pu_count && pu < 8; pu++) {
        heist__cpus now;
        int error = heist__bind_thread(&machine, HEIST__BIND_CORE, pu);
        if (error == -EPERM || error == -ENOSYS) TEST_IGNORE_MESSAGE("threads cannot be bound here");
        TEST_ASSERT_EQUAL_INT(0, error);
        TEST_ASSERT_EQUAL_INT(0, heist__cpus_read(&now));
        TEST_ASSERT_EQUAL_UINT(1, heist__cpus_count(&now));
        TEST_ASSERT_TRUE(heist__cpus_has(&now, machine.pus[pu].os_cpu));
        heist__cpus_free(&now);
    }
}

static void a_thread_bound_to_its_node_has_all_of_it(void)
{
    load_here();
    int error = heist__bind_thread(&machine, HEIST__BIND_NODE, machine.pu_count - 1);
    if (error == -EPERM || error == -ENOSYS) TEST_IGNORE_MESSAGE("threads cannot be bound here");
    TEST_ASSERT_EQUAL_INT(0, error);
    heist__cpus now;
    TEST_ASSERT_EQUAL_INT(0, heist__cpus_read(&now));
    unsigned node = machine.pus[machine.pu_count - 1].node;
    for (unsigned i = 0; i < machine.pu_count; i++) {
        TEST_ASSERT_EQUAL_INT(machine.pus[i].node == node, heist__cpus_has(&now, machine.pus[i].os_cpu));
    }
    heist__cpus_free(&now);
}

static void unbound_means_that_nothing_is_asked(void)
{
    load_here();
    machine.pus[0].os_cpu = 100000; /* would be refused */
    TEST_ASSERT_EQUAL_INT(0, heist__bind_thread(&machine, HEIST__BIND_NONE, 0));
    TEST_ASSERT_TRUE(mask_is(&mask_before));
}

static void a_cpu_that_is_not_there_is_refused_and_the_thread_goes_on(void)
{
    load_here();
    machine.pus[0].os_cpu = 100000;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__bind_thread(&machine, HEIST__BIND_CORE, 0));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__bind_thread(&machine, HEIST__BIND_CORE, machine.pu_count));
    TEST_ASSERT_TRUE(mask_is(&mask_before));
}

static void nothing_is_bound_on_a_machine_that_is_not_here(void)
{
    static char page[8192];
    load_machine(&machine, "pack:2 [numa] core:2 pu:1");
    TEST_ASSERT_EQUAL_INT(-ENOTSUP, heist__bind_thread(&machine, HEIST__BIND_CORE, 0));
    TEST_ASSERT_EQUAL_INT(-ENOTSUP, heist__bind_thread(&machine, HEIST__BIND_NODE, 0));
    TEST_ASSERT_EQUAL_INT(0, heist__bind_thread(&machine, HEIST__BIND_NONE, 0));
    TEST_ASSERT_EQUAL_INT(-ENOTSUP, heist__prefer_node(page, sizeof page, &machine, 0));
    TEST_ASSERT_TRUE(mask_is(&mask_before));
}

/* ---- memory ---- */

enum { PAGES = 4 };
#define POLICY_DEFAULT 0
#define POLICY_PREFERRED 1

/* Which policy a page has, or negative errno. */
static int policy_of(void *page)
{
    int policy = -1;
    long result = syscall(SYS_get_mempolicy, &policy, NULL, 0ul, page, 2ul /* by address */);
    return result ? -errno : policy;
}

/* This machine, made to look as if it had a second node, so that there is something to ask for. */
static char *pages_on_two_nodes(size_t *page_size)
{
    load_here();
    if (policy_of(&machine) < 0) TEST_IGNORE_MESSAGE("memory policies cannot be read here");
    machine.node_count = 2;
    machine.pus[0].os_node = 0;
    *page_size = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, PAGES * *page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TEST_ASSERT_TRUE(pages != MAP_FAILED);
    return pages;
}

static void whole_pages_come_from_the_node(void)
{
    size_t size;
    char *pages = pages_on_two_nodes(&size);
    /* From the middle of the first page to the middle of the last: only those between are wholly ours. */
    int error = heist__prefer_node(pages + size / 2, (PAGES - 1) * size, &machine, 0);
    int policies[PAGES];
    for (unsigned i = 0; i < PAGES; i++) policies[i] = policy_of(pages + i * size);
    munmap(pages, PAGES * size);
    if (error == -EPERM || error == -ENOSYS) TEST_IGNORE_MESSAGE("memory policies cannot be set here");
    TEST_ASSERT_EQUAL_INT(0, error);
    TEST_ASSERT_EQUAL_INT(POLICY_DEFAULT, policies[0]);
    TEST_ASSERT_EQUAL_INT(POLICY_PREFERRED, policies[1]);
    TEST_ASSERT_EQUAL_INT(POLICY_PREFERRED, policies[2]);
    TEST_ASSERT_EQUAL_INT(POLICY_DEFAULT, policies[3]);
}

static void less_than_a_page_is_left_alone(void)
{
    size_t size;
    char *pages = pages_on_two_nodes(&size);
    TEST_ASSERT_EQUAL_INT(0, heist__prefer_node(pages, size - 1, &machine, 0));
    TEST_ASSERT_EQUAL_INT(0, heist__prefer_node(pages + 1, size, &machine, 0));
    TEST_ASSERT_EQUAL_INT(0, heist__prefer_node(pages + 1, 0, &machine, 0));
    TEST_ASSERT_EQUAL_INT(POLICY_DEFAULT, policy_of(pages));
    TEST_ASSERT_EQUAL_INT(POLICY_DEFAULT, policy_of(pages + size));
    munmap(pages, PAGES * size);
}

static void where_there_is_no_choice_nothing_is_asked(void)
{
    size_t size;
    char *pages = pages_on_two_nodes(&size);
    machine.pus[0].os_node = HEIST__NO_NODE;
    TEST_ASSERT_EQUAL_INT(0, heist__prefer_node(pages, size, &machine, 0));
    machine.pus[0].os_node = 0;
    machine.node_count = 1;
    TEST_ASSERT_EQUAL_INT(0, heist__prefer_node(pages, size, &machine, 0));
    TEST_ASSERT_EQUAL_INT(POLICY_DEFAULT, policy_of(pages));
    munmap(pages, PAGES * size);
}

static void a_node_that_is_not_there_is_refused(void)
{
    size_t size;
    char *pages = pages_on_two_nodes(&size);
    machine.pus[0].os_node = 1023;
    TEST_ASSERT_TRUE(heist__prefer_node(pages, size, &machine, 0) < 0);
    machine.pus[0].os_node = 1u << 30;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__prefer_node(pages, size, &machine, 0));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__prefer_node(pages, size, &machine, machine.pu_count));
    munmap(pages, PAGES * size);
}

/* ---- a system that refuses ---- */

#define REFUSE(call)                                                                                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

/* From here on this process may not read or set masks, nor place memory. Returns whether that could be had. */
static bool enter_sandbox(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0 /* the number of the call */),
        REFUSE(SYS_sched_getaffinity),
        REFUSE(SYS_sched_setaffinity),
        REFUSE(SYS_mbind),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    cpu_set_t set;
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
           sched_getaffinity(0, sizeof set, &set) < 0;
}

enum { ALL_WELL, NO_SANDBOX, BIND_WRONG, PREFER_WRONG, LOAD_WRONG, NOTE_WRONG, COUNT_WRONG };

/* In the child: no assertions, its result is its exit status. */
static int refused_everything(void)
{
    static char pages[1 << 18];
    heist__machine again;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (!enter_sandbox()) return NO_SANDBOX;
    if (heist__bind_thread(&machine, HEIST__BIND_CORE, 0) != -EPERM) return BIND_WRONG;
    machine.node_count = 2;
    machine.pus[0].os_node = 0;
    if (heist__prefer_node(pages, sizeof pages, &machine, 0) != -EPERM) return PREFER_WRONG;
    if (heist__machine_load(&again, NULL, note, sizeof note)) return LOAD_WRONG;
    if (!strstr(note, "mask")) return NOTE_WRONG;
    bool counted = again.pu_count >= 1 && again.pu_count <= (unsigned)online;
    heist__machine_free(&again);
    return counted ? ALL_WELL : COUNT_WRONG;
}

static void a_system_that_refuses_costs_only_a_note(void)
{
    int status = -1;
    load_here();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(refused_everything());
    TEST_ASSERT_TRUE(child > 0);
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    TEST_ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_SANDBOX) TEST_IGNORE_MESSAGE("system calls cannot be forbidden here");
    TEST_ASSERT_EQUAL_INT(ALL_WELL, WEXITSTATUS(status));
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
    RUN_TEST(each_policy_places_in_its_own_order);
    RUN_TEST(more_workers_than_pus_go_round);
    RUN_TEST(spread_goes_over_packages_then_nodes_then_caches);
    RUN_TEST(fast_cores_are_taken_first_and_siblings_last);
    RUN_TEST(every_policy_uses_every_pu_once_first);
    RUN_TEST(every_policy_has_its_word);
    RUN_TEST(a_bound_thread_has_only_its_pu);
    RUN_TEST(a_thread_bound_to_its_node_has_all_of_it);
    RUN_TEST(unbound_means_that_nothing_is_asked);
    RUN_TEST(a_cpu_that_is_not_there_is_refused_and_the_thread_goes_on);
    RUN_TEST(nothing_is_bound_on_a_machine_that_is_not_here);
    RUN_TEST(whole_pages_come_from_the_node);
    RUN_TEST(less_than_a_page_is_left_alone);
    RUN_TEST(where_there_is_no_choice_nothing_is_asked);
    RUN_TEST(a_node_that_is_not_there_is_refused);
    RUN_TEST(a_system_that_refuses_costs_only_a_note);
    return UNITY_END();
}
