/* schedule/outsiders.h: threads that are no workers of a pool and are within a submission to it or a wait for it. The
 * pool is not freed before the last of them has left (S3 in TERMINATION.md).
 *
 * One word: the number of outsiders, and whether a thread waits for them to leave. So the last touch of the pool is one
 * step, which also tells whether to wake that thread. */
#ifndef HEIST_SCHEDULE_OUTSIDERS_H
#define HEIST_SCHEDULE_OUTSIDERS_H

#include <stdint.h>

#include <heist/detail/atomic.h>

#include "platform/futex.h"

/* In the word: the pool ends, and the thread that ends it waits. */
#define HEIST__OUTSIDERS_AWAITED (UINT32_C(1) << 31)

typedef HEIST__ATOMIC(uint32_t) heist__outsiders;

static inline void heist__outsider_enter(heist__outsiders *outsiders)
{
    heist__add_acq_rel(outsiders, 1); /* S3: the pool exists until this thread leaves */
}

static inline void heist__outsider_leave(heist__outsiders *outsiders)
{
    uint32_t before = heist__add_acq_rel(outsiders, (uint32_t)-1); /* S3: last touch of the pool */
    /* The word may be gone by now; waking a sleeper that waits there for something else does no harm. */
    if (before == (HEIST__OUTSIDERS_AWAITED | 1)) heist__futex_wake(outsiders, 1); /* S3 */
}

/* Call from: the thread that ends the pool, once. Blocks until all have left: they have been told that the pool
 * ends. */
static inline void heist__outsiders_await(heist__outsiders *outsiders)
{
    uint32_t there = heist__add_acq_rel(outsiders, HEIST__OUTSIDERS_AWAITED) + HEIST__OUTSIDERS_AWAITED; /* S3 */
    while (there != HEIST__OUTSIDERS_AWAITED) {
        heist__futex_wait(outsiders, there, -1);
        there = heist__load_acquire(outsiders); /* S3 */
    }
}

#endif
