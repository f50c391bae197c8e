/* The worker's loop: its own detached tasks, submissions, then other workers' work; and sleep when there is none. */
#include "schedule/worker.h"

#include <stdio.h>
#include <sys/mman.h>

#include "idle/pace.h"
#include "platform/barrier.h"
#include "platform/futex.h"
#include "platform/nap.h"
#include "topology/place.h"

/* After so many tasks of its own a worker looks at the inbox first, so that submissions are not starved. */
#define INBOX_EVERY 64

/* What a worker keeps when it gives memory back. */
#define KEPT_LEVELS 256
#define KEPT_STACK (64 << 10)

static _Thread_local heist__worker *self;

heist__worker *heist__self(void)
{
    return self;
}

void heist__set_self(heist__worker *w)
{
    self = w;
}

/* Makes every pusher look. */
static void ring(void *worker)
{
    heist_pool *pool = ((heist__worker *)worker)->pool;
    /* I2: a pusher that opened its gate and then saw no need to wake anybody has opened it before we shut it. Processors do not
     * need this, C11 does: it lets a store come late into the order of a location. */
    heist__fence_seq_cst();
    for (unsigned i = 0; i < pool->count; i++) {
        /* I1, I2. Pairs with the exchange in heist__notice. */
        heist__store_release(pool->workers[i]->frames.push_gate, HEIST__PUSH_SHUT);
    }
}

static bool has_work(heist__worker *w)
{
    return heist__frames_size(&w->frames) > 0 || heist_deque_size(w->loose) > 0;
}

static bool any_work(void *worker)
{
    const heist_pool *pool = ((heist__worker *)worker)->pool;
    if (heist__load_acquire(&pool->stop)) return true; /* I1: stop_threads stores it, then rouses everybody */
    for (unsigned i = 0; i < pool->inbox_count; i++) {
        if (!heist__inbox_looks_empty(&pool->inboxes[i])) return true;
    }
    for (unsigned i = 0; i < pool->count; i++) {
        if (has_work(pool->workers[i])) return true;
    }
    return false;
}

static void count_park(void *worker)
{
    heist__count(&((heist__worker *)worker)->counters.parks);
}

/* Gives back the memory of a past crowd: slots, levels, and the stack below this frame. */
static void give_memory_back(void *worker)
{
    heist__worker *w = worker;
    heist__frames_trim(&w->frames);
    madvise(w->levels + KEPT_LEVELS, (w->pool->levels - KEPT_LEVELS) * sizeof *w->levels, MADV_DONTNEED);
    char *here = __builtin_frame_address(0), *end = w->stack + ((size_t)(here - w->stack) & ~(size_t)(KEPT_STACK - 1));
    if (w->stack && end - w->stack > KEPT_STACK)
        madvise(w->stack, (size_t)(end - w->stack) - KEPT_STACK, MADV_DONTNEED);
}

static size_t load_of(const void *context, unsigned worker)
{
    const heist_pool *pool = context;
    heist__worker *w = pool->workers[worker];
    return heist__frames_size(&w->frames) + heist_deque_size(w->loose);
}

/* Something found: a stolen child, or a loose task. */
typedef struct {
    heist__stolen child; /* task NULL: none */
    heist__loose *loose;
    heist__call room; /* where `loose` is, if it came without a record */
} loot;

/* Takes one loose task of `victim`, or half of them; all but one go to the thief's own deque. */
static heist_steal rob_loose(heist__worker *w, heist__worker *victim, loot *found)
{
    void *taken[32];
    if (w->pool->settings.amount != HEIST_AMOUNT_HALF) {
        heist_steal outcome = heist_deque_steal(victim->loose, taken);
        if (outcome == HEIST_STEAL_GOT) found->loose = taken[0];
        return outcome;
    }
    size_t n = heist_deque_steal_half(victim->loose, taken, sizeof taken / sizeof *taken);
    if (n == 0) return HEIST_STEAL_EMPTY;
    found->loose = taken[0];
    for (size_t i = 1; i < n; i++) {
        heist__loose *l = taken[i];
        if (heist_deque_push(w->loose, l) == 0) continue;
        heist__loose_run(w, l); /* no memory: now is as good as later */
        heist__tell_waiters(w->pool);
    }
    return HEIST_STEAL_GOT;
}

static heist_steal rob(heist__worker *w, heist__worker *victim, loot *found)
{
    heist_steal outcome = heist__steal_child(victim, heist__frames_look(&victim->frames), 0, &found->child);
    if (outcome == HEIST_STEAL_GOT) return outcome;
    found->child.task = NULL;
    heist_steal second = rob_loose(w, victim, found);
    return second == HEIST_STEAL_EMPTY ? outcome : second;
}

