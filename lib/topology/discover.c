/* discover.c: fills a machine from hwloc, and frees hwloc's own topology at once: that takes some hundred kilobytes, a
 * heist__machine a few dozen bytes a PU.
 *
 * hwloc's tree holds PUs, cores, caches, packages. NUMA nodes hang beside the tree, at the object whose PUs they serve.
 * Each of the numbers in a heist__pu is the number of one object: see core_of, cache_of, node_of, package_of. */
#include "topology/discover.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#if !defined(HEIST_HAVE_HWLOC) || !HEIST_HAVE_HWLOC

int heist__discover(heist__machine *m, const char *description, const heist__cpus *allowed)
{
    (void)allowed;
    const char *lost = description ? "a description cannot be read" : "the machine is taken as flat";
    snprintf(m->note, sizeof m->note, "built without hwloc: %s", lost);
    return -ENOTSUP;
}

#else

#include <ctype.h>
#include <hwloc.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/one_line.h"
#include "platform/rights.h"

/* Newer versions of hwloc have more flags. Without one of them reading is slower, not wrong. */
static unsigned long wanted_flags(void)
{
    unsigned long flags = 0;
#if HWLOC_API_VERSION >= 0x00020500
    flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING; /* else hwloc binds the calling thread to each CPU in turn */
#endif
#if HWLOC_API_VERSION >= 0x00020800
    flags |= HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;
#endif
    return flags;
}

static hwloc_obj_t ancestor(hwloc_obj_t obj, hwloc_obj_type_t type)
{
    while (obj && obj->type != type) obj = obj->parent;
    return obj;
}

static hwloc_obj_t root_of(hwloc_obj_t obj)
{
    while (obj->parent) obj = obj->parent;
    return obj;
}

static hwloc_obj_t core_of(hwloc_obj_t pu)
{
    hwloc_obj_t core = ancestor(pu, HWLOC_OBJ_CORE);
    return core ? core : pu;
}

/* The node behind a memory object: a memory-side cache stands between the tree and its node. */
static hwloc_obj_t node_behind(hwloc_obj_t memory)
{
    while (memory && memory->type != HWLOC_OBJ_NUMANODE) memory = memory->memory_first_child;
    return memory;
}

static hwloc_uint64_t bytes_of(hwloc_obj_t node)
{
    return node->attr ? node->attr->numanode.local_memory : 0;
}

/* hwloc hangs a node without CPUs at the root; it then looks as if it served all PUs. Nodes at the root are believed
 * only when there are no other nodes. */
static bool serves_nobody(hwloc_obj_t at)
{
    return !at->parent && (int)at->memory_arity < hwloc_bitmap_weight(at->nodeset);
}

/* The node that serves the fewest PUs besides this one. Where fast and large memory stand side by side, it is the first
 * node that has memory: the system puts the ordinary one first. */
static hwloc_obj_t local_node(hwloc_obj_t pu)
{
    for (hwloc_obj_t at = pu; at && !serves_nobody(at); at = at->parent) {
        hwloc_obj_t best = NULL;
        for (hwloc_obj_t child = at->memory_first_child; child; child = child->next_sibling) {
            hwloc_obj_t node = node_behind(child);
            if (node && (!best || (bytes_of(node) && !bytes_of(best)))) best = node;
        }
        if (best) return best;
    }
    return NULL;
}

/* A PU without a node of its own shares one with the other PUs of its package. */
static hwloc_obj_t node_of(hwloc_obj_t pu)
{
    hwloc_obj_t node = local_node(pu);
    if (!node) node = ancestor(pu, HWLOC_OBJ_PACKAGE);
    return node ? node : root_of(pu);
}

/* Without packages, another node counts as another package. */
static hwloc_obj_t package_of(hwloc_obj_t pu)
{
    hwloc_obj_t package = ancestor(pu, HWLOC_OBJ_PACKAGE);
    return package ? package : node_of(pu);
}

/* The largest cache that several cores of the node share, but not all of them. A cache of the whole node tells no more
 * than the node does, and is used only for PUs without a smaller shared cache. Without a shared cache it is the
 * core. */
