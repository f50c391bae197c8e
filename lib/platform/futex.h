/* Waiting on a word: Linux's futex. Spurious returns are allowed everywhere; callers look again. */
#ifndef HEIST_PLATFORM_FUTEX_H
#define HEIST_PLATFORM_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

/* After this time a sleeper looks by itself. Constant, except in tests, which set it before there are workers. */
extern int64_t heist__futex_longest_ns;

/* Whether the kernel allows futex calls now. */
bool heist__futex_available(void);

/* Sleeps while *word is `expected`, at most `timeout_ns` (negative: no limit of the caller's). Returns true when that
 * time has passed without a wake. */
bool heist__futex_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, int64_t timeout_ns);

/* Wakes up to `count` sleepers. The word need not exist any more. */
void heist__futex_wake(HEIST__ATOMIC(uint32_t) * word, int count);

#endif
