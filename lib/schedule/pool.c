/* Pools: making, starting, ending, and the default one. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/barrier.h"
#include "platform/futex.h"
#include "schedule/worker.h"
#include "topology/quota.h"

/* Blocks of detached tasks that a worker keeps. */
#define KEPT_BLOCKS 256

/* The smallest stack that a worker is given when nobody asked for a size and the system has no more. */
#define SMALLEST_STACK ((size_t)256 << 10)

/* The fewest tasks from elsewhere that may nest on one worker. */
#define LEAST_LEVELS 1024

void heist__note(heist_pool *pool, const char *format, ...)
{
    pthread_mutex_lock(&pool->lock);
    size_t used = strlen(pool->notes);
    if (used + 2 < sizeof pool->notes) { /* else they are full */
        if (used) pool->notes[used++] = '\n';
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(pool->notes + used, sizeof pool->notes - used, format, arguments);
        va_end(arguments);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* ---- workers ---- */

static void worker_free(heist__worker *w)
{
    if (!w) return;
    heist__frames_destroy(&w->frames);
    if (w->levels) munmap(w->levels, w->pool->levels * sizeof *w->levels);
    heist_deque_free(w->loose);
    heist__object_pool_destroy(&w->blocks);
    heist__victims_free(&w->victims, NULL);
    munmap(w, sizeof *w);
}

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    madvise(p, bytes, MADV_NOHUGEPAGE); /* refusal costs memory only */
    return p;
}

/* What a mapping of `bytes` has in fact; smaller things than a page cannot be placed. */
static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* Puts a worker, its slots and its levels onto its node. */
static void place_memory(heist__worker *w)
{
    const heist__machine *m = &w->pool->machine;
    int placed = heist__prefer_node(w, whole_pages(sizeof *w), m, w->pu);
    if (placed == 0) placed = heist__prefer_node(w->frames.slots - 1, whole_pages(w->frames.bytes), m, w->pu);
    if (placed == 0) placed = heist__prefer_node(w->levels, whole_pages(w->pool->levels * sizeof *w->levels), m, w->pu);
    if (placed < 0 && placed != -ENOTSUP)
        heist__note(w->pool, "worker %u: its memory may be on another node", w->index);
}

/* A worker with its memory on its node. Its thread is started later. */
static heist__worker *worker_new(heist_pool *pool, unsigned index, const unsigned *pu_of)
{
    heist__worker *w = reserve(sizeof *w); /* zero */
    if (!w) return NULL;
    w->pool = pool;
    w->index = index;
    w->pu = pu_of[index];
    w->node = pool->machine.pus[w->pu].node;
    heist__random_seed(&w->random, pool->settings.seed, index);
    heist__strategy_init(&w->strategy, pool->settings.strategy);
    heist__object_pool_init(&w->blocks, HEIST__LOOSE_BLOCK, KEPT_BLOCKS);
    w->levels = reserve(pool->levels * sizeof *w->levels);
    w->loose = heist__deque_new_in(w->loose_room);
    if (!w->levels || heist__frames_init(&w->frames, pool->settings.slots, pool->idle.fenced) < 0 ||
        heist__victims_init(&w->victims, &pool->machine, pu_of, pool->count, index, NULL) < 0) {
        worker_free(w);
        return NULL;
    }
    place_memory(w);
    return w;
}

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
    while (error == EAGAIN && s->stack_by_default && (smaller /= 2) >= SMALLEST_STACK) {
        error = create_thread(w, smaller);
        if (!error) heist__note(w->pool, "worker %u has a stack of %zu KiB only", w->index, smaller >> 10);
    }
    w->running = !error;
    return -error;
}

static void stop_threads(heist_pool *pool)
{
    heist__store_seq_cst(&pool->stop, 1); /* I1: before the sleepers are roused, who look at it then */
    heist__idle_wake_all(&pool->idle);
    for (unsigned i = 0; i < pool->count; i++) {
        heist__worker *w = pool->workers[i];
        if (w && w->running) pthread_join(w->thread, NULL);
        if (w) w->running = false;
    }
}

