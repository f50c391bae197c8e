/* apart.c: see apart.h. */
#include "platform/apart.h"

#include <errno.h>

bool heist__move_apart(const cpu_set_t *taken)
{
    cpu_set_t may, others;
    int saved = errno;
    bool moved = false;
    /* on a machine with more CPUs than a set has this is refused, and the system's choice stands */
    if (sched_getaffinity(0, sizeof may, &may) == 0) {
        CPU_AND(&others, &may, taken);
        CPU_XOR(&others, &may, &others);
        moved = CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0;
        if (moved) sched_setaffinity(0, sizeof may, &may); /* refused: it is no longer true what it was */
    }
    errno = saved;
    return moved;
}
