/* Pools: making them, ending them, and questions to them. */
#include "schedule/pool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idle/backoff.h"
#include "idle/lending.h"
#include "platform/barrier.h"
#include "platform/futex.h"
#include "schedule/default_pool.h"
#include "schedule/error.h"
#include "schedule/fork.h"
#include "schedule/nesting.h"
#include "schedule/overflow.h"
#include "schedule/registry.h"
#include "schedule/stats.h"
#include "schedule/stress.h"
#include "schedule/submit.h"
#include "schedule/worker.h"
#include "schedule/worker_memory.h"
#include "schedule/worker_threads.h"
#include "topology/place.h"
#include "topology/quota.h"

void heist__note(heist_pool *pool, const char *format, ...)
{
    pthread_mutex_lock(&pool->lock);
    size_t used = strlen(pool->notes);
    if (used + 2 < sizeof pool->notes) { /* else the notes are full */
        if (used) pool->notes[used++] = '\n';
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(pool->notes + used, sizeof pool->notes - used, format, arguments);
        va_end(arguments);
    }
    pthread_mutex_unlock(&pool->lock);
}

void heist__note_late(heist_pool *pool, const char *sentence)
{
    pthread_mutex_lock(&pool->lock);
    if (!heist__load_relaxed(&pool->late_notes)) { /* relaxed: written under the lock */
        snprintf(pool->late, sizeof pool->late, "%s%s%s", pool->notes, pool->notes[0] ? "\n" : "", sentence);
        /* P3: the text is complete. Pairs with the load in heist_pool_notes. */
        heist__store_release(&pool->late_notes, pool->late);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* ---- making ---- */

static void pool_destroy(heist_pool *pool)
{
    if (pool->workers) {
        for (unsigned i = 0; i < pool->count; i++) heist__worker_free(pool->workers[i]);
    }
    free(pool->workers);
    if (pool->inboxes) {
        for (unsigned i = 0; i < pool->inbox_count; i++) heist__inbox_destroy(&pool->inboxes[i]);
    }
    free(pool->inboxes);
    free(pool->idle.sleepers);
    heist__cpu_occupancy_destroy(&pool->idle.occupancy);
    heist__detector_destroy(&pool->all);
    heist__machine_free(&pool->machine);
    heist__settings_free(&pool->settings);
    heist__waiters_forget(&pool->waiters);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

static int make_inboxes(heist_pool *pool)
{
    pool->batch = pool->settings.inbox / 16;
    if (pool->batch < 1) pool->batch = 1;
    if (pool->batch > HEIST__BATCH) pool->batch = HEIST__BATCH;
    pool->inboxes = aligned_alloc(HEIST__LINE, pool->machine.node_count * sizeof *pool->inboxes);
    if (!pool->inboxes) return -ENOMEM;
    for (; pool->inbox_count < pool->machine.node_count; pool->inbox_count++) {
        if (heist__inbox_init(&pool->inboxes[pool->inbox_count], pool->settings.inbox) < 0) return -ENOMEM;
    }
    return 0;
}

static int make_workers(heist_pool *pool)
{
    pool->workers = calloc(pool->count, sizeof *pool->workers);
    pool->idle.sleepers = calloc(pool->count, sizeof *pool->idle.sleepers);
    unsigned *pu_of = calloc(pool->count, sizeof *pu_of);
    int error = pool->workers && pool->idle.sleepers && pu_of ? 0 : -ENOMEM;
    if (!error) heist__place(&pool->machine, pool->settings.bind, pool->count, pu_of);
    for (unsigned i = 0; !error && i < pool->count; i++) {
        pool->workers[i] = heist__worker_new(pool, i, pu_of);
        if (!pool->workers[i])
            error = -ENOMEM;
        else
            pool->idle.sleepers[i] = &pool->workers[i]->sleeper;
        if (!error) pool->idle.sleepers[i]->number = i;
    }
    free(pu_of);
    return error;
}

/* Spinning rounds where workers share CPUs: a worker that waits takes the CPU from the one it waits for. (A searching
 * worker sees that by itself: cpu_occupancy.h.) */
#define SPIN_ON_SHARED_CPUS 4

static void make_occupancy(heist_pool *pool, unsigned cpus)
{
    pool->at_once = pool->count < cpus ? pool->count : cpus;
    if (pool->settings.waiting_spin) return; /* the caller or the environment chose it */
    pool->settings.waiting_spin = HEIST__SPIN_ROUNDS;
    pool->settings.sharing_spin = SPIN_ON_SHARED_CPUS;
    pool->spare = pool->count < cpus ? cpus - pool->count : 0;
    if (heist__cpu_occupancy_init(&pool->idle.occupancy, pool->count, cpus) == 0) return;
    heist__note(pool, "no memory to tell which workers share CPUs");
    if (pool->count > cpus) pool->settings.waiting_spin = SPIN_ON_SHARED_CPUS;
}

static pthread_mutex_t machine_lock = PTHREAD_MUTEX_INITIALIZER;

void heist__machine_lock(void)
{
    pthread_mutex_lock(&machine_lock);
}

void heist__machine_unlock(void)
{
    pthread_mutex_unlock(&machine_lock);
}

#if defined(HEIST_HAVE_HWLOC) && HEIST_HAVE_HWLOC
#define READABLE_MACHINE "a machine that hwloc can read"
#else
#define READABLE_MACHINE "of use to a heist that was built without hwloc"
#endif

static int load_machine(heist_pool *pool)
{
    heist__settings *s = &pool->settings;
    char note[HEIST__NOTE] = "";
    pthread_mutex_lock(&machine_lock);
    int error = heist__machine_load(&pool->machine, s->topology, note, sizeof note);
    if (error && error != -ENOMEM && s->topology && !s->topology_by_caller) {
        heist__passed_over("HEIST_TOPOLOGY", s->topology, READABLE_MACHINE);
        heist__note(pool, "HEIST_TOPOLOGY is ignored: %s", note);
        error = heist__machine_load(&pool->machine, NULL, note, sizeof note);
    }
    pthread_mutex_unlock(&machine_lock);
    if (error) return heist__fail(error, "%s", note[0] ? note : "the machine could not be read");
    if (note[0]) heist__note(pool, "%s", note);
    return 0;
}

/* Everything but the threads. */
static int pool_make(heist_pool *pool)
{
    int error = load_machine(pool);
    if (error) return error;
    bool sure;
    const unsigned cpus = heist__default_workers(&sure); /* of this machine, even if another is described */
    if (!sure) heist__note(pool, "no memory to find out what CPUs may be used: taken to be %u", cpus);
    pool->cpus = cpus;
    pool->count = pool->settings.workers ? pool->settings.workers : cpus;
    if (pool->settings.stress && !pool->settings.workers && pool->count < HEIST__STRESS_WORKERS)
        pool->count = HEIST__STRESS_WORKERS;
    if (pool->count > HEIST_MAX_WORKERS) pool->count = HEIST_MAX_WORKERS;
    make_occupancy(pool, cpus);
    heist__fit_memory(pool);
    bool available = heist__barrier_available();
    pool->idle.count = pool->count;
    pool->idle.fenced = pool->settings.fences == HEIST_FENCES_BOTH || !available;
    if (!available && pool->settings.fences == HEIST_FENCES_THIEF && pool->settings.strict)
        return heist__fail(-ENOTSUP, "the kernel refuses membarrier, and fences are to be the thief's");
    if (!available && pool->settings.fences != HEIST_FENCES_BOTH)
        heist__note(pool, "the kernel refuses membarrier: every spawn and join has a fence");
    if (!heist__futex_available())
        heist__note(pool, "the kernel refuses futex: threads that wait look every millisecond");
    if (heist__detector_init(&pool->all, pool->count) < 0 || make_inboxes(pool) < 0 || make_workers(pool) < 0)
        return heist__fail(-ENOMEM, "no memory for a pool of %u workers", pool->count);
    return 0;
}

static heist_pool *make_and_start(const heist_options *options)
{
    heist__settings settings;
    int error = heist__settings_read(&settings, options);
    heist_pool *pool = error ? NULL : aligned_alloc(_Alignof(heist_pool), sizeof *pool);
    if (!pool) {
        if (!error) heist__settings_free(&settings);
        errno = error ? -error : -heist__fail(-ENOMEM, "no memory for a pool");
        return NULL;
    }
    memset(pool, 0, sizeof *pool);
    pool->settings = settings;
    pool->made_at = heist__stats_now();
    pool->made_ticks = heist__ticks();
    pthread_mutex_init(&pool->lock, NULL);
    error = pool_make(pool);
    if (!error) error = heist__start_threads(pool);
    if (error) {
        pool_destroy(pool);
        errno = -error;
        return NULL;
    }
    heist__registry_add(pool);
    return pool;
}

heist_pool *heist_pool_new(const heist_options *options)
{
    int cancellable;
    heist__fork_hook();
    heist__overflow_install();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable); /* no half-made pool is left behind */
    heist_pool *pool = make_and_start(options);
    pthread_setcancelstate(cancellable, NULL);
    return pool;
}

/* ---- ending ---- */

int heist_pool_close(heist_pool *pool)
{
    if (!pool) return heist__fail(-EINVAL, "heist_pool_close: no pool");
    uint32_t open = HEIST__POOL_OPEN;
    heist__cas_seq_cst(&pool->state, &open, HEIST__POOL_ENDING);
    heist__fence_seq_cst(); /* S2: pairs with the fence in heist__submit */
    return 0;
}

static void end_pool(heist_pool *pool, heist_shutdown how, size_t *cancelled)
{
    heist__default_forget(pool);
    heist_pool_close(pool);
    if (!heist__load_acquire(&pool->forked)) { /* a forked child that never used the pool has nothing to end */
        /* Pairs with the load in heist__job_run: a job that begins before the load sees this still runs. */
        if (how == HEIST_CANCEL) {
            heist__store_seq_cst(&pool->state, HEIST__POOL_CANCELLING);
            heist__lending_tell_all(&pool->idle); /* K4: runs that wait for a seat are dropped */
        }
        heist__wait_outside(pool, &pool->all);
        heist__outsiders_await(&pool->outsiders); /* S3: they have been told of the end, and leave */
        if (cancelled) *cancelled = (size_t)heist__load_relaxed(&pool->cancelled); /* relaxed: T1 has ordered it */
        heist__stop_threads(pool);
        if (heist__stats_wanted()) heist__stats_print(pool);
    }
    heist__registry_remove(pool);
    pool_destroy(pool);
}

int heist_pool_shutdown(heist_pool *pool, heist_shutdown how, size_t *cancelled)
{
    if (cancelled) *cancelled = 0;
    if (!pool) return heist__fail(-EINVAL, "heist_pool_shutdown: no pool");
    if (how != HEIST_DRAIN && how != HEIST_CANCEL)
        return heist__fail(-EINVAL, "heist_pool_shutdown: how is %d", (int)how);
    if (heist__runs_for(heist__self(), pool))
        return heist__fail(-EDEADLK, "a pool cannot be ended by its own tasks, nor by what one of them waits for");
    if (!heist__registry_claim(pool)) return heist__fail(-EINVAL, "there is no such pool, or it is being ended");
    int cancellable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable); /* no half-ended pool is left behind */
    end_pool(pool, how, cancelled);
    pthread_setcancelstate(cancellable, NULL);
    return 0;
}

int heist_pool_free(heist_pool *pool)
{
    return pool ? heist_pool_shutdown(pool, HEIST_DRAIN, NULL) : 0;
}

void heist__wait_outside(heist_pool *pool, const heist__detector *detector)
{
    heist__waiters_wait(&pool->waiters, pool->idle.fenced, detector, heist__spare_here(pool));
}

int heist_pool_wait(heist_pool *pool)
{
    pool = heist__pool_resolve(pool);
    if (!pool) return -errno;
    heist__worker *w = heist__self();
    if (heist__runs_for(w, pool))
        return heist__fail(-EDEADLK, "a task cannot wait for its own pool, nor for one that waits for it");
    heist__outsider_enter(&pool->outsiders); /* S3 */
    heist__wait_outside(pool, &pool->all);
    bool dropped = heist__load_relaxed(&pool->cancelled) > 0; /* relaxed: T1 has ordered it */
    heist__outsider_leave(&pool->outsiders);                  /* S3: last touch of *pool */
    return dropped ? heist__fail(-ECANCELED, "the pool was shut down before all its tasks had begun") : 0;
}

/* ---- asking ---- */

unsigned heist_pool_workers(const heist_pool *pool)
{
    return pool ? pool->running : 0;
}

const char *heist_pool_notes(const heist_pool *pool)
{
    if (!pool) return "";
    const char *late = heist__load_acquire(&pool->late_notes); /* P3 */
    return late ? late : pool->notes;
}

int heist_worker_number(void)
{
    heist__worker *w = heist__self();
    return w ? (int)w->index : -1;
}

heist_pool *heist_current_pool(void)
{
    heist__worker *w = heist__self();
    return w ? w->pool : NULL;
}
