/* topology/discover.h: fills a machine from hwloc. discover.c is the only file of heist that uses hwloc, and nothing of
 * hwloc shows in this header. machine.c is the only caller. */
#ifndef HEIST_TOPOLOGY_DISCOVER_H
#define HEIST_TOPOLOGY_DISCOVER_H

#include "topology/affinity.h"
#include "topology/machine.h"

/* Fills pus, pu_count, node_count, node_distance, synthetic and note of the zeroed `*m`; machine.c adds the orders.
 * `allowed` limits the PUs when the machine is this one. Returns 0, or a negative errno with a sentence in m->note.
 * After an error, memory that was allocated is in `*m`, for heist__machine_free. */
int heist__discover(heist__machine *m, const char *description, const heist__cpus *allowed);

#endif
