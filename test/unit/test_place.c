/* Places on a machine: which worker goes where, binding threads, memory on the worker's node, and a system that
 * refuses all of it. */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../topologies/fixture.h"
#include "platform/words.h"
#include "topology/affinity.h"
#include "topology/place.h"
#include "topology_support.h"
#include "unity.h"

void setUp(void)
{
    memset(&machine, 0, sizeof machine);
    TEST_ASSERT_EQUAL_INT(0, heist__cpus_read(&mask_before));
}

void tearDown(void)
{
    heist__machine_free(&machine);
    sched_setaffinity(0, mask_before.size, mask_before.set);
    heist__cpus_free(&mask_before);
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
        TEST_ASSERT_EQUAL_STRING(words[i], heist__bind_words[i]);
        TEST_ASSERT_EQUAL_INT(i, heist__word_index(heist__bind_words, words[i]));
    }
    TEST_ASSERT_NULL(heist__bind_words[5]);
    TEST_ASSERT_EQUAL_INT(-1, heist__word_index(heist__bind_words, ""));
    TEST_ASSERT_EQUAL_INT(-1, heist__word_index(heist__bind_words, "Core"));
    TEST_ASSERT_EQUAL_INT(-1, heist__word_index(heist__bind_words, "cores"));
    TEST_ASSERT_EQUAL_INT(-1, heist__word_index(heist__bind_words, NULL));
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