static hwloc_obj_t cache_of(hwloc_obj_t pu)
{
    hwloc_const_cpuset_t node = node_of(pu)->cpuset;
    hwloc_obj_t best = core_of(pu);
    int of_core = hwloc_bitmap_weight(best->cpuset);
    for (hwloc_obj_t at = pu->parent; at; at = at->parent) {
        if (!hwloc_obj_type_is_dcache(at->type) || hwloc_bitmap_weight(at->cpuset) <= of_core) continue;
        if (!hwloc_bitmap_isincluded(at->cpuset, node)) break;
        bool whole = hwloc_bitmap_isequal(at->cpuset, node);
        if (whole && hwloc_bitmap_weight(best->cpuset) > of_core) break;
        best = at;
    }
    return best;
}

/* The object that a number stands for, and the place of the number in a heist__pu. */
typedef struct {
    hwloc_obj_t (*object)(hwloc_obj_t pu);
    size_t field;
} role;

static const role roles[] = {
    {core_of, offsetof(heist__pu, core)},
    {cache_of, offsetof(heist__pu, cache)},
    {package_of, offsetof(heist__pu, package)},
    {node_of, offsetof(heist__pu, node)}, /* last: add_distances reads the numbers that it leaves in the objects */
};

static unsigned number_of(hwloc_obj_t obj)
{
    return (unsigned)((uintptr_t)obj->userdata - 1);
}

/* Numbers the objects of one role in the order of the PUs. An object's userdata holds its number plus one; NULL: it has
 * no number yet. */
static unsigned number(heist__machine *m, hwloc_obj_t *objects, const role *r)
{
    unsigned count = 0;
    for (unsigned i = 0; i < m->pu_count; i++) r->object(objects[i])->userdata = NULL;
    for (unsigned i = 0; i < m->pu_count; i++) {
        hwloc_obj_t obj = r->object(objects[i]);
        if (!obj->userdata) obj->userdata = (void *)(uintptr_t)++count;
        unsigned id = number_of(obj);
        memcpy((char *)&m->pus[i] + r->field, &id, sizeof id);
    }
    return count;
}

/* A node without memory beside nodes with memory has none to give. Where no node has memory, the description did not
 * give the amounts. */
static void add_memory(hwloc_topology_t topology, heist__machine *m, hwloc_obj_t *objects)
{
    bool known = hwloc_get_root_obj(topology)->total_memory > 0;
    for (unsigned i = 0; i < m->pu_count; i++) {
        hwloc_obj_t node = local_node(objects[i]);
        m->pus[i].os_node = node && (bytes_of(node) || !known) ? node->os_index : HEIST__NO_NODE;
    }
}

static void add_kinds(hwloc_topology_t topology, heist__machine *m)
{
#if HWLOC_API_VERSION >= 0x00020400
    for (unsigned i = 0; i < m->pu_count; i++) m->pus[i].efficiency = 0;
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    int kinds = cpus ? hwloc_cpukinds_get_nr(topology, 0) : 0;
    for (int kind = 0; kind < kinds; kind++) {
        int efficiency = 0;
        if (hwloc_cpukinds_get_info(topology, (unsigned)kind, cpus, &efficiency, NULL, NULL, 0)) continue;
        for (unsigned i = 0; efficiency > 0 && i < m->pu_count; i++) {
            if (hwloc_bitmap_isset(cpus, m->pus[i].os_cpu)) m->pus[i].efficiency = (unsigned)efficiency;
        }
    }
    hwloc_bitmap_free(cpus);
#else
    (void)topology;
    (void)m;
#endif
}

static void copy_distances(heist__machine *m, const struct hwloc_distances_s *from)
{
    for (unsigned a = 0; a < from->nbobjs; a++) {
        for (unsigned b = 0; b < from->nbobjs; b++) {
            if (!from->objs[a] || !from->objs[a]->userdata || !from->objs[b] || !from->objs[b]->userdata) continue;
            hwloc_uint64_t value = from->values[(size_t)a * from->nbobjs + b];
            size_t at = (size_t)number_of(from->objs[a]) * m->node_count + number_of(from->objs[b]);
            m->node_distance[at] = value < UINT16_MAX ? (uint16_t)value : UINT16_MAX;
        }
    }
}

