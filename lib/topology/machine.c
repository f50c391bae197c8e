/* machine.c: the parts of a machine that do not need hwloc: the flat machine, the distance, the orders in which PUs are
 * given to workers, and the choice between hwloc and the flat machine. */
#include "topology/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/affinity.h"
#include "topology/discover.h"

/* The flat machine: every PU of the mask is a core of its own, all in one node and one package. It claims nothing that
 * could be wrong. */
static int flatten(heist__machine *m, const heist__cpus *allowed)
{
    m->pus = calloc(heist__cpus_count(allowed), sizeof *m->pus);
    if (!m->pus) return -ENOMEM;
    for (unsigned cpu = 0; cpu < heist__cpus_room(allowed); cpu++) {
        if (!heist__cpus_has(allowed, cpu)) continue;
        unsigned i = m->pu_count++;
        m->pus[i] = (heist__pu){.os_cpu = cpu, .core = i, .cache = i};
    }
    m->node_count = 1;
    return 0;
}

/* A PU's rank at each level within the enclosing level: the second core of its cache, the first cache of its node, and
 * so on. An order that compares the innermost rank first gives PUs out in turn over the outermost level. */
typedef struct {
    unsigned index;
    unsigned sibling, core, cache, node, package;
    unsigned efficiency;
} rank;

/* PUs of one core, cache, node or package are neighbours, so it is enough to look at the PU before. */
static void rank_all(const heist__machine *m, rank *ranks)
{
    ranks[0] = (rank){.efficiency = m->pus[0].efficiency};
    for (unsigned i = 1; i < m->pu_count; i++) {
        const heist__pu *before = &m->pus[i - 1], *pu = &m->pus[i];
        rank r = ranks[i - 1];
        if (pu->package != before->package) {
            r = (rank){.package = r.package + 1};
        } else if (pu->node != before->node) {
            r = (rank){.package = r.package, .node = r.node + 1};
        } else if (pu->cache != before->cache) {
            r = (rank){.package = r.package, .node = r.node, .cache = r.cache + 1};
        } else if (pu->core != before->core) {
            r.core++;
            r.sibling = 0;
        } else {
            r.sibling++;
        }
        r.index = i;
        r.efficiency = pu->efficiency;
        ranks[i] = r;
    }
}

static int compare(unsigned a, unsigned b)
{
    return (a > b) - (a < b);
}

/* A second worker on a core is worth less than a first one on a slow core, hence siblings last. */
static int by_core(const void *left, const void *right)
{
    const rank *a = left, *b = right;
    int order = compare(a->sibling, b->sibling);
    if (!order) order = compare(b->efficiency, a->efficiency);
    if (!order) order = compare(a->index, b->index);
    return order;
}

static int by_spread(const void *left, const void *right)
{
    const rank *a = left, *b = right;
    int order = compare(a->sibling, b->sibling);
    if (!order) order = compare(b->efficiency, a->efficiency);
    if (!order) order = compare(a->core, b->core);
    if (!order) order = compare(a->cache, b->cache);
    if (!order) order = compare(a->node, b->node);
    if (!order) order = compare(a->package, b->package);
    if (!order) order = compare(a->index, b->index);
    return order;
}

static unsigned *ordered(rank *ranks, unsigned count, int (*how)(const void *, const void *))
{
    unsigned *order = malloc(count * sizeof *order);
    if (!order) return NULL;
    qsort(ranks, count, sizeof *ranks, how);
    for (unsigned i = 0; i < count; i++) order[i] = ranks[i].index;
    return order;
}

int heist__machine_order(heist__machine *m)
{
    rank *ranks = malloc(m->pu_count * sizeof *ranks);
    if (!ranks) return -ENOMEM;
    rank_all(m, ranks);
    m->core_order = ordered(ranks, m->pu_count, by_core);
    m->spread_order = ordered(ranks, m->pu_count, by_spread);
    free(ranks);
    return m->core_order && m->spread_order ? 0 : -ENOMEM;
}

/* Frees all but the note, which says why the machine is empty. */
static void empty(heist__machine *m)
{
    free(m->pus);
    free(m->core_order);
    free(m->spread_order);
    free(m->node_distance);
    m->pus = NULL;
    m->core_order = m->spread_order = NULL;
    m->node_distance = NULL;
    m->pu_count = m->node_count = 0;
    m->synthetic = false;
}

static int load_this(heist__machine *m)
{
    heist__cpus allowed;
    int mask = heist__cpus_read(&allowed);
    if (mask < 0) return mask;
    int error = heist__discover(m, NULL, &allowed);
    if (error) {
        empty(m);
        error = flatten(m, &allowed);
        if (!m->note[0]) snprintf(m->note, sizeof m->note, "no memory for hwloc: the machine is taken as flat");
    }
    if (mask > 0) snprintf(m->note, sizeof m->note, "the affinity mask cannot be read: every CPU online is assumed");
    heist__cpus_free(&allowed);
    return error;
}

int heist__machine_load(heist__machine *m, const char *description, char *note, size_t note_size)
{
    *m = (heist__machine){0};
    int error = description ? heist__discover(m, description, NULL) : load_this(m);
    if (!error) error = heist__machine_order(m);
    if (error) empty(m);
    if (error == -ENOMEM) snprintf(m->note, sizeof m->note, "no memory for the description of the machine");
    if (note && note_size) snprintf(note, note_size, "%s", m->note);
    return error;
}

void heist__machine_free(heist__machine *m)
{
    empty(m);
    m->note[0] = '\0';
}

heist__level heist__distance(const heist__machine *m, unsigned pu_a, unsigned pu_b)
{
    const heist__pu *a = &m->pus[pu_a], *b = &m->pus[pu_b];
    if (a->core == b->core) return HEIST__SAME_CORE;
    if (a->cache == b->cache) return HEIST__SAME_CACHE;
    if (a->node == b->node) return HEIST__SAME_NODE;
    if (a->package == b->package) return HEIST__SAME_PACKAGE;
    return HEIST__FAR;
}

unsigned heist__node_distance(const heist__machine *m, unsigned node_a, unsigned node_b)
{
    if (!m->node_distance) return UINT16_MAX;
    return m->node_distance[(size_t)node_a * m->node_count + node_b];
}

const char *heist__level_word(heist__level level)
{
    switch (level) {
    case HEIST__SAME_CORE: return "core";
    case HEIST__SAME_CACHE: return "cache";
    case HEIST__SAME_NODE: return "node";
    case HEIST__SAME_PACKAGE: return "package";
    case HEIST__FAR: return "far";
    case HEIST__LEVELS: break;
    }
    return NULL;
}
