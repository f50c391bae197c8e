/* The machine, drawn as a tree: packages, NUMA nodes, caches, and a line for each core with its CPUs and workers. A
 * level is left out where it tells no more than the level above it or below it. */
#include <string.h>

#include "view.h"

enum { PACKAGE, NODE, CACHE, CORE, LEVELS };

static const char *const level_words[] = {"package", "node", "cache", "core"};

typedef struct {
    const view *v;
    FILE *out;
    int order[LEVELS]; /* the levels that are drawn, outermost first */
    unsigned levels;
    char before[LEVELS * 16]; /* what stands before a line: bars and blanks */
} drawing;

static unsigned number_at(const heist__pu *pu, int level)
{
    switch (level) {
    case PACKAGE: return pu->package;
    case NODE: return pu->node;
    case CACHE: return pu->cache;
    default: return pu->core;
    }
}

/* Whether the objects of the two levels hold the same PUs. Equal PUs of one level are neighbours in the array. */
static bool alike(const heist__machine *m, int a, int b)
{
    for (unsigned i = 1; i < m->pu_count; i++) {
        bool same_a = number_at(&m->pus[i], a) == number_at(&m->pus[i - 1], a);
        bool same_b = number_at(&m->pus[i], b) == number_at(&m->pus[i - 1], b);
        if (same_a != same_b) return false;
    }
    return true;
}

/* Whether an object of `level` reaches over several packages: then packages lie within it. */
static bool spans_packages(const heist__machine *m, int level)
{
    for (unsigned i = 1; i < m->pu_count; i++) {
        const heist__pu *a = &m->pus[i - 1], *b = &m->pus[i];
        if (number_at(a, level) == number_at(b, level) && a->package != b->package) return true;
    }
    return false;
}

/* A node that is a package is shown as the node, whose memory counts. A cache is shown if it lies between node and
 * core. */
static void choose_levels(drawing *d)
{
    const heist__machine *m = &d->v->machine;
    const bool node_first = spans_packages(m, NODE);
    if (node_first) d->order[d->levels++] = NODE;
    if (!alike(m, PACKAGE, NODE) || m->node_count == 1) d->order[d->levels++] = PACKAGE;
    if (!node_first) d->order[d->levels++] = NODE;
    if (!alike(m, CACHE, CORE)) d->order[d->levels++] = CACHE;
    d->order[d->levels++] = CORE;
}

static void print_workers(const drawing *d, unsigned first, unsigned end)
{
    const char *lead = "worker";
    for (unsigned w = 0; w < d->v->workers; w++) {
        if (d->v->pu_of[w] < first || d->v->pu_of[w] >= end) continue;
        fprintf(d->out, "%s %u", lead, w);
        lead = ",";
    }
}

static void print_core(const drawing *d, unsigned first, unsigned end)
{
    const heist__machine *m = &d->v->machine;
    char cpus[64] = "";
    size_t used = 0;
    for (unsigned i = first; i < end && used < sizeof cpus; i++)
        used += (size_t)snprintf(cpus + used, sizeof cpus - used, "%s%u", i > first ? ", " : "", m->pus[i].os_cpu);
    fprintf(d->out, "core %-4u CPU %-10s", m->pus[first].core, cpus);
    if (m->pus[first].efficiency) fprintf(d->out, " speed class %u  ", m->pus[first].efficiency);
    print_workers(d, first, end);
}

static void print_object(const drawing *d, int level, unsigned first, unsigned end)
{
    const heist__pu *pu = &d->v->machine.pus[first];
    if (level == CORE) {
        print_core(d, first, end);
        return;
    }
    fprintf(d->out, "%s %u", level_words[level], number_at(pu, level));
    if (level == NODE && pu->os_node != HEIST__NO_NODE) fprintf(d->out, " (NUMA node %u)", pu->os_node);
    if (level == NODE && pu->os_node == HEIST__NO_NODE) fprintf(d->out, " (no memory of its own)");
}

/* Draws the objects of a level that hold the PUs first .. end - 1, and what lies below them. */
static void draw(drawing *d, unsigned depth, unsigned first, unsigned end)
{
    if (depth == d->levels) return;
    const int level = d->order[depth];
    const heist__pu *pus = d->v->machine.pus;
    const size_t length = strlen(d->before);
    for (unsigned at = first, next; at < end; at = next) {
        next = at + 1;
        while (next < end && number_at(&pus[next], level) == number_at(&pus[at], level)) next++;
        fprintf(d->out, "%s%s ", d->before, next < end ? "├─" : "└─");
        print_object(d, level, at, next);
        fputc('\n', d->out);
        snprintf(d->before + length, sizeof d->before - length, "%s", next < end ? "│  " : "   ");
        draw(d, depth + 1, at, next);
        d->before[length] = '\0';
    }
}

void print_tree(const view *v, FILE *out)
{
    drawing d = {.v = v, .out = out};
    choose_levels(&d);
    draw(&d, 0, 0, v->machine.pu_count);
}
