/* Pools and fork().
 *
 * A forked child has the pools' memory but none of their threads. It marks the pools, and the first use of each starts
 * its workers again with nothing to do: tasks that were waiting belong to the parent. The thread that forked is no
 * worker in the child, even if it was one in the parent. */
#include "schedule/fork.h"

#include <errno.h>
#include <string.h>

#include "idle/outside_spin.h"
#include "schedule/default_pool.h"
#include "schedule/error.h"
#include "schedule/overflow.h"
#include "schedule/pool.h"
#include "schedule/registry.h"
#include "schedule/seat.h"
#include "schedule/stats.h"
#include "schedule/worker.h"
#include "schedule/worker_memory.h"
#include "schedule/worker_threads.h"

static pthread_mutex_t restart_lock = PTHREAD_MUTEX_INITIALIZER;

/* Drops the work of the parent's workers, which the child must not run: the deques become empty, no worker sleeps,
 * nothing is counted. */
static int forget_parent(heist_pool *pool)
{
    heist__waiters_forget(&pool->waiters);
    pool->watch.running = false;
    /* relaxed throughout: no worker runs; starting the threads publishes these */
    heist__store_relaxed(&pool->wanting_room, 0);
    heist__store_relaxed(&pool->outsiders, 0);
    heist__idle_clear(&pool->idle);
    memset(pool->all.tallies, 0, ((size_t)pool->count + 1) * sizeof *pool->all.tallies);
    for (unsigned i = 0; i < pool->inbox_count; i++) {
        heist__inbox_destroy(&pool->inboxes[i]);
        if (heist__inbox_init(&pool->inboxes[i], pool->settings.inbox) < 0) return -ENOMEM;
    }
    for (unsigned i = 0; i < pool->count; i++) {
        heist__worker *w = pool->workers[i];
        heist_deque_free(w->jobs);
        w->jobs = heist__deque_new_in(w->job_room);
        heist__task_deque_destroy(&w->tasks);
        if (heist__task_deque_init(&w->tasks, pool->settings.slots, pool->idle.fenced) < 0) return -ENOMEM;
        heist__counter_set(&w->counters.slots_ready, (uint64_t)(w->tasks.end - w->tasks.slots));
        heist__counter_set(&w->counters.lent_since, 0);
        heist__counter_set(&w->counters.asleep_since, 0);
        heist__counter_set(&w->counters.searching_since, 0);
        heist__worker_place_memory(w);
        heist__store_relaxed(&w->depth, 0);
        heist__store_relaxed(&w->waits_on, 0);
        heist__store_relaxed(&w->awaits, 0);
        w->left_behind = 0;
        heist__store_relaxed(&w->join_asleep, 0);
        w->children_joined = heist__load_relaxed(&w->children_done);
        w->outer = NULL;
        heist__overflow_forget(w->signal_stack);
        w->signal_stack = NULL;
        w->running = false;
    }
    return 0;
}

static int restart(heist_pool *pool)
{
    int error = 0;
    pthread_mutex_lock(&restart_lock);
    if (heist__load_acquire(&pool->forked)) { /* F1 */
        error = forget_parent(pool);
        if (!error) error = heist__start_threads(pool);
        if (!error) heist__store_release(&pool->forked, 0); /* F1 */
    }
    pthread_mutex_unlock(&restart_lock);
    return error;
}

heist_pool *heist__pool_resolve(heist_pool *pool)
{
    heist__worker *w = heist__self();
    if (!pool) pool = w ? w->pool : heist_default_pool();
    if (pool && !(w && w->pool == pool) && !heist__registry_knows(pool)) {
        errno = -heist__fail(-EINVAL, "there is no such pool, or it has ended");
        return NULL;
    }
    if (!pool || !heist__load_acquire(&pool->forked)) return pool; /* F1 */
    int error = restart(pool);
    if (!error) return pool;
    errno = -heist__fail(error, "the pool could not be started again after fork");
    return NULL;
}

bool heist__pool_enter(heist_pool *pool)
{
    if (!heist__registry_enter(pool)) return false;
    if (!heist__load_acquire(&pool->forked)) return true; /* F1 */
    heist__outsider_leave(&pool->outsiders);              /* S3: the outsiders are counted anew */
    return heist__pool_resolve(pool) && heist__registry_enter(pool);
}

/* ---- around fork() ---- */

static void before_fork(void)
{
    heist__default_lock(); /* first: these are held while a pool is added */
    pthread_mutex_lock(&restart_lock);
    heist__machine_lock();
    heist__registry_lock();
    heist__stats_lock();
}

static void after_fork(void)
{
    heist__stats_unlock();
    heist__registry_unlock();
    heist__machine_unlock();
    pthread_mutex_unlock(&restart_lock);
    heist__default_unlock();
}

static void mark_forked(heist_pool *pool)
{
    heist__store_release(&pool->forked, 1); /* F1: the child has one thread; it and the threads it starts see this */
}

static void after_fork_in_child(void)
{
    heist__registry_visit_locked(mark_forked);
    heist__seat_forget();
    heist__outside_spin_forget();
    after_fork(); /* the thread that took the locks is the one that goes on in the child */
}

static void hook(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void heist__fork_hook(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, hook);
}
