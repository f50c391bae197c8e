/* idle/wake_policy.h: whether a worker is woken, and which. Pure: numbers in, numbers out. The pool reads the numbers
 * from its counters, the simulator from its own. */
#ifndef HEIST_IDLE_WAKE_POLICY_H
#define HEIST_IDLE_WAKE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the work of a pusher is left to workers that search already. `stuck` of the searchers have no CPU. */
static inline bool heist__searchers_suffice(uint32_t searching, uint32_t stuck)
{
    return searching > stuck;
}

/* The i-th sleeper that a waker looks at, of `count`. `first` is the place after the sleeper that was woken last. */
static inline unsigned heist__wake_turn(unsigned first, unsigned i, unsigned count)
{
    return (first + i) % count;
}

#endif
