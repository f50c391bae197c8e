/* Waiting for quiescence. A waiter is listed, then passes a heavy barrier, then looks: a finisher that counts after that
 * look sees the list (T4). Finishers look only when they run out of tasks of the same scope.
 *
 * The list has a lock, and whoever holds it may be descheduled. Finishers have other work to do and do not wait for it: they
 * leave word, and whoever lets the list go looks for that (T6). */
#include "schedule/worker.h"

#include "platform/barrier.h"
#include "platform/futex.h"

/* With the list locked. */
static void tell_the_quiet(heist_pool *pool)
{
    heist__exchange_seq_cst(&pool->news, 0); /* T6: who left word before has its count seen below */
    for (heist__waiter *waiter = pool->waiters; waiter; waiter = waiter->next) {
        if (heist__load_relaxed(&waiter->quiet) || !heist__detector_quiet(waiter->detector))
            continue;                            /* relaxed: locked */
        heist__store_release(&waiter->quiet, 1); /* T5. Pairs with the waiter's load. */
        heist__futex_wake(&waiter->quiet, 1);
    }
}

/* After leaving word, and after letting the list go: one of the two sees the other. */
static void pass_on_news(heist_pool *pool)
{
    for (;;) {
        heist__fence_seq_cst(); /* T6: before the looks at the word and at the lock */
        if (!heist__load_relaxed(&pool->news) || pthread_mutex_trylock(&pool->lock) != 0) return; /* relaxed: T6 */
        tell_the_quiet(pool);
        pthread_mutex_unlock(&pool->lock);
    }
}

void heist__tell_waiters(heist_pool *pool)
{
    heist__compiler_barrier();                            /* T4: the waiter's barrier orders counting and this load */
    if (pool->idle.fenced) heist__fence_seq_cst();        /* T4, fence mode */
    if (heist__load_relaxed(&pool->waiting) == 0) return; /* relaxed: T4 orders it */
    /* T6: after counting. An exchange, so that the last one brings with it all that came before. */
    heist__exchange_seq_cst(&pool->news, 1);
    pass_on_news(pool);
}

void heist__waiters_unlock(heist_pool *pool)
{
    pthread_mutex_unlock(&pool->lock);
    pass_on_news(pool);
}

bool heist__waiter_add(heist_pool *pool, heist__waiter *waiter, const heist__detector *detector)
{
    waiter->detector = detector;
    heist__store_relaxed(&waiter->quiet, 0); /* relaxed: the lock publishes it */
    pthread_mutex_lock(&pool->lock);
    waiter->next = pool->waiters;
    pool->waiters = waiter;
    heist__store_relaxed(&pool->waiting, heist__load_relaxed(&pool->waiting) + 1); /* relaxed: T4 orders it */
    heist__waiters_unlock(pool);
    return heist__heavy_barrier(pool->idle.fenced); /* T4 */
}

void heist__waiter_remove(heist_pool *pool, heist__waiter *waiter)
{
    pthread_mutex_lock(&pool->lock);
    heist__waiter **at = &pool->waiters;
    while (*at != waiter) at = &(*at)->next;
    *at = waiter->next;
    heist__store_relaxed(&pool->waiting, heist__load_relaxed(&pool->waiting) - 1); /* relaxed: locked */
    heist__waiters_unlock(pool);
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
