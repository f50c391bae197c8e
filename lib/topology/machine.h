/* topology/machine.h: the machine as plain data: its processing units (PUs, what the system calls a CPU), and how near
 * they are to each other.
 *
 * A machine is this one, as far as the calling thread's affinity mask reaches, or one that is described by a text or a
 * recorded file and is not here at all; the rest of heist does not see a difference, except that nothing can be bound
 * on a machine that is not here. It is written once, by heist__machine_load, and only read after that, by any thread.
 *
 * Usage:
 *     heist__machine m;
 *     char note[HEIST__NOTE];
 *     int error = heist__machine_load(&m, "pack:2 [numa] core:4 pu:2", note, sizeof note);
 *     if (error) ... note says why ...
 *     heist__distance(&m, 0, 1) == HEIST__SAME_CORE
 *     heist__machine_free(&m); */
#ifndef HEIST_TOPOLOGY_MACHINE_H
#define HEIST_TOPOLOGY_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How near two PUs are: the innermost thing that they share. */
typedef enum heist__level {
    HEIST__SAME_CORE,
    HEIST__SAME_CACHE,   /* a cache of several cores that does not reach beyond the node */
    HEIST__SAME_NODE,    /* the same local memory */
    HEIST__SAME_PACKAGE, /* the same socket, another of its nodes */
    HEIST__FAR,
    HEIST__LEVELS /* how many there are */
} heist__level;

/* In os_node: the PU has no memory of its own, so there is nowhere to prefer. */
#define HEIST__NO_NODE (~0u)

/* The most PUs that a text may describe: hwloc builds such a machine in more than linear time. */
#define HEIST__DESCRIBED_MAX 4096u

enum { HEIST__NOTE = 160 }; /* room for any sentence that this module writes */

/* core, cache, node and package count up from 0 in the order of the PUs and without gaps: equal numbers mean the same
 * thing. A PU without a shared cache has a cache number of its own core; one without a package has that of its node. */
typedef struct {
    unsigned os_cpu; /* the system's number, as in an affinity mask */
    unsigned core, cache, node, package;
    unsigned os_node;    /* the system's number of the local memory, or HEIST__NO_NODE */
    unsigned efficiency; /* hwloc's kind of core: more is faster; 0 where all are alike */
} heist__pu;

typedef struct heist__machine {
    unsigned pu_count;   /* at least 1 */
    unsigned node_count; /* at least 1 */
    heist__pu *pus;      /* neighbours in the machine are neighbours here */

    /* Each a permutation of 0 .. pu_count - 1, for heist__place, which has to have no memory to ask for. */
    unsigned *core_order;   /* every core once, fast ones first, then their siblings; neighbours together */
    unsigned *spread_order; /* the same, each next one as far from those before as can be */

    uint16_t *node_distance; /* node_count * node_count latencies, or NULL when nobody knows */
    bool synthetic;          /* a machine that is not here */
    char note[HEIST__NOTE];  /* what was lost in reading it, or "" */
} heist__machine;

/* Reads a machine. `description` is NULL for this machine, or hwloc's synthetic text ("pack:2 [numa] core:4 pu:1"), or
 * the path of an XML file that lstopo wrote. `note` (may be NULL) receives a sentence when something was lost, else "".
 * Call from: any thread; it asks the system and may take milliseconds.
 * Returns 0; -EINVAL for a description that is none, -errno for a file that cannot be read, -ENOTSUP for any
 * description in a build without hwloc, -ENOMEM; then `*m` is empty, and freeing it is allowed. Want of hwloc, or its
 * failure, is no error for this machine: it is then flat (one node, no shared caches), and the note says so. */
int heist__machine_load(heist__machine *m, const char *description, char *note, size_t note_size);

void heist__machine_free(heist__machine *m);

/* How near two PUs are; both are indices into m->pus. */
heist__level heist__distance(const heist__machine *m, unsigned pu_a, unsigned pu_b);

/* The latency between two nodes as the firmware tells it (10 is local by custom), or UINT16_MAX when nobody knows. */
unsigned heist__node_distance(const heist__machine *m, unsigned node_a, unsigned node_b);

/* "core", "cache", "node", "package", "far"; NULL for anything else. */
const char *heist__level_word(heist__level level);

#endif
