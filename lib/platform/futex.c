/* Linux's futex, private to the process. Where the kernel refuses the call (a strict seccomp filter), waiting becomes a
 * short sleep and waking does nothing. So heist goes on, a little slower; the C library's own locks may not.
 *
 * The kernel may begin to refuse it while a thread sleeps already: that thread cannot be woken any more. So every sleep
 * has a time limit. */
#include "platform/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/sleep.h"

/* A look once a minute costs nothing that can be measured. It comes later than any test waits, so that it hides no lost
 * wake-up from a test. */
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
        heist__sleep_step();
        timed_out = ns <= HEIST__SLEEP_STEP_NS;
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
