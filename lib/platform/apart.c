/* apart.c: see apart.h. On a machine with more CPUs than a set has all this is refused, and the system's choice stands. */
#include "platform/apart.h"

#include <string.h>

static bool may_run_on(pthread_t thread, const cpu_set_t *set)
{
    cpu_set_t now;
    return pthread_getaffinity_np(thread, sizeof now, &now) == 0 && CPU_EQUAL(&now, set);
}

/* First all there are: a thread that was never told where to run is also to have the CPUs that its control group will get later, and
 * one that is told loses them. Only if that is more than it might use before, somebody had told it. */
static void give_back(pthread_t thread, const cpu_set_t *before)
{
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    if (pthread_setaffinity_np(thread, sizeof all, &all) != 0 || !may_run_on(thread, before))
        pthread_setaffinity_np(thread, sizeof *before, before);
}

bool heist__move_apart(pthread_t thread, const cpu_set_t *taken)
{
    cpu_set_t may, others;
    if (pthread_getaffinity_np(thread, sizeof may, &may) != 0) return false;
    CPU_AND(&others, &may, taken);
    if (CPU_COUNT(&others) == 0) return false; /* nothing to leave */
    CPU_XOR(&others, &may, &others);
    if (CPU_COUNT(&others) == 0 || pthread_setaffinity_np(thread, sizeof others, &others) != 0) return false;
    if (may_run_on(thread, &others)) give_back(thread, &may); /* otherwise somebody else has said where, meanwhile */
    return true;
}
