/* Sleeping when the kernel refuses: one way after the other. By their numbers, since libc's functions of that kind are
 * cancellation points, and a thread that ends in the middle of a wait would leave its record behind. */
#include "platform/nap.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void heist__naps(unsigned naps)
{
    int saved = errno;
    struct timespec t = {0, HEIST__NAP_NS * (long)naps};
    long r = syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
    if (r < 0 && errno != EINTR) r = syscall(SYS_ppoll, NULL, 0, &t, NULL, 0);
    if (r < 0 && errno != EINTR) sched_yield(); /* at least whoever has something to do is not kept from it */
    errno = saved;
}

void heist__nap(void)
{
    heist__naps(1);
}
