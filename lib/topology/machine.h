/* topology/machine.h: the machine as plain data: its processing units (PUs; the system calls a PU a CPU), and how near
 * they are to each other.
 *
 * A machine is this one, as far as the calling thread's affinity mask reaches, or another one that a text or a recorded
 * file describes. The rest of heist sees no difference, except that no thread can be bound on another machine. A
 * machine is written once, by heist__machine_load, and only read after that, by any thread.
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

/* How near two PUs are: the innermost level that they share. */
typedef enum heist__level {
    HEIST__SAME_CORE,
    HEIST__SAME_CACHE,   /* a cache of several cores that does not reach beyond the node */
    HEIST__SAME_NODE,    /* the same local memory */
    HEIST__SAME_PACKAGE, /* the same socket, another of its nodes */
    HEIST__FAR,
    HEIST__LEVELS /* the number of levels */
} heist__level;

/* In os_node: the PU has no memory of its own, so there is no node to prefer. */
#define HEIST__NO_NODE (~0u)

/* The most PUs that a text may describe: hwloc takes more than linear time to build such a machine. */
#define HEIST__DESCRIBED_MAX 4096u

enum { HEIST__NOTE = 160 }; /* room for any sentence that this module writes */

/* core, cache, node and package count up from 0 in the order of the PUs and without gaps: equal numbers mean the same
 * core, cache, node or package. A PU without a shared cache has a cache number of its own core. A PU without a package
 * has the package number of its node. */
typedef struct {
    unsigned os_cpu; /* the system's number, as in an affinity mask */
    unsigned core, cache, node, package;
    unsigned os_node;    /* the system's number of the local memory, or HEIST__NO_NODE */
    unsigned efficiency; /* hwloc's kind of core: a larger number is faster; 0 where all cores are alike */
} heist__pu;

typedef struct heist__machine {
    unsigned pu_count;   /* at least 1 */
    unsigned node_count; /* at least 1 */
    heist__pu *pus;      /* neighbours in the machine are neighbours in this array */

    /* Each a permutation of 0 .. pu_count - 1. They are made in advance, so that heist__place needs no memory. */
    unsigned *core_order;   /* every core once, fast ones first, then their siblings; neighbours together */
    unsigned *spread_order; /* the same, but each core as far as possible from those before it */

    uint16_t *node_distance; /* node_count * node_count latencies, or NULL when they are not known */
    bool synthetic;          /* a machine that is not this one */
    char note[HEIST__NOTE];  /* a sentence about information that was lost in reading it, or "" */
} heist__machine;

/* Reads a machine. `description` is NULL for this machine, or hwloc's synthetic text ("pack:2 [numa] core:4 pu:1"), or
 * the path of an XML file that lstopo wrote. `note` (may be NULL) receives a sentence when something was lost, else "".
 * Call from: any thread; it asks the system and may take milliseconds. Returns 0; -EINVAL for text that describes no
 * machine, -errno for a file that cannot be read, -ENOTSUP for any description in a build without hwloc or in a program
 * with other rights than its caller's (setuid), -ENOMEM. After an error `*m` is empty, and freeing it is allowed. For
 * this machine the lack or failure of hwloc is no error: the machine is then flat (one node, no shared caches), and the
 * note says so. */
int heist__machine_load(heist__machine *m, const char *description, char *note, size_t note_size);

/* Fills core_order and spread_order of a machine whose PUs are known. For callers that make a machine by themselves.
 * Returns 0 or -ENOMEM. */
int heist__machine_order(heist__machine *m);

void heist__machine_free(heist__machine *m);

/* How near two PUs are; both are indices into m->pus. */
heist__level heist__distance(const heist__machine *m, unsigned pu_a, unsigned pu_b);

/* The latency between two nodes that the firmware reports (10 is local by custom), or UINT16_MAX when it is not
 * known. */
unsigned heist__node_distance(const heist__machine *m, unsigned node_a, unsigned node_b);

/* "core", "cache", "node", "package", "far"; NULL for any other value. */
const char *heist__level_word(heist__level level);

#endif
