/* affinity.c: see affinity.h. */
#include "topology/affinity.h"

#include <errno.h>
#include <unistd.h>

/* Far beyond the CPU limit of any kernel: when even this is too small, the fault lies elsewhere. */
#define ROOM_MAX (1u << 20)

int heist__cpus_new(heist__cpus *cpus, unsigned last)
{
    cpus->size = CPU_ALLOC_SIZE((size_t)last + 1);
    cpus->set = CPU_ALLOC((size_t)last + 1);
    if (!cpus->set) return -ENOMEM;
    CPU_ZERO_S(cpus->size, cpus->set);
    return 0;
}

static int assume_online(heist__cpus *cpus)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned count = online > 0 && online <= (long)ROOM_MAX ? (unsigned)online : 1;
    if (heist__cpus_new(cpus, count - 1)) return -ENOMEM;
    for (unsigned cpu = 0; cpu < count; cpu++) CPU_SET_S(cpu, cpus->size, cpus->set);
    return 1;
}

int heist__cpus_read(heist__cpus *cpus)
{
    for (unsigned room = CPU_SETSIZE; room <= ROOM_MAX; room *= 2) {
        if (heist__cpus_new(cpus, room - 1)) return -ENOMEM;
        if (sched_getaffinity(0, cpus->size, cpus->set) == 0) return 0;
        bool too_small = errno == EINVAL; /* the kernel's own set is larger than this one */
        heist__cpus_free(cpus);
        if (!too_small) break;
    }
    return assume_online(cpus);
}

void heist__cpus_free(heist__cpus *cpus)
{
    if (cpus->set) CPU_FREE(cpus->set);
    cpus->set = NULL;
    cpus->size = 0;
}

unsigned heist__cpus_room(const heist__cpus *cpus)
{
    return (unsigned)(cpus->size * 8);
}

bool heist__cpus_has(const heist__cpus *cpus, unsigned cpu)
{
    return CPU_ISSET_S(cpu, cpus->size, cpus->set); /* false beyond the room */
}

unsigned heist__cpus_count(const heist__cpus *cpus)
{
    return (unsigned)CPU_COUNT_S(cpus->size, cpus->set);
}
