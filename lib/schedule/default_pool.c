/* The default pool: made on first use, ended at exit. */
#include "schedule/default_pool.h"

#include <stdbool.h>
#include <stdlib.h>

#include "schedule/fork.h"
#include "schedule/pool.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Written by: threads that hold the lock, and the thread that ends the pool. Read by: any thread. */
static HEIST__ATOMIC(heist_pool *) the_default;

void heist__default_lock(void)
{
    pthread_mutex_lock(&lock);
}

void heist__default_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void heist__default_forget(heist_pool *pool)
{
    heist_pool *same = pool;
    /* P2: a thread that wants the default pool from now on makes a new one */
    heist__cas_acq_rel(&the_default, &same, NULL);
}

static void end_default(void)
{
    /* P2. Refused if a task of the pool calls exit(): then the pool lives on. */
    heist_pool_free(heist__load_acquire(&the_default));
}

heist_pool *heist__default_if_made(void)
{
    return heist__load_acquire(&the_default); /* P2 */
}

heist_pool *heist_default_pool(void)
{
    heist_pool *pool = heist__load_acquire(&the_default); /* P2 */
    if (pool) return pool;
    heist__fork_hook();
    pthread_mutex_lock(&lock);
    pool = heist__load_acquire(&the_default);
    if (!pool) {
        static bool at_exit;
        pool = heist_pool_new(NULL);
        if (pool && !at_exit) at_exit = atexit(end_default) == 0;
        heist__store_release(&the_default, pool); /* P2: the pool is whole. Pairs with the loads of the_default. */
    }
    pthread_mutex_unlock(&lock);
    return pool;
}
