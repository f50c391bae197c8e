/* topology/quota.h: how many CPUs this process may use: the quotas of its control groups, and the number of workers
 * that follows from them and from the affinity mask. */
#ifndef HEIST_TOPOLOGY_QUOTA_H
#define HEIST_TOPOLOGY_QUOTA_H

#include <stdbool.h>

/* Reads the smallest quota on the way from this process's control group to the topmost visible one, of version 2
 * (cpu.max) and of version 1 (cpu.cfs_quota_us over cpu.cfs_period_us). *cpus becomes that quota in CPUs, rounded up
 * and at least 1, or 0 when there is no quota or none can be read: files that are missing or make no sense count as no
 * quota. `root` is put before every path that is read; NULL means this system, any other value a directory of a test.
 * Returns 0, or -ENOMEM with *cpus 0. */
int heist__cpu_quota(const char *root, unsigned *cpus);

/* The number of workers for a pool whose options give none: the CPUs of the calling thread's mask, or the quota if that
 * is less; at least 1. *sure (if not NULL) becomes false when there was no memory to read the mask, and the CPUs that
 * are online were counted instead; or when there was no memory to read the quota, so that there might be one. */
unsigned heist__default_workers(bool *sure);

/* The same with the quota under a test's `root`. */
unsigned heist__default_workers_at(const char *root, bool *sure);

#endif