/* A node that holds no PU of `m` has no number and no distance. */
static int add_distances(hwloc_topology_t topology, heist__machine *m)
{
    if (m->node_count < 2) return 0;
    unsigned found = 1;
    struct hwloc_distances_s *from = NULL;
    unsigned long kind = HWLOC_DISTANCES_KIND_MEANS_LATENCY;
    int error = hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &found, &from, kind, 0);
    if (error || !found || !from) return 0;
    size_t cells = (size_t)m->node_count * m->node_count;
    m->node_distance = malloc(cells * sizeof *m->node_distance);
    if (m->node_distance) {
        for (size_t i = 0; i < cells; i++) m->node_distance[i] = UINT16_MAX;
        copy_distances(m, from);
    }
    hwloc_distances_release(topology, from);
    return m->node_distance ? 0 : -ENOMEM;
}

/* `objects` has room for every PU of the topology; m->pus[i] describes the same PU as objects[i]. */
static int fill(hwloc_topology_t topology, heist__machine *m, const heist__cpus *allowed, hwloc_obj_t *objects)
{
    for (hwloc_obj_t pu = NULL; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu));) {
        if (allowed && !heist__cpus_has(allowed, pu->os_index)) continue;
        m->pus[m->pu_count].os_cpu = pu->os_index;
        objects[m->pu_count++] = pu;
    }
    if (!m->pu_count) {
        snprintf(m->note, sizeof m->note, "hwloc knows no CPU of the affinity mask: the machine is taken as flat");
        return -ENODEV;
    }
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) m->node_count = number(m, objects, &roles[i]);
    add_memory(topology, m, objects);
    add_kinds(topology, m);
    return add_distances(topology, m);
}

static int copy(hwloc_topology_t topology, heist__machine *m, const heist__cpus *allowed)
{
    int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    if (count < 1) {
        snprintf(m->note, sizeof m->note, "hwloc found no CPU");
        return -EINVAL;
    }
    hwloc_obj_t *objects = malloc((size_t)count * sizeof *objects);
    m->pus = calloc((size_t)count, sizeof *m->pus);
    int error = objects && m->pus ? fill(topology, m, allowed, objects) : -ENOMEM;
    free(objects);
    return error;
}

/* The position behind the bracket at `c`. As in hwloc, the next closing bracket of its kind closes it, also if others
 * open in between. */
static const char *behind_bracket(const char *c)
{
    const char *end = strchr(c, *c == '(' ? ')' : ']');
    return end ? end + 1 : c + 1;
}

static const char *behind_word(const char *c)
{
    while (isalnum((unsigned char)*c)) c++;
    return c;
}

/* How many PUs a text describes, roughly: the product of the numbers outside brackets that are not part of a word. The
 * numbers are read as hwloc reads them: also octal and hexadecimal, and one may begin where another ends. */
static unsigned long long described_pus(const char *text)
{
    unsigned long long product = 1;
    for (const char *c = text; *c && product <= HEIST__DESCRIBED_MAX;) {
        if (isdigit((unsigned char)*c)) {
            char *end;
            unsigned long long count = strtoull(c, &end, 0);
            if (count > HEIST__DESCRIBED_MAX) return count;
            if (count) product *= count;
            c = end;
        } else if (isalpha((unsigned char)*c)) {
            c = behind_word(c);
        } else {
            c = *c == '(' || *c == '[' ? behind_bracket(c) : c + 1;
        }
    }
    return product;
}

static bool looks_like_path(const char *text)
{
    size_t length = strlen(text);
    return strchr(text, '/') || (length > 4 && strcmp(text + length - 4, ".xml") == 0);
}

static int describe_by_file(hwloc_topology_t topology, heist__machine *m, const char *path)
{
    struct stat status;
    if (stat(path, &status)) {
        int error = -errno;
        snprintf(m->note, sizeof m->note, "%.80s: %s", path, strerror(-error));
        return error;
    }
    /* Regular files only: reading a pipe would wait for its writer. */
    if (!S_ISREG(status.st_mode) || hwloc_topology_set_xml(topology, path)) {
        snprintf(m->note, sizeof m->note, "%.80s: not a description of a machine that hwloc can read", path);
        return -EINVAL;
    }
    return 0;
}

