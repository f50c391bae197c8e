/* The threads of a pool's workers: starting and ending them. */
#include "schedule/worker_threads.h"

#include <errno.h>
#include <string.h>

#include "platform/futex.h"
#include "schedule/error.h"
#include "schedule/pool.h"
#include "schedule/watch.h"
#include "schedule/worker.h"
#include "schedule/worker_memory.h"

static int create_thread(heist__worker *w, size_t stack_size)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error) return error;
    error = pthread_attr_setstacksize(&attributes, stack_size); /* the system's guard page is the default */
    if (!error) error = pthread_create(&w->thread, &attributes, heist__worker_main, w);
    pthread_attr_destroy(&attributes);
    return error;
}

static int start_thread(heist__worker *w)
{
    const heist__settings *s = &w->pool->settings;
    int error = create_thread(w, s->stack_size);
    size_t smaller = s->stack_size;
    while (error == EAGAIN && s->stack_by_default && (smaller /= 2) >= HEIST__SMALLEST_STACK) {
        error = create_thread(w, smaller);
        if (!error) heist__note(w->pool, "worker %u has a stack of %zu KiB only", w->index, smaller >> 10);
    }
    w->running = !error;
    return -error;
}

void heist__stop_threads(heist_pool *pool)
{
    heist__watch_stop(pool);
    heist__store_seq_cst(&pool->stop, 1); /* I1: before the sleepers are woken, which look at it then */
    heist__idle_wake_all(&pool->idle);
    for (unsigned i = 0; i < pool->count; i++) {
        heist__worker *w = pool->workers[i];
        if (w && w->running) pthread_join(w->thread, NULL);
        if (w) w->running = false;
    }
}

/* Waits until `started` workers run, and handles their errors of binding. */
static int await_workers(heist_pool *pool, unsigned started)
{
    uint32_t ready;
    /* P1 */
    while ((ready = heist__load_acquire(&pool->ready)) < started) heist__futex_wait(&pool->ready, ready, -1);
    for (unsigned i = 0; i < started; i++) {
        int error = pool->workers[i]->bind_error;
        if (!error) continue;
        if (pool->settings.strict) return heist__fail(error, "worker %u could not be bound: %s", i, strerror(-error));
        heist__note(pool, "worker %u runs unbound: %s", i, strerror(-error));
    }
    return 0;
}

int heist__start_threads(heist_pool *pool)
{
    /* Workers look at each other from the first moment, so the number must be right before any of them looks. Workers
     * whose threads cannot be started never push, and thieves find them empty. */
    heist__store_seq_cst(&pool->stop, 0); /* these two: pthread_create gives them to the workers */
    heist__store_seq_cst(&pool->ready, 0);
    unsigned started = 0;
    int error = 0;
    while (started < pool->count && !error) {
        error = start_thread(pool->workers[started]);
        if (!error) started++;
    }
    if (error && (started == 0 || pool->settings.strict)) {
        heist__stop_threads(pool);
        return heist__fail(error, "%u of %u workers could be started: %s", started, pool->count, strerror(-error));
    }
    if (error) heist__note(pool, "%u of %u workers could be started: %s", started, pool->count, strerror(-error));
    pool->running = started;
    pool->idle.present = started;
    error = await_workers(pool, started);
    if (error) {
        heist__stop_threads(pool);
    } else {
        heist__watch_start(pool);
    }
    return error;
}
