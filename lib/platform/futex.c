/* Linux's futex, private to the process. Where the call is refused (a strict seccomp filter) waiting becomes a short
 * sleep and waking nothing, so that heist goes on, a little slower; the C library's own locks may not.
 *
 * It may also be refused when somebody sleeps already: that one cannot be woken any more. So no sleep is without end. */
#include "platform/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/nap.h"

/* Once a minute costs nothing that can be measured, and is later than any test would wait for a wake-up that is lost. */
int64_t heist__futex_longest_ns = 60000000000;

bool heist__futex_available(void)
{
    int saved = errno;
    uint32_t word = 0;
    long r = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
    return r >= 0;
}

bool heist__futex_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, int64_t timeout_ns)
{
    int saved = errno;
    int64_t ns = timeout_ns < 0 || timeout_ns > heist__futex_longest_ns ? heist__futex_longest_ns : timeout_ns;
    struct timespec limit = {ns / 1000000000, ns % 1000000000};
    long r = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &limit, NULL, 0);
    bool timed_out = r < 0 && errno == ETIMEDOUT;
    if (r < 0 && errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT) {
        heist__nap();
        timed_out = ns <= HEIST__NAP_NS;
    }
    errno = saved;
    return timed_out && ns == timeout_ns;
}

void heist__futex_wake(HEIST__ATOMIC(uint32_t) * word, int count)
{
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
    errno = saved;
}
