/* Linux's futex, private to the process. Where the call is refused (a strict seccomp filter) waiting becomes a short
 * sleep and waking nothing, so that heist goes on, a little slower; the C library's own locks may not. */
#include "platform/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void heist__futex_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, int64_t timeout_ns)
{
    int saved = errno;
    struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    long r = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout_ns < 0 ? NULL : &limit, NULL, 0);
    if (r < 0 && errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT) {
        struct timespec nap = {0, 1000000};
        nanosleep(&nap, NULL);
    }
    errno = saved;
}

void heist__futex_wake(HEIST__ATOMIC(uint32_t) * word, int count)
{
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
    errno = saved;
}
