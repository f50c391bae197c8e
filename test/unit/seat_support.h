/* seat_support.h: shared by the tests of seats: waiting for another thread, and for workers that sleep. */
#ifndef SEAT_SUPPORT_H
#define SEAT_SUPPORT_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include <heist/heist.h>

#include "schedule/pool.h"
#include "support.h"
#include "unity.h"

static atomic_int wrong;
#define CHECK(good) ((good) ? (void)0 : (void)atomic_fetch_add(&wrong, 1))

static atomic_int ran;

static inline void count_one(void *unused)
{
    (void)unused;
    atomic_fetch_add(&ran, 1);
}

static inline void await(atomic_int *flag, int value)
{
    while (atomic_load(flag) < value) sched_yield(); /* the watchdog ends it if it never comes */
}

/* Until all of the pool's own threads sleep: then there is a free seat, also beside other callers. */
static inline void let_them_sleep(heist_pool *pool)
{
    while (heist__load_seq_cst(&pool->idle.asleep) != heist_pool_workers(pool)) sched_yield();
}

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

/* ---- all seats are taken ---- */

typedef struct {
    heist_pool *pool;
    sem_t begun, go;
    int error;
} holder;

static inline void hold(void *argument)
{
    holder *h = argument;
    sem_post(&h->begun);
    while (sem_wait(&h->go) != 0) {
    }
}

static inline void *run_once(void *argument)
{
    holder *h = argument;
    h->error = heist_run(h->pool, hold, h);
    return NULL;
}

static inline void holder_begin(holder *h, heist_pool *pool, pthread_t *thread)
{
    h->pool = pool;
    h->error = 1;
    sem_init(&h->begun, 0, 0);
    sem_init(&h->go, 0, 0);
    pthread_create(thread, NULL, run_once, h);
    while (sem_wait(&h->begun) != 0) {
    }
}

static inline void *run_count(void *pool)
{
    return (void *)(intptr_t)heist_run(pool, count_one, NULL);
}

/* Until so many callers wait, for a seat or, if that took long, for a worker. */
static inline void await_waiting(heist_pool *pool, size_t callers)
{
    size_t waiting = 0;
    while (waiting < callers) {
        waiting = heist__load_seq_cst(&pool->idle.wanting);
        for (unsigned i = 0; i < pool->inbox_count; i++) waiting += heist__inbox_size(&pool->inboxes[i]);
        sched_yield();
    }
}

#endif
