/* schedule/registry.h: all pools of the process. */
#ifndef HEIST_SCHEDULE_REGISTRY_H
#define HEIST_SCHEDULE_REGISTRY_H

#include <stdbool.h>

#include <heist/pool.h>

void heist__registry_add(heist_pool *pool);

/* Whether `pool`, which may be any address, is a pool that no other thread ends. If so, the caller must end it. */
bool heist__registry_claim(heist_pool *pool);
void heist__registry_remove(heist_pool *pool);

/* Calls `visit` for each pool that this process has started and no thread ends, with the registry locked. */
void heist__registry_visit(void (*visit)(heist_pool *));

/* Around fork(): locks the registry and every pool's notes; meanwhile every pool can be visited. */
void heist__registry_lock(void);
void heist__registry_unlock(void);
void heist__registry_visit_locked(void (*visit)(heist_pool *));

/* Whether `pool`, which may be any address, is a pool that no thread ends. If so, the caller is counted among its
 * outsiders, and must leave. */
bool heist__registry_enter(heist_pool *pool);

/* Whether the pool exists. Costs a lock at the first call of a thread after a pool has gone. */
bool heist__registry_knows(const heist_pool *pool);

#endif
