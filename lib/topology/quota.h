/* topology/quota.h: how much CPU time this process may use at once: the control groups' quotas, and the number of
 * workers that follows from them and from the affinity mask. */
#ifndef HEIST_TOPOLOGY_QUOTA_H
#define HEIST_TOPOLOGY_QUOTA_H

#include <stdbool.h>

/* Reads the smallest quota on the way from this process's control group to the topmost one that can be seen, of version
 * 2 (cpu.max) and of version 1 (cpu.cfs_quota_us over cpu.cfs_period_us). *cpus becomes that many CPUs, rounded up and
 * at least 1, or 0 when there is no quota or none can be read: files that are missing or make no sense are no quota.
 * `root` is put before every path that is read; NULL is this system, anything else is a test's picture of one.
 * Returns 0, or -ENOMEM with *cpus 0. */
int heist__cpu_quota(const char *root, unsigned *cpus);

/* The number of workers for a pool that was told none: the CPUs of the calling thread's mask, or the quota if that is
 * less; at least 1. *sure (if not NULL) becomes false when there was no memory to read the mask, and the CPUs that are
 * online were counted instead, or none to read the quota, and there might be one. */
unsigned heist__default_workers(bool *sure);

/* The same with the quota of a test's picture. */
unsigned heist__default_workers_at(const char *root, bool *sure);

#endif