static bool steal_somewhere(heist__worker *w, loot *found)
{
    heist__search search;
    unsigned victim, level;
    heist__search_begin(&search, &w->victims, &w->strategy, &w->random, load_of, w->pool);
    while (heist__search_next(&search, &victim, &level)) {
        heist_steal outcome = rob(w, w->pool->workers[victim], found);
        heist__count(&w->counters.steals[level][outcome]);
        heist__strategy_report(&w->strategy, outcome == HEIST_STEAL_GOT);
        if (outcome == HEIST_STEAL_GOT) return true;
    }
    return false;
}

static heist__loose *pop_loose(heist__worker *w)
{
    void *l;
    return heist_deque_pop(w->loose, &l) == HEIST_STEAL_GOT ? l : NULL;
}

/* Runs `l` and then all that is in the worker's own deque. */
static void run_own(heist__worker *w, heist__loose *l)
{
    heist__call room;
    for (unsigned n = 1; l; n++) {
        heist__scope_core *core = l->core;
        heist__loose_run(w, l);
        l = n % INBOX_EVERY == 0 ? heist__inbox_find(w, &room, 1) : NULL;
        if (!l) l = pop_loose(w);
        /* As long as the next one belongs to the same scope, that scope and the pool are not quiet. */
        if (!l || l->core != core) heist__tell_waiters(w->pool);
    }
}

static bool find(heist__worker *w, loot *found)
{
    found->child.task = NULL;
    found->loose = pop_loose(w);
    if (!found->loose) found->loose = heist__inbox_find(w, &found->room, HEIST__BATCH);
    return found->loose || steal_somewhere(w, found);
}

static void search_and_run(heist__worker *w)
{
    const heist__idle_calls calls = {ring, any_work, count_park, give_memory_back, w};
    heist__backoff backoff;
    heist__backoff_begin(&backoff, w->pool->settings.spin);
    heist__idle_search(&w->pool->idle, &w->sleeper);
    bool worth_waiting = true;
    while (!heist__load_acquire(&w->pool->stop)) { /* pairs with the store in stop_threads */
        loot found;
        if (find(w, &found)) {
            if (heist__idle_found(&w->pool->idle, &w->sleeper, &calls)) heist__count(&w->counters.wakes);
            if (found.child.task) heist__run_stolen(w, &found.child);
            run_own(w, found.loose ? found.loose : pop_loose(w));
            heist__idle_search(&w->pool->idle, &w->sleeper);
            heist__backoff_begin(&backoff, w->pool->settings.spin);
            worth_waiting = true;
        } else if (!worth_waiting || heist__idle_crowded(&w->pool->idle, &w->sleeper) ||
                   heist__backoff_wait(&backoff, &w->random) == HEIST__PARK) {
            worth_waiting = heist__idle_sleep(&w->pool->idle, &w->sleeper, &calls);
            if (heist__barrier_lost()) heist__nap(); /* it may have slept, or not: not to search without end */
            heist__backoff_begin(&backoff, w->pool->settings.spin);
        }
    }
    heist__idle_found(&w->pool->idle, &w->sleeper, &calls);
}

/* A large stack is reserved, little of it used: huge pages would make each worker resident with megabytes. */
static void keep_stack_small(heist__worker *w)
{
    pthread_attr_t attributes;
    void *stack;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    if (pthread_attr_getstack(&attributes, &stack, &size) == 0) {
        madvise(stack, size, MADV_NOHUGEPAGE);
        w->stack = stack;
        w->stack_size = size;
    }
    pthread_attr_destroy(&attributes);
}

/* The maker has touched the thread's first pages, maybe on another node. A worker that is not bound has no node of its own,
 * and what cannot be moved stays where it is: no error, the pool's maker has noted if nothing can be placed here. */
static void keep_stack_near(heist__worker *w)
{
    if (w->pool->settings.bind == HEIST__BIND_NONE || w->bind_error || !w->stack) return;
    (void)heist__prefer_node(w->stack, w->stack_size, &w->pool->machine, w->pu);
}

static void name_thread(const heist__worker *w)
{
    char name[16]; /* the system's limit */
    int digits = snprintf(NULL, 0, "/%u", w->index);
    snprintf(name, sizeof name, "%.*s/%u", 15 - digits, w->pool->settings.name, w->index);
    pthread_setname_np(pthread_self(), name);
}

void *heist__worker_main(void *worker)
{
    heist__worker *w = worker;
    heist_pool *pool = w->pool;
    heist__set_self(w);
    name_thread(w);
    keep_stack_small(w);
    w->bind_error = heist__bind_thread(&pool->machine, pool->settings.bind, w->pu);
    keep_stack_near(w);
    heist__crowd_enter(&pool->idle.crowd);
    heist__add_acq_rel(&pool->ready, 1); /* P1: bind_error is written. Pairs with the maker's load. */
    heist__futex_wake(&pool->ready, 1);
    search_and_run(w);
    heist__set_self(NULL);
    return NULL;
}
