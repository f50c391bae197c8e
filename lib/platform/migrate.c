/* migrate.c: see migrate.h. On a machine with more CPUs than a cpu_set_t has room for, the kernel refuses all this, and
 * the system's choice of CPU stands. */
#include "platform/migrate.h"

#include <string.h>

static bool may_run_on(pthread_t thread, const cpu_set_t *set)
{
    cpu_set_t now;
    return pthread_getaffinity_np(thread, sizeof now, &now) == 0 && CPU_EQUAL(&now, set);
}

/* Gives the thread its old mask back. It tries the mask of all CPUs first. A thread whose mask was never set also gets
 * the CPUs that its control group gets later; a thread with a set mask does not. If all CPUs are more than the thread
 * might use before, its mask had been set, and it gets exactly the old mask. */
static void give_back(pthread_t thread, const cpu_set_t *before)
{
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    if (pthread_setaffinity_np(thread, sizeof all, &all) != 0 || !may_run_on(thread, before))
        pthread_setaffinity_np(thread, sizeof *before, before);
}

bool heist__migrate(pthread_t thread, const cpu_set_t *taken)
{
    cpu_set_t may, others;
    if (pthread_getaffinity_np(thread, sizeof may, &may) != 0) return false;
    CPU_AND(&others, &may, taken);
    if (CPU_COUNT(&others) == 0) return false; /* nothing to leave */
    CPU_XOR(&others, &may, &others);
    if (CPU_COUNT(&others) == 0 || pthread_setaffinity_np(thread, sizeof others, &others) != 0) return false;
    if (may_run_on(thread, &others)) give_back(thread, &may); /* otherwise another thread has set the mask meanwhile */
    return true;
}
