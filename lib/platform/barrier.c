/* membarrier, registered once per process. A child of fork() inherits the registration. */
#include "platform/barrier.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <heist/detail/atomic.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool registered;

/* 1: the kernel has refused a barrier. Written by: the thread that was refused. Read by: workers about to sleep. */
static HEIST__ATOMIC(unsigned) lost;

static void ask_the_kernel(void)
{
    int saved = errno;
    registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
                 syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
    errno = saved;
}

bool heist__barrier_available(void)
{
    pthread_once(&once, ask_the_kernel);
    return registered;
}

bool heist__heavy_barrier(bool fenced)
{
    heist__fence_seq_cst(); /* the caller's own half. membarrier orders it, too; the fence keeps both modes alike. */
    if (fenced) return true;
    int saved = errno;
    long r = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    errno = saved;
    if (r != 0) heist__store_relaxed(&lost, 1); /* relaxed: no thread depends on when it is seen */
    return r == 0;
}

bool heist__barrier_lost(void)
{
    return heist__load_relaxed(&lost) != 0; /* relaxed: as above */
}
