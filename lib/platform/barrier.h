/* The heavy half of an asymmetric fence. The light half is a compiler barrier between a store and a load (a worker's
 * push or pop); the heavy half makes every running thread of the process pass a full fence, so that in each pair one
 * side sees the other's store. Linux gives it as membarrier(PRIVATE_EXPEDITED). */
#ifndef HEIST_PLATFORM_BARRIER_H
#define HEIST_PLATFORM_BARRIER_H

#include <stdbool.h>

/* Whether membarrier may be used; registers the process for it on the first call. */
bool heist__barrier_available(void);

/* The heavy half. `fenced`: the light half has a fence of its own, so a fence is enough here. Returns false when the
 * kernel refused a call that it had accepted before: then the caller may conclude nothing. */
bool heist__heavy_barrier(bool fenced);

/* Whether the kernel has refused such a call. A worker that cannot conclude that it may sleep looks again; if this is
 * true it sleeps for a moment before it does. */
bool heist__barrier_lost(void);

#endif
