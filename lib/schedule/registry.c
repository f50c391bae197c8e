/* All pools of the process: for fork(), for ending each once, and for what is printed of those that nobody ends.
 *
 * A forked child has the pools' memory but none of their threads. It marks them, and the first use of each starts its
 * workers again with nothing to do: what was waiting belongs to the parent. The thread that forked is no worker in the
 * child, even if it was one in the parent. */
#include <stdlib.h>

#include "idle/linger.h"
#include "schedule/worker.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static heist_pool *pools;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    heist__pool_before_fork(); /* first: these are held while a pool is added */
    pthread_mutex_lock(&lock);
    for (heist_pool *p = pools; p; p = p->next) pthread_mutex_lock(&p->lock);
}

static void after_fork(void)
{
    for (heist_pool *p = pools; p; p = p->next) pthread_mutex_unlock(&p->lock);
    pthread_mutex_unlock(&lock);
    heist__pool_after_fork();
}

static void after_fork_in_child(void)
{
    /* F1: there is one thread here; it and those it starts see it */
    for (heist_pool *p = pools; p; p = p->next) heist__store_release(&p->forked, 1);
    heist__set_self(NULL);
    heist__linger_forget();
    after_fork(); /* the thread that took the locks is the one that goes on */
}

static void hook_fork(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void heist__registry_hook_fork(void)
{
    pthread_once(&once, hook_fork);
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

void heist__registry_remove(heist_pool *pool)
{
    pthread_mutex_lock(&lock);
    for (heist_pool **at = &pools; *at; at = &(*at)->next) {
        if (*at != pool) continue;
        *at = pool->next;
        break;
    }
    pthread_mutex_unlock(&lock);
}

void heist__registry_visit(void (*visit)(heist_pool *))
{
    pthread_mutex_lock(&lock);
    for (heist_pool *p = pools; p; p = p->next) {
        if (!p->claimed && !heist__load_acquire(&p->forked)) visit(p); /* F1: else it is the parent's */
    }
    pthread_mutex_unlock(&lock);
}
