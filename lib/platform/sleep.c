/* Sleeping, also where the kernel refuses: one system call is tried after the other. They are called by their numbers,
 * since libc's functions for them are cancellation points, and a thread that ends in the middle of a wait would leave
 * its record behind. */
#include "platform/sleep.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void heist__sleep_steps(unsigned steps)
{
    int saved = errno;
    struct timespec t = {0, HEIST__SLEEP_STEP_NS * (long)steps};
    long r = syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
    if (r < 0 && errno != EINTR) r = syscall(SYS_ppoll, NULL, 0, &t, NULL, 0);
    if (r < 0 && errno != EINTR) sched_yield(); /* at least other threads get the CPU */
    errno = saved;
}

void heist__sleep_step(void)
{
    heist__sleep_steps(1);
}
