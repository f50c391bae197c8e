/* machine.c: the machines that have names, and those that hwloc reads. */
#include "simulate/machine.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/one_line.h"

/* Each machine replaces what differs from "laptop". Levels in order: core, cache, node, package, far, network. */
const heist__sim_preset_machine heist__sim_machines[] = {
    {"laptop",
     "pack:1 [numa] l3:1 core:8 pu:2",
     {1, 1, 8, 2, 1},
     1,
     "doc/benchmarks.md (AMD EPYC, two virtual cores): a spawn and join 2.2 ns, a steal 0.4 us, with membarrier 11 us, "
     "a "
     "wake 21 us; looks, misses, siblings and roof are assumed",
     "spawn 1.1\njoin 1.1\nclaim 25\nanswer 60\njoin-stolen 60\npause 14\nyield 400\nbarrier 10000\nsleep 12000\n"
     "wake 21000\nwake-call 2500\nlook 20 30 40 50 60 2000\nsteal 150 250 280 320 400 6000\n"
     "carry 100 200 300 400 500 10000\nsmt 0.62\nroof 6\n"},
    {"two-socket",
     "pack:2 [numa] l3:4 core:8 pu:2",
     {2, 4, 8, 2, 1},
     1,
     "laptop's; assumed: a line from another cache takes twice, from the other socket three times as long",
     "barrier 12000\nlook 20 40 70 90 130 2000\nsteal 150 280 420 500 800 6000\n"
     "carry 100 250 500 700 1300 10000\nroof 12\n"},
    {"eight-node",
     "pack:8 [numa] l3:1 core:16 pu:2",
     {8, 1, 16, 2, 1},
     1,
     "two-socket's; assumed: another socket is twice as far, and a barrier and a wake go to more CPUs",
     "barrier 25000\nwake 30000\nlook 20 45 60 90 250 2000\nsteal 150 280 350 500 1500 6000\n"
     "carry 100 300 400 800 2600 10000\nroof 10\n"},
    {"cluster",
     "16 x pack:2 [numa] l3:4 core:8 pu:1",
     {2, 4, 8, 1, 1},
     16,
     "two-socket's; assumed: 2 us for a message between machines, and 10 GB/s for the data of a task (50 kB)",
     "barrier 12000\nlook 20 40 70 90 130 4000\nsteal 150 280 420 500 800 8000\n"
     "carry 100 250 500 700 1300 5000\nroof 12\n"},
    {"flat",
     "pack:1 [numa] core:4096 pu:1",
     {1, 1, 4096, 1, 0},
     1,
     "laptop's, and all workers equally near; no siblings, no roof",
     "look 40\nsteal 280\ncarry 300\nsmt 1\nroof 0\n"},
    {"free",
     "pack:1 [numa] core:4096 pu:1",
     {1, 1, 4096, 1, 0},
     1,
     "nothing costs anything: the machine of the theorems",
     "spawn 0\njoin 0\nclaim 0\nanswer 0\njoin-stolen 0\npause 0\nyield 0\nbarrier 0\nsleep 0\nwake 0\nwake-call 0\n"
     "look 0\nsteal 0\ncarry 0\nsmt 1\nroof 0\n"},
    {NULL, NULL, {0}, 0, NULL, NULL},
};

static const heist__sim_preset_machine *preset_called(const char *name)
{
    for (const heist__sim_preset_machine *p = heist__sim_machines; p->name; p++) {
        if (strcmp(p->name, name) == 0) return p;
    }
    return NULL;
}

static int costs_of(heist__sim_machine *m, const heist__sim_preset_machine *p, char *error, size_t room)
{
    int result = heist__sim_costs_read(&m->costs, heist__sim_machines[0].costs, "laptop", error, room);
    if (!result) result = heist__sim_costs_read(&m->costs, p->costs, p->name, error, room);
    m->source = p->source;
    return result;
}

/* A machine as its five numbers say: the same as hwloc makes of its description, without hwloc. */
static int build(heist__machine *t, const unsigned shape[5], unsigned boxes)
{
    const unsigned packages = shape[0] * boxes, caches = shape[1], cores = shape[2], pus = shape[3];
    const unsigned count = packages * caches * cores * pus;
    *t = (heist__machine){.pu_count = count, .node_count = packages, .synthetic = true};
    t->pus = calloc(count, sizeof *t->pus);
    if (!t->pus) return -ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        const unsigned core = i / pus, package = core / (cores * caches);
        t->pus[i] = (heist__pu){.os_cpu = i,
                                .core = core,
                                .cache = shape[4] ? core / cores : core,
                                .node = package,
                                .package = package,
                                .os_node = package};
    }
    return heist__machine_order(t);
}

/* The nodes of different machines are further apart than those of one, so that thieves try their own machine first. */
#define NEAR_NODES 10
#define FAR_NODES 32
#define OTHER_MACHINE 1000

