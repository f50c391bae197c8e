/* Waiting for quiescence. A waiter is listed, then passes a heavy barrier, then looks: a finisher that counts after that
 * look sees the list (T4). Finishers look only when they run out of tasks of the same scope. */
#include "schedule/worker.h"

#include "platform/barrier.h"
#include "platform/futex.h"

bool heist__waiter_add(heist_pool *pool, heist__waiter *waiter, const heist__detector *detector)
{
    waiter->detector = detector;
    heist__store_relaxed(&waiter->quiet, 0); /* relaxed: the lock publishes it */
    pthread_mutex_lock(&pool->lock);
    waiter->next = pool->waiters;
    pool->waiters = waiter;
    heist__store_relaxed(&pool->waiting, heist__load_relaxed(&pool->waiting) + 1); /* relaxed: T4 orders it */
    pthread_mutex_unlock(&pool->lock);
    return heist__heavy_barrier(pool->idle.fenced); /* T4 */
}

void heist__waiter_remove(heist_pool *pool, heist__waiter *waiter)
{
    pthread_mutex_lock(&pool->lock);
    heist__waiter **at = &pool->waiters;
    while (*at != waiter) at = &(*at)->next;
    *at = waiter->next;
    heist__store_relaxed(&pool->waiting, heist__load_relaxed(&pool->waiting) - 1); /* relaxed: locked */
    pthread_mutex_unlock(&pool->lock);
}

void heist__wait_outside(heist_pool *pool, const heist__detector *detector)
{
    heist__waiter waiter;
    int64_t nap_ns = heist__waiter_add(pool, &waiter, detector) ? -1 : 1000000;
    while (!heist__load_acquire(&waiter.quiet) && !heist__detector_quiet(detector)) { /* T5, T1 */
        heist__futex_wait(&waiter.quiet, 0, nap_ns);
    }
    heist__waiter_remove(pool, &waiter);
}