/* ---- starting ---- */

/* Waits until `started` workers run, and looks at what they could not do. */
static int await_workers(heist_pool *pool, unsigned started)
{
    uint32_t ready;
    while ((ready = heist__load_acquire(&pool->ready)) < started) heist__futex_wait(&pool->ready, ready, -1); /* P1 */
    for (unsigned i = 0; i < started; i++) {
        int error = pool->workers[i]->bind_error;
        if (!error) continue;
        if (pool->settings.strict) return heist__fail(error, "worker %u could not be bound: %s", i, strerror(-error));
        heist__note(pool, "worker %u runs unbound: %s", i, strerror(-error));
    }
    return 0;
}

int heist__pool_start(heist_pool *pool)
{
    /* Workers look at each other from the first moment, so the number must be right before any of them looks. Threads that
     * cannot be had leave workers that never push, which thieves find empty. */
    heist__store_seq_cst(&pool->stop, 0); /* these two: pthread_create gives them to the workers */
    heist__store_seq_cst(&pool->ready, 0);
    unsigned started = 0;
    int error = 0;
    while (started < pool->count && !error) {
        error = start_thread(pool->workers[started]);
        if (!error) started++;
    }
    if (error && (started == 0 || pool->settings.strict)) {
        stop_threads(pool);
        return heist__fail(error, "%u of %u workers could be started: %s", started, pool->count, strerror(-error));
    }
    if (error) heist__note(pool, "%u of %u workers could be started: %s", started, pool->count, strerror(-error));
    pool->running = started;
    error = await_workers(pool, started);
    if (error) stop_threads(pool);
    return error;
}

/* ---- making ---- */

static void pool_destroy(heist_pool *pool)
{
    if (pool->workers) {
        for (unsigned i = 0; i < pool->count; i++) worker_free(pool->workers[i]);
    }
    free(pool->workers);
    if (pool->inboxes) {
        for (unsigned i = 0; i < pool->inbox_count; i++) heist__inbox_destroy(&pool->inboxes[i]);
    }
    free(pool->inboxes);
    free(pool->idle.sleepers);
    heist__crowd_destroy(&pool->idle.crowd);
    heist__detector_destroy(&pool->all);
    heist__machine_free(&pool->machine);
    heist__settings_free(&pool->settings);
    heist__waiters_forget(pool);
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
        pool->workers[i] = worker_new(pool, i, pu_of);
        if (!pool->workers[i])
            error = -ENOMEM;
        else
            pool->idle.sleepers[i] = &pool->workers[i]->sleeper;
    }
    free(pu_of);
    return error;
}

/* Address space is reserved freely, unless the process has a limit: then each worker gets its share. */
static void fit_address_space(heist_pool *pool)
{
    struct rlimit limit;
    heist__settings *s = &pool->settings;
    pool->levels = HEIST__MAX_LEVELS;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    size_t share = (size_t)limit.rlim_cur / 8 / pool->count; /* for each of three reservations */
    if (pool->levels > share / sizeof(heist__run_level)) pool->levels = (uint32_t)(share / sizeof(heist__run_level));
    if (pool->levels < LEAST_LEVELS) pool->levels = LEAST_LEVELS;
    if (s->slots > share / sizeof(heist_slot)) s->slots = share / sizeof(heist_slot);
    if (s->slots < 1024) s->slots = 1024;
    if (s->stack_by_default && s->stack_size > share) s->stack_size = share > SMALLEST_STACK ? share : SMALLEST_STACK;
    s->stack_size &= ~(size_t)4095;
    heist__note(pool, "the address space is limited: %zu slots and %zu KiB of stack for each worker", s->slots,
                s->stack_size >> 10);
}

/* Where workers share CPUs, who waits takes the CPU from the one it waits for. (Who searches sees that by itself: crowd.h.) */
#define SPIN_ON_SHARED_CPUS 4