static int add_network(heist__sim_machine *m, char *error, size_t room)
{
    heist__machine *t = &m->topology;
    if (t->node_count % m->boxes != 0) {
        snprintf(error, room, "%u nodes are not %u equal machines", t->node_count, m->boxes);
        return -EINVAL;
    }
    const unsigned each = t->node_count / m->boxes;
    uint16_t *distance = malloc((size_t)t->node_count * t->node_count * sizeof *distance);
    if (!distance) {
        snprintf(error, room, "no memory for the machine");
        return -ENOMEM;
    }
    for (unsigned a = 0; a < t->node_count; a++) {
        for (unsigned b = 0; b < t->node_count; b++) {
            const uint16_t value = a == b ? NEAR_NODES : a / each == b / each ? FAR_NODES : OTHER_MACHINE;
            distance[(size_t)a * t->node_count + b] = value;
        }
    }
    free(t->node_distance);
    t->node_distance = distance;
    return 0;
}

/* "16 x TEXT": takes the number off. 0: it is wrong. 1: there is none. */
static unsigned long boxes_before(const char **text)
{
    char *end;
    if (!isdigit((unsigned char)**text)) return 1;
    unsigned long boxes = strtoul(*text, &end, 10);
    end += strspn(end, " ");
    if (*end != 'x') return 1;
    end++;
    *text = end + strspn(end, " ");
    return boxes <= HEIST__DESCRIBED_MAX ? boxes : 0;
}

static int load(heist__sim_machine *m, const char *text, unsigned boxes, char *error, size_t room)
{
    char note[HEIST__NOTE] = "", whole[400];
    if (boxes > 1 && (strchr(text, '/') || strstr(text, ".xml"))) {
        snprintf(error, room, "a cluster of machines needs a text, not a file: \"%.60s\"", text);
        return -EINVAL;
    }
    int length = boxes > 1 ? snprintf(whole, sizeof whole, "group:%u %s", boxes, text)
                           : snprintf(whole, sizeof whole, "%s", text);
    if (length < 0 || (size_t)length >= sizeof whole) {
        snprintf(error, room, "the description of the machine is longer than %zu characters", sizeof whole - 1);
        return -EINVAL;
    }
    int result = heist__machine_load(&m->topology, whole, note, sizeof note);
    if (!result && m->topology.pu_count > HEIST__DESCRIBED_MAX) {
        snprintf(error, room, "the machine has more than %u CPUs", HEIST__DESCRIBED_MAX);
        return -EINVAL;
    }
    if (result) snprintf(error, room, "%s", *note ? note : strerror(-result));
    return result;
}

static int make_named(heist__sim_machine *m, const heist__sim_preset_machine *p, unsigned boxes, char *error,
                      size_t room)
{
    const unsigned each = p->shape[0] * p->shape[1] * p->shape[2] * p->shape[3];
    m->boxes = p->boxes * boxes;
    if (each * m->boxes > HEIST__DESCRIBED_MAX) {
        snprintf(error, room, "the machine has more than %u CPUs", HEIST__DESCRIBED_MAX);
        return -EINVAL;
    }
    int result = build(&m->topology, p->shape, m->boxes);
    if (result) snprintf(error, room, "no memory for the machine");
    return result;
}

/* The costs of a machine that was described, by its size. */
static const char *alike(const heist__sim_machine *m)
{
    const unsigned packages = m->topology.pus[m->topology.pu_count - 1].package + 1;
    if (m->boxes > 1) return "cluster";
    return packages > 2 ? "eight-node" : packages > 1 ? "two-socket" : "laptop";
}

static int make(heist__sim_machine *m, const char *text, const char *like, char *error, size_t room)
{
    const char *rest = text;
    const unsigned long boxes = boxes_before(&rest);
    if (boxes == 0) {
        snprintf(error, room, "a cluster has 1 to %u machines: \"%.60s\"", HEIST__DESCRIBED_MAX, text);
        return -EINVAL;
    }
    const heist__sim_preset_machine *named = preset_called(rest), *costs = named;
    m->boxes = (unsigned)boxes;
    int result = named ? make_named(m, named, m->boxes, error, room) : load(m, rest, m->boxes, error, room);
    if (result) return result;
    if (!named || boxes > 1) costs = preset_called(alike(m));
    if (like) costs = preset_called(like);
    if (!costs) {
        snprintf(error, room, "no machine is called \"%.40s\"", like);
        return -EINVAL;
    }
    result = costs_of(m, costs, error, room);
    return !result && m->boxes > 1 ? add_network(m, error, room) : result;
}

int heist__sim_machine_make(heist__sim_machine *m, const char *text, const char *like, char *error, size_t room)
{
    *m = (heist__sim_machine){.boxes = 1};
    snprintf(m->name, sizeof m->name, "%.99s", text);
    heist__one_line(m->name);
    int result = make(m, text, like, error, room);
    if (result) heist__one_line(error);
    if (result) heist__machine_free(&m->topology);
    return result;
}

void heist__sim_machine_free(heist__sim_machine *m)
{
    heist__machine_free(&m->topology);
}

unsigned heist__sim_level(const heist__sim_machine *m, unsigned pu_a, unsigned pu_b)
{
    const heist__machine *t = &m->topology;
    if (m->boxes > 1) {
        const unsigned each = t->node_count / m->boxes;
        if (t->pus[pu_a].node / each != t->pus[pu_b].node / each) return HEIST__SIM_NETWORK;
    }
    return (unsigned)heist__distance(t, pu_a, pu_b);
}

const char *heist__sim_level_word(unsigned level)
{
    return level == HEIST__SIM_NETWORK ? "network" : heist__level_word((heist__level)level);
}
