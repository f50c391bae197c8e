/* Descriptions of machines: an input that begins with '<' is the content of an XML file, any other is HEIST_TOPOLOGY's
 * text. The result must be a machine that the rest of heist can use: workers are placed on it and their victims are
 * ordered.
 *
 * hwloc does the reading, and its faults are not ours to fix. It trusts its XML, and crashes on many errors in it: such
 * a file is first given to hwloc alone, in a process of its own, and if that crashes the input is skipped. With
 * FUZZ_HWLOC_ALONE set nothing of heist runs for any input: a fault that still occurs then is a fault of hwloc. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "schedule/victim.h"
#include "topology/machine.h"
#include "topology/place.h"

#if defined(HEIST_HAVE_HWLOC) && HEIST_HAVE_HWLOC
#include <hwloc.h>

/* hwloc leaks memory on bad files, which is not reported; the topologies that heist frees are counted instead. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhwloc.so\n";
}

static int topologies;

int __real_hwloc_topology_init(hwloc_topology_t *topology);
int __wrap_hwloc_topology_init(hwloc_topology_t *topology);
int __wrap_hwloc_topology_init(hwloc_topology_t *topology)
{
    int error = __real_hwloc_topology_init(topology);
    topologies += !error;
    return error;
}

void __real_hwloc_topology_destroy(hwloc_topology_t topology);
void __wrap_hwloc_topology_destroy(hwloc_topology_t topology);
void __wrap_hwloc_topology_destroy(hwloc_topology_t topology)
{
    topologies--;
    __real_hwloc_topology_destroy(topology);
}

static void read_alone(const char *description, bool file)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology)) return;
    int bad =
        file ? hwloc_topology_set_xml(topology, description) : hwloc_topology_set_synthetic(topology, description);
    if (!bad) hwloc_topology_load(topology);
    hwloc_topology_destroy(topology);
}
#else
static const int topologies;

static void read_alone(const char *description, bool file)
{
    (void)description;
    (void)file;
}
#endif

/* Whether hwloc by itself dies of the file, or needs longer than a few seconds. */
static bool kills_hwloc(const char *path)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* keeps it from engines and sanitizers */
        signal(SIGABRT, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        signal(SIGFPE, SIG_DFL);
        signal(SIGALRM, SIG_DFL);
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
        alarm(5);
        read_alone(path, true);
        _exit(0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child < 0) fuzz_fail("no process for hwloc");
    return status != 0;
}

/* Numbers count up from 0 in the order of the PUs, a new one each time the thing is another. */
static void check_numbers(const heist__machine *m, size_t field, const char *what, unsigned *count)
{
    *count = 0;
    for (unsigned i = 0; i < m->pu_count; i++) {
        unsigned number;
        memcpy(&number, (const char *)&m->pus[i] + field, sizeof number);
        if (number > *count) fuzz_fail("PU %u has %s %u, and there were %u", i, what, number, *count);
        if (number == *count) ++*count;
    }
}

static void check_order(const heist__machine *m, const unsigned *order)
{
    bool *seen = calloc(m->pu_count, sizeof *seen);
    if (!seen) return;
    for (unsigned i = 0; i < m->pu_count; i++) {
        if (order[i] >= m->pu_count || seen[order[i]]) fuzz_fail("no permutation: %u", order[i]);
        seen[order[i]] = true;
    }
    free(seen);
}

static void check_victims(const heist__machine *m, const unsigned *pu_of, unsigned workers, unsigned thief)
{
    heist__victims v;
    if (heist__victims_init(&v, m, pu_of, workers, thief, NULL)) fuzz_fail("no victims");
    if (v.count != workers - 1) fuzz_fail("%u victims of %u workers", v.count, workers);
    if (v.count && v.ring_end[v.ring_count - 1] != v.count) fuzz_fail("rings end at %u", v.ring_end[v.ring_count - 1]);
    for (unsigned i = 0; i < v.count; i++) {
        if (v.worker[i] >= workers || v.worker[i] == thief) fuzz_fail("victim %u of %u", v.worker[i], thief);
    }
    heist__victims_free(&v, NULL);
}

static void check_workers(const heist__machine *m)
{
    unsigned pu_of[40];
    for (unsigned how = HEIST__BIND_NONE; how <= HEIST__BIND_NODE; how++) {
        heist__place(m, (heist__bind)how, 40, pu_of);
        for (unsigned i = 0; i < 40; i++) {
            if (pu_of[i] >= m->pu_count) fuzz_fail("worker %u on PU %u of %u", i, pu_of[i], m->pu_count);
        }
        check_victims(m, pu_of, 40, how * 7);
    }
    check_victims(m, pu_of, 1, 0);
}

static void check_machine(const heist__machine *m, bool file)
{
    unsigned count;
    if (!m->pu_count || !m->node_count) fuzz_fail("%u PUs, %u nodes", m->pu_count, m->node_count);
    check_numbers(m, offsetof(heist__pu, core), "core", &count);
    check_numbers(m, offsetof(heist__pu, cache), "cache", &count);
    check_numbers(m, offsetof(heist__pu, package), "package", &count);
    check_numbers(m, offsetof(heist__pu, node), "node", &count);
    if (count > m->node_count) fuzz_fail("%u nodes, and there are %u", count, m->node_count);
    check_order(m, m->core_order);
    check_order(m, m->spread_order);
    for (unsigned a = 0; a < m->node_count; a++) heist__node_distance(m, a, m->node_count - 1 - a);
    if (!file && m->pu_count > HEIST__DESCRIBED_MAX) fuzz_fail("a text with %u PUs", m->pu_count);
    if (!m->synthetic) fuzz_fail("a described machine is taken for this one");
    check_workers(m);
}

/* Puts it into a file and gives its name. */
static const char *file_with(const char *text)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/machine.xml", fuzz_scratch());
    FILE *file = fopen(path, "we");
    if (!file || fputs(text, file) < 0 || fclose(file)) fuzz_fail("%s cannot be written", path);
    return path;
}

static void try_description(const char *description, bool file)
{
    heist__machine m;
    char note[HEIST__NOTE] = "";
    fuzz_listen(); /* hwloc prints long complaints */
    int error = heist__machine_load(&m, description, note, sizeof note);
    fuzz_heard();
    if (topologies) fuzz_fail("hwloc's topology was not given back");
    if (!error) check_machine(&m, file);
    if (error && (error > 0 || !*note || m.pu_count || m.pus)) fuzz_fail("error %d, note \"%s\"", error, note);
    heist__machine_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    bool file = *text == '<';
    fuzz_scratch();
    const char *description = file ? file_with(text) : text;
    bool alone = getenv("FUZZ_HWLOC_ALONE") != NULL;
    if (alone) read_alone(description, file);
    if (!alone && !(file && kills_hwloc(description))) try_description(description, file);
    free(text);
    return 0;
}
