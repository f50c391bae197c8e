/* A machine that is odd, or of which hwloc tells nothing: the pool that is made for it works. hwloc's calls can be made
 * to fail, for the linker puts this file's in their place (--wrap); odd machines are made by hwloc itself and read
 * from a file. */
#include "fault_support.h"
#include "schedule/pool.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

#if !HEIST_HAVE_HWLOC

static void hwloc_is_needed(void)
{
    TEST_IGNORE_MESSAGE("built without hwloc");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(hwloc_is_needed);
    return UNITY_END();
}

#else

#include <hwloc.h>

#include "../topologies/fixture.h"

#define WRAPPED(result, name, ...)                                                                                     \
    result __real_##name(__VA_ARGS__);                                                                                 \
    result __wrap_##name(__VA_ARGS__);                                                                                 \
    result __wrap_##name(__VA_ARGS__)

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif

typedef enum { ALL_WELL, NO_START, NO_MACHINE, NO_DEPTH, NO_CPUS, MANY_DEPTHS, NOT_OURS, MISHAPS } mishap;

static const char *const mishap_words[] = {
    "all is well",     "hwloc does not start",       "hwloc cannot read the machine",       "there is no level of CPUs",
    "there is no CPU", "CPUs are at several levels", "it is not the machine that we are on"};

static mishap now; /* only this thread asks hwloc */

WRAPPED(int, hwloc_topology_init, hwloc_topology_t *topology)
{
    return now == NO_START ? -1 : __real_hwloc_topology_init(topology);
}

WRAPPED(int, hwloc_topology_load, hwloc_topology_t topology)
{
    return now == NO_MACHINE ? -1 : __real_hwloc_topology_load(topology);
}

/* The two calls with which counting objects, and the walk over them, begin. */
WRAPPED(int, hwloc_get_type_depth, hwloc_topology_t topology, hwloc_obj_type_t type)
{
    if (now == NO_DEPTH) return HWLOC_TYPE_DEPTH_UNKNOWN;
    if (now == MANY_DEPTHS) return HWLOC_TYPE_DEPTH_MULTIPLE;
    return __real_hwloc_get_type_depth(topology, type);
}

WRAPPED(unsigned, hwloc_get_nbobjs_by_depth, hwloc_topology_t topology, int depth)
{
    return now == NO_CPUS ? 0 : __real_hwloc_get_nbobjs_by_depth(topology, depth);
}

WRAPPED(int, hwloc_topology_is_thissystem, hwloc_topology_t topology)
{
    return now == NOT_OURS ? 0 : __real_hwloc_topology_is_thissystem(topology);
}

/* ---- hwloc tells nothing ---- */

static void works(heist_pool *pool, const char *what)
{
    const char *trouble = trouble_with(pool);
    TEST_ASSERT_NULL_MESSAGE(trouble, what);
}

static void a_pool_does_without_hwloc(void)
{
    static const heist_bind ways[] = {HEIST_BIND_NONE, HEIST_BIND_CORE, HEIST_BIND_SPREAD, HEIST_BIND_NODE};
    for (mishap m = ALL_WELL; m < MISHAPS; m++) {
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            heist_options options = HEIST_OPTIONS_INIT;
            options.workers = 3;
            options.bind = ways[way];
            now = m;
            heist_pool *pool = heist_pool_new(&options);
            now = ALL_WELL;
            TEST_ASSERT_NOT_NULL_MESSAGE(pool, mishap_words[m]);
            TEST_ASSERT_EQUAL_UINT(3, heist_pool_workers(pool));
            if (m != ALL_WELL) TEST_ASSERT_TRUE_MESSAGE(strlen(heist_pool_notes(pool)) > 0, mishap_words[m]);
            works(pool, mishap_words[m]);
            free_pool(pool);
        }
    }
}

