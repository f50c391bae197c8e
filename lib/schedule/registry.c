/* All pools of the process: for fork(), for ending each pool once, and for the statistics of pools that are never
 * ended. */
#include "schedule/registry.h"

#include "schedule/pool.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static heist_pool *pools;

/* How many pools have gone. Written by: under the lock. Read by: any thread. */
static HEIST__ATOMIC(uint32_t) removals;

void heist__registry_lock(void)
{
    pthread_mutex_lock(&lock);
    for (heist_pool *p = pools; p; p = p->next) pthread_mutex_lock(&p->lock);
}

void heist__registry_unlock(void)
{
    for (heist_pool *p = pools; p; p = p->next) pthread_mutex_unlock(&p->lock);
    pthread_mutex_unlock(&lock);
}

void heist__registry_visit_locked(void (*visit)(heist_pool *))
{
    for (heist_pool *p = pools; p; p = p->next) visit(p);
}

void heist__registry_add(heist_pool *pool)
{
    pthread_mutex_lock(&lock);
    pool->next = pools;
    pools = pool;
    pthread_mutex_unlock(&lock);
}

bool heist__registry_claim(heist_pool *pool)
{
    bool ours = false;
    pthread_mutex_lock(&lock);
    for (heist_pool *p = pools; p; p = p->next) {
        if (p != pool) continue;
        ours = !p->claimed;
        p->claimed = true;
    }
    pthread_mutex_unlock(&lock);
    return ours;
}

bool heist__registry_enter(heist_pool *pool)
{
    bool entered = false;
    pthread_mutex_lock(&lock);
    for (heist_pool *p = pools; p && !entered; p = p->next) entered = p == pool && !p->claimed;
    /* S3: the thread that claims the pool afterwards waits for this one */
    if (entered) heist__outsider_enter(&pool->outsiders);
    pthread_mutex_unlock(&lock);
    return entered;
}

bool heist__registry_knows(const heist_pool *pool)
{
    static _Thread_local const heist_pool *last;
    static _Thread_local uint32_t then;
    uint32_t now = heist__load_relaxed(&removals); /* relaxed: the user orders the end of a pool before its misuse */
    if (pool == last && now == then) return true;
    bool found = false;
    pthread_mutex_lock(&lock);
    for (heist_pool *p = pools; p; p = p->next) found = found || p == pool;
    pthread_mutex_unlock(&lock);
    if (found) {
        last = pool;
        then = now;
    }
    return found;
}

void heist__registry_remove(heist_pool *pool)
{
    pthread_mutex_lock(&lock);
    for (heist_pool **at = &pools; *at; at = &(*at)->next) {
        if (*at != pool) continue;
        *at = pool->next;
        heist__add_relaxed(&removals, 1); /* relaxed: as in heist__registry_knows */
        break;
    }
    pthread_mutex_unlock(&lock);
}

void heist__registry_visit(void (*visit)(heist_pool *))
{
    pthread_mutex_lock(&lock);
    for (heist_pool *p = pools; p; p = p->next) {
        if (!p->claimed && !heist__load_acquire(&p->forked)) visit(p); /* F1: else the workers are the parent's */
    }
    pthread_mutex_unlock(&lock);
}
