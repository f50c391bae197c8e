/* schedule/default_pool.h: the default pool, for the files that end pools and for fork(). */
#ifndef HEIST_SCHEDULE_DEFAULT_POOL_H
#define HEIST_SCHEDULE_DEFAULT_POOL_H

#include <heist/pool.h>

/* The default pool, or NULL if it has not been made. */
heist_pool *heist__default_if_made(void);

/* If `pool` is the default pool, there is none from now on. */
void heist__default_forget(heist_pool *pool);

/* Held during fork(). */
void heist__default_lock(void);
void heist__default_unlock(void);

#endif