/* hwloc is told that this machine has two CPUs, far from those that we may use. */
static void a_pool_does_without_a_machine_that_lacks_its_cpus(void)
{
    setenv("HWLOC_SYNTHETIC", "pu:2(indexes=500,501)", 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 3;
    heist_pool *pool = heist_pool_new(&options);
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_THISSYSTEM");
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_NOT_NULL(strstr(heist_pool_notes(pool), "hwloc knows no CPU of the affinity mask"));
    works(pool, "no CPU of ours");
    free_pool(pool);
}

static void a_description_that_hwloc_cannot_read_is_an_error(void)
{
    for (mishap m = NO_START; m <= MANY_DEPTHS; m++) {
        heist_options options = HEIST_OPTIONS_INIT;
        options.topology = "pack:2 core:2 pu:1";
        now = m;
        heist_pool *pool = heist_pool_new(&options);
        now = ALL_WELL;
        TEST_ASSERT_NULL_MESSAGE(pool, mishap_words[m]);
        TEST_ASSERT_TRUE(strlen(heist_explain()) > 0);
    }
}

/* ---- odd machines ---- */

typedef struct {
    const char *synthetic;
    void (*change)(hwloc_topology_t topology);
    unsigned pus, nodes;
    const char *what;
} oddity;

static void add_misc(hwloc_topology_t topology)
{
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    for (hwloc_obj_t at = root; at; at = at->first_child) hwloc_topology_insert_misc_object(topology, at, "misc");
}

static void add_group(hwloc_topology_t topology)
{
    hwloc_obj_t group = hwloc_topology_alloc_group_object(topology);
    if (!group) return;
    hwloc_obj_add_other_obj_sets(group, hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 1));
    hwloc_obj_add_other_obj_sets(group, hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 2));
    hwloc_topology_insert_group_object(topology, group);
}

/* Every second CPU is gone: numbers have gaps, some cores one CPU, some none. */
static void restrict_to_odd(hwloc_topology_t topology)
{
    hwloc_bitmap_t odd = hwloc_bitmap_alloc();
    for (unsigned cpu = 1; cpu < 1000; cpu += 2) hwloc_bitmap_set(odd, cpu);
    hwloc_topology_restrict(topology, odd, 0);
    hwloc_bitmap_free(odd);
}

static void restrict_to_last(hwloc_topology_t topology)
{
    hwloc_bitmap_t last = hwloc_bitmap_alloc();
    hwloc_bitmap_set(last, (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU) - 1);
    hwloc_topology_restrict(topology, last, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS);
    hwloc_bitmap_free(last);
}

static const oddity oddities[] = {
    {"pu:1", NULL, 1, 1, "one CPU and nothing else"},
    {"pu:7", NULL, 7, 1, "CPUs without cores"},
    {"core:4 pu:1", NULL, 4, 1, "no caches"},
    {"l1:3 pu:2", NULL, 6, 1, "caches without cores"},
    {"pack:2 [numa] [numa] core:2 pu:1", NULL, 4, 2, "two nodes at each place"},
    {"pack:2 [numa(memory=0)] core:2 pu:1", NULL, 4, 2, "no memory"},
    {"group:2 group:2 group:2 pu:2", NULL, 16, 1, "groups in groups"},
    {"pack:2 [numa] l3:1 l2:2 core:1 pu:2", add_misc, 8, 2, "misc objects"},
    {"pack:2 core:4 pu:1", add_group, 8, 1, "a group across"},
    {"pack:2 [numa] core:2 pu:2", restrict_to_odd, 4, 2, "every second CPU"},
    {"pack:4 [numa] core:2 pu:2", restrict_to_last, 1, 1, "one CPU of many"},
};

/* The machine as a file, in `path`. */
static void write_machine(const oddity *odd, char *path)
{
    hwloc_topology_t topology;
    int file = mkstemp(path);
    TEST_ASSERT_TRUE(file >= 0);
    close(file);
    TEST_ASSERT_EQUAL_INT(0, hwloc_topology_init(&topology));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, hwloc_topology_set_synthetic(topology, odd->synthetic), odd->what);
    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    TEST_ASSERT_EQUAL_INT(0, hwloc_topology_load(topology));
    if (odd->change) odd->change(topology);
    TEST_ASSERT_EQUAL_INT(0, hwloc_topology_export_xml(topology, path, 0));
    hwloc_topology_destroy(topology);
}