static int describe_by_text(hwloc_topology_t topology, heist__machine *m, const char *text)
{
    if (described_pus(text) > HEIST__DESCRIBED_MAX) {
        snprintf(m->note, sizeof m->note, "\"%.60s\" describes more than %u CPUs", text, HEIST__DESCRIBED_MAX);
        return -EINVAL;
    }
    if (hwloc_topology_set_synthetic(topology, text)) {
        snprintf(m->note, sizeof m->note, "\"%.60s\" is neither a file nor a synthetic description of a machine", text);
        return -EINVAL;
    }
    return 0;
}

static int describe(hwloc_topology_t topology, heist__machine *m, const char *description)
{
    struct stat status;
    if (!description) return 0;
    bool file = looks_like_path(description) || stat(description, &status) == 0;
    int error = file ? describe_by_file(topology, m, description) : describe_by_text(topology, m, description);
    heist__one_line(m->note);
    return error;
}

static int load(hwloc_topology_t topology, heist__machine *m, const char *description, const heist__cpus *allowed)
{
    int error = describe(topology, m, description);
    if (error) return error;
    /* If hwloc refuses filters or flags, reading is slower, not wrong. */
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (!description) hwloc_topology_set_flags(topology, wanted_flags());
    if (hwloc_topology_load(topology)) {
        if (description) {
            snprintf(m->note, sizeof m->note, "%.60s: not a description of a machine that hwloc can read", description);
        } else {
            snprintf(m->note, sizeof m->note, "hwloc cannot read the machine: it is taken as flat");
        }
        return -EINVAL;
    }
    /* hwloc has environment variables of its own that replace this machine by another one. */
    m->synthetic = description || !hwloc_topology_is_thissystem(topology);
    if (m->synthetic && !description) {
        snprintf(m->note, sizeof m->note, "hwloc's environment variables describe another machine");
    }
    return copy(topology, m, m->synthetic ? NULL : allowed);
}

/* Whether a variable gives hwloc another machine than the one that /sys describes. */
static bool is_told_of_another(void)
{
    return getenv("HWLOC_XMLFILE") || getenv("HWLOC_SYNTHETIC") || getenv("HWLOC_FSROOT");
}

/* Whether /sys has the files that hwloc reads first. Without CPUs there hwloc prints to stderr and finds nothing; with
 * an empty directory of nodes it aborts the program. */
static bool sysfs_is_readable(const heist__cpus *allowed)
{
    static const char nodes[] = "/sys/devices/system/node";
    unsigned cpu = 0;
    while (cpu + 1 < heist__cpus_room(allowed) && !heist__cpus_has(allowed, cpu)) cpu++;
    char cores[80], siblings[80]; /* the new and the old name of the same file */
    snprintf(cores, sizeof cores, "/sys/devices/system/cpu/cpu%u/topology/core_cpus", cpu);
    snprintf(siblings, sizeof siblings, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings", cpu);
    if (access(cores, R_OK) != 0 && access(siblings, R_OK) != 0) return false;
    return access(nodes, F_OK) != 0 || access("/sys/devices/system/node/online", R_OK) == 0;
}

/* Whether hwloc can be called at all; if not, a sentence is in m->note. */
static bool can_ask(heist__machine *m, const char *description, const heist__cpus *allowed)
{
    /* hwloc reads its own variables whatever the program's rights are, and loads libraries from a path in one of
     * them. */
    if (heist__has_other_rights()) {
        const char *lost = description ? "a description cannot be read" : "the machine is taken as flat";
        snprintf(m->note, sizeof m->note,
                 "hwloc trusts the environment, and the program has rights that its caller lacks: %s", lost);
        return false;
    }
    if (!description && !is_told_of_another() && !sysfs_is_readable(allowed)) {
        snprintf(m->note, sizeof m->note, "/sys does not describe the CPUs: the machine is taken as flat");
        return false;
    }
    return true;
}

int heist__discover(heist__machine *m, const char *description, const heist__cpus *allowed)
{
    if (!can_ask(m, description, allowed)) return -ENOTSUP;
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology)) {
        snprintf(m->note, sizeof m->note, "hwloc does not start: the machine is taken as flat");
        return -ENOMEM;
    }
    int error = load(topology, m, description, allowed);
    hwloc_topology_destroy(topology);
    return error;
}

#endif
