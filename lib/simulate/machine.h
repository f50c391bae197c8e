/* simulate/machine.h: the machine of a simulation: a topology, costs, and where they come from. */
#ifndef HEIST_SIMULATE_MACHINE_H
#define HEIST_SIMULATE_MACHINE_H

#include "simulate/costs.h"
#include "topology/machine.h"

typedef struct heist__sim_machine {
    heist__machine topology;
    heist__sim_costs costs;
    unsigned boxes; /* machines of a cluster; 1: one machine */
    char name[100];
    const char *source; /* where the costs come from */
} heist__sim_machine;

/* `text`: the name of a machine below, or a description for hwloc: a synthetic text or an XML file. With "N x " before
 * it, a cluster of N such machines. `like`: the named machine that a description has its costs from; NULL: by the
 * number of packages. Returns 0 or a negative errno with a sentence in `error`. */
int heist__sim_machine_make(heist__sim_machine *m, const char *text, const char *like, char *error, size_t room);
void heist__sim_machine_free(heist__sim_machine *m);

/* The named machines. A NULL name ends them. */
typedef struct heist__sim_preset_machine {
    const char *name, *description;
    unsigned shape[5]; /* packages, caches of each, cores of each, PUs of each; 1: the caches are there */
    unsigned boxes;
    const char *source;
    const char *costs; /* in the form of a file, over those of "laptop" */
} heist__sim_preset_machine;
extern const heist__sim_preset_machine heist__sim_machines[];

/* The level of two PUs, the network included. */
unsigned heist__sim_level(const heist__sim_machine *m, unsigned pu_a, unsigned pu_b);

/* "core" ... "far", "network". */
const char *heist__sim_level_word(unsigned level);

#endif
