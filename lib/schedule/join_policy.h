/* schedule/join_policy.h: what a worker does that waits for a stolen child. Pure: values in, a decision out. The join
 * reads the values from shared words, the simulator from its own. */
#ifndef HEIST_SCHEDULE_JOIN_POLICY_H
#define HEIST_SCHEDULE_JOIN_POLICY_H

#include <stdint.h>

#include <heist/deque.h>

/* The first and the longest sleep before a waiter looks again for something to steal back. */
#define HEIST__FIRST_NAP_NS 50000
#define HEIST__LONGEST_NAP_NS 10000000

static inline int64_t heist__next_nap(int64_t nap_ns)
{
    return nap_ns < HEIST__LONGEST_NAP_NS ? nap_ns * 2 : nap_ns;
}

/* The waiter has tried to steal back from the worker that has the child, or from a worker further along the chain. */
typedef enum {
    HEIST__LEAP_RUN,    /* it has a descendant of the child: run it */
    HEIST__LEAP_FOLLOW, /* there is nothing: look whether that worker waits for a thief itself, and try that thief */
    HEIST__LEAP_STOP    /* another thread was faster: look at the child again first */
} heist__leap;

static inline heist__leap heist__leap_after(heist_steal outcome)
{
    if (outcome == HEIST_STEAL_LOST) return HEIST__LEAP_STOP;
    return outcome == HEIST_STEAL_GOT ? HEIST__LEAP_RUN : HEIST__LEAP_FOLLOW;
}

#endif