static void make_crowd(heist_pool *pool, unsigned cpus)
{
    pool->at_once = pool->count < cpus ? pool->count : cpus;
    if (pool->settings.waiting_spin) return; /* somebody knows better, and means it */
    pool->settings.waiting_spin = HEIST__DEFAULT_SPIN;
    pool->settings.sharing_spin = SPIN_ON_SHARED_CPUS;
    pool->spare = pool->count < cpus ? cpus - pool->count : 0;
    if (heist__crowd_init(&pool->idle.crowd, pool->count, cpus) == 0) return;
    heist__note(pool, "no memory to tell which workers share CPUs");
    if (pool->count > cpus) pool->settings.waiting_spin = SPIN_ON_SHARED_CPUS;
}

/* Held while hwloc may hold a lock of its own, so that fork() does not fall into that. */
static pthread_mutex_t machine_lock = PTHREAD_MUTEX_INITIALIZER;

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
    const unsigned cpus = heist__default_workers(&sure); /* of this machine, whatever is described */
    if (!sure) heist__note(pool, "no memory to find out what CPUs may be used: taken to be %u", cpus);
    pool->count = pool->settings.workers ? pool->settings.workers : cpus;
    if (pool->count > HEIST_MAX_WORKERS) pool->count = HEIST_MAX_WORKERS;
    make_crowd(pool, cpus);
    fit_address_space(pool);
    bool available = heist__barrier_available();
    pool->idle.count = pool->count;
    pool->idle.fenced = pool->settings.fences == HEIST_FENCES_BOTH || !available;
    if (!available && pool->settings.fences == HEIST_FENCES_THIEF && pool->settings.strict)
        return heist__fail(-ENOTSUP, "the kernel refuses membarrier, and fences are to be the thief's");
    if (!available && pool->settings.fences != HEIST_FENCES_BOTH)
        heist__note(pool, "the kernel refuses membarrier: every spawn and join has a fence");
    if (!heist__futex_available()) heist__note(pool, "the kernel refuses futex: who waits looks every millisecond");
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
    pthread_mutex_init(&pool->lock, NULL);
    error = pool_make(pool);
    if (!error) error = heist__pool_start(pool);
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
    heist__registry_hook_fork();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable); /* no half of a pool is left behind */
    heist_pool *pool = make_and_start(options);
    pthread_setcancelstate(cancellable, NULL);
    return pool;
}

/* ---- after fork ---- */

static pthread_mutex_t restart_lock = PTHREAD_MUTEX_INITIALIZER;

/* What the parent's workers left behind is not ours: the deques are empty, nobody sleeps, nothing is counted. */
static int forget_parent(heist_pool *pool)
{
    heist__waiters_forget(pool);
    /* relaxed throughout: no worker runs; starting the threads publishes it */
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
        heist_deque_free(w->loose);
        w->loose = heist__deque_new_in(w->loose_room);
        heist__frames_destroy(&w->frames);
        if (heist__frames_init(&w->frames, pool->settings.slots, pool->idle.fenced) < 0) return -ENOMEM;
        place_memory(w);
        heist__store_relaxed(&w->depth, 0);
        heist__store_relaxed(&w->waits_on, 0);
        heist__store_relaxed(&w->join_asleep, 0);
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
        if (!error) error = heist__pool_start(pool);
        if (!error) heist__store_release(&pool->forked, 0); /* F1 */
    }
    pthread_mutex_unlock(&restart_lock);
    return error;
}