static void use_machine(const char *path, const oddity *odd)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 5; /* more than some of them have CPUs */
    options.topology = path;
    options.stack_size = (size_t)1 << 20;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_UINT_MESSAGE(odd->pus, pool->machine.pu_count, odd->what);
    TEST_ASSERT_EQUAL_UINT_MESSAGE(odd->nodes, pool->machine.node_count, odd->what);
    for (unsigned i = 0; i < 5; i++) { /* each finds all the others */
        TEST_ASSERT_EQUAL_UINT_MESSAGE(4, pool->workers[i]->victims.count, odd->what);
    }
    works(pool, odd->what);
    free_pool(pool);
}

static void odd_machines_are_used_as_they_are(void)
{
    for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++) {
        char path[] = "/tmp/heist-machine-XXXXXX";
        write_machine(&oddities[i], path);
        use_machine(path, &oddities[i]);
        unlink(path);
    }
}

/* ---- files that end too early ---- */

static long read_whole(const char *path, char *bytes, size_t room)
{
    FILE *file = fopen(path, "r");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    TEST_ASSERT_LESS_THAN_size_t(room, size);
    return (long)size;
}

/* Of the leak checker, where there is one: hwloc 2.9 keeps what it had read of a file that ends too early. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* Either a machine with a sensible number of CPUs, or a refusal with a sentence. */
static bool makes_a_machine(const char *path)
{
    heist__machine m;
    char note[HEIST__NOTE] = "";
    if (__lsan_disable) __lsan_disable();
    int error = heist__machine_load(&m, path, note, sizeof note);
    if (__lsan_enable) __lsan_enable();
    if (error)
        TEST_ASSERT_TRUE(strlen(note) > 10 && m.pu_count == 0);
    else
        TEST_ASSERT_TRUE(m.pu_count > 0 && m.pu_count <= HEIST__DESCRIBED_MAX && m.node_count > 0);
    heist__machine_free(&m);
    return error == 0;
}

static void a_file_that_ends_anywhere_is_refused_or_used(void)
{
    static const char *const names[] = {"hybrid-laptop.xml", "memory-at-one-socket.xml", "uneven-caches.xml"};
    static char bytes[1 << 17];
    int step = test_scale(100) >= 100 ? 61 : 997; /* coprime to any line */
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        long size = read_whole(fixture(names[n]), bytes, sizeof bytes);
        char path[] = "/tmp/heist-machine-XXXXXX";
        int file = mkstemp(path), made = 0;
        TEST_ASSERT_TRUE(file >= 0);
        for (long end = 0; end < size; end += step) {
            TEST_ASSERT_EQUAL_INT(0, ftruncate(file, 0));
            TEST_ASSERT_EQUAL_INT((int)end, (int)pwrite(file, bytes, (size_t)end, 0));
            made += makes_a_machine(path);
        }
        close(file);
        unlink(path);
        TEST_ASSERT_TRUE_MESSAGE(makes_a_machine(fixture(names[n])), "whole"); /* but not by its parts */
        TEST_ASSERT_LESS_THAN_INT_MESSAGE(3, made, "a file that has lost its end is taken for a machine");
    }
}

int main(void)
{
    unsetenv("HEIST_TOPOLOGY");
    UNITY_BEGIN();
    RUN_TEST(a_pool_does_without_hwloc);
    RUN_TEST(a_pool_does_without_a_machine_that_lacks_its_cpus);
    RUN_TEST(a_description_that_hwloc_cannot_read_is_an_error);
    RUN_TEST(odd_machines_are_used_as_they_are);
    RUN_TEST(a_file_that_ends_anywhere_is_refused_or_used);
    return UNITY_END();
}

#endif
