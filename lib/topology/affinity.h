/* topology/affinity.h: the CPUs on which the calling thread may run, of any number.
 *
 * A cpu_set_t has room for 1024 CPUs, and the kernel refuses a set smaller than its own. So the set here is as large as
 * the kernel demands. Any thread may call these functions; nothing is shared. */
#ifndef HEIST_TOPOLOGY_AFFINITY_H
#define HEIST_TOPOLOGY_AFFINITY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t size; /* in bytes, for the CPU_*_S macros */
    cpu_set_t *set;
} heist__cpus;

/* Reads the calling thread's mask. Returns 0; or 1 when the kernel refused, as a sandbox may, and the set holds every
 * CPU that is online instead; or -ENOMEM, and then there is nothing to free. */
int heist__cpus_read(heist__cpus *cpus);

/* Makes an empty set with room for CPUs 0 to `last`. Returns 0 or -ENOMEM. */
int heist__cpus_new(heist__cpus *cpus, unsigned last);

void heist__cpus_free(heist__cpus *cpus);

/* One past the highest CPU number that the set has room for. */
unsigned heist__cpus_room(const heist__cpus *cpus);

bool heist__cpus_has(const heist__cpus *cpus, unsigned cpu);

unsigned heist__cpus_count(const heist__cpus *cpus);

#endif