heist_pool *heist__pool_resolve(heist_pool *pool)
{
    heist__worker *w = heist__self();
    if (!pool) pool = w ? w->pool : heist_default_pool();
    if (!pool || !heist__load_acquire(&pool->forked)) return pool; /* F1 */
    int error = restart(pool);
    if (!error) return pool;
    errno = -heist__fail(error, "the pool could not be started again after fork");
    return NULL;
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

static HEIST__ATOMIC(heist_pool *) the_default; /* Written by: under default_lock, or who ends it. Read by: anybody. */

static void end_pool(heist_pool *pool, heist_shutdown how, size_t *cancelled)
{
    heist_pool *same = pool;
    heist__cas_acq_rel(&the_default, &same, NULL); /* P2: whoever wants the default pool from now on makes a new one */
    heist_pool_close(pool);
    if (!heist__load_acquire(&pool->forked)) { /* a forked child that never used the pool has nothing to end */
        /* Pairs with the load in heist__loose_run: what is begun before it is seen runs. */
        if (how == HEIST_CANCEL) heist__store_seq_cst(&pool->state, HEIST__POOL_CANCELLING);
        heist__wait_outside(pool, &pool->all);
        while (heist__load_acquire(&pool->outsiders)) sched_yield(); /* S3: they have been told, and leave */
        if (cancelled) *cancelled = (size_t)heist__load_relaxed(&pool->cancelled); /* relaxed: T1 has ordered it */
        stop_threads(pool);
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
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable); /* no half of a pool is left behind */
    end_pool(pool, how, cancelled);
    pthread_setcancelstate(cancellable, NULL);
    return 0;
}

int heist_pool_free(heist_pool *pool)
{
    return pool ? heist_pool_shutdown(pool, HEIST_DRAIN, NULL) : 0;
}

int heist_pool_wait(heist_pool *pool)
{
    pool = heist__pool_resolve(pool);
    if (!pool) return -errno;
    heist__worker *w = heist__self();
    if (heist__runs_for(w, pool))
        return heist__fail(-EDEADLK, "a task cannot wait for its own pool, nor for one that waits for it");
    heist__add_acq_rel(&pool->outsiders, 1); /* S3: as in heist__submit */
    heist__wait_outside(pool, &pool->all);
    bool dropped = heist__load_relaxed(&pool->cancelled) > 0; /* relaxed: T1 has ordered it */
    heist__add_acq_rel(&pool->outsiders, (uint32_t)-1);       /* S3: last touch of *pool */
    return dropped ? heist__fail(-ECANCELED, "the pool was shut down before all its tasks had begun") : 0;
}

/* ---- the default pool ---- */

static pthread_mutex_t default_lock = PTHREAD_MUTEX_INITIALIZER;

static void end_default(void)
{
    heist_pool_free(heist__load_acquire(&the_default)); /* P2; a task of its own is told no, and it lives on */
}

heist_pool *heist__default_if_made(void)
{
    return heist__load_acquire(&the_default); /* P2 */
}

heist_pool *heist_default_pool(void)
{
    heist_pool *pool = heist__load_acquire(&the_default); /* P2 */
    if (pool) return pool;
    heist__registry_hook_fork();
    pthread_mutex_lock(&default_lock);
    pool = heist__load_acquire(&the_default);
    if (!pool) {
        static bool at_exit;
        pool = heist_pool_new(NULL);
        if (pool && !at_exit) at_exit = atexit(end_default) == 0;
        heist__store_release(&the_default, pool); /* P2: the pool is whole. Pairs with the loads of the_default. */
    }
    pthread_mutex_unlock(&default_lock);
    return pool;
}

/* ---- around fork ---- */

void heist__pool_before_fork(void)
{
    pthread_mutex_lock(&default_lock);
    pthread_mutex_lock(&restart_lock);
    pthread_mutex_lock(&machine_lock);
}

void heist__pool_after_fork(void)
{
    pthread_mutex_unlock(&machine_lock);
    pthread_mutex_unlock(&restart_lock);
    pthread_mutex_unlock(&default_lock);
}

/* ---- asking ---- */

unsigned heist_pool_workers(const heist_pool *pool)
{
    return pool ? pool->running : 0;
}

const char *heist_pool_notes(const heist_pool *pool)
{
    return pool ? pool->notes : "";
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
