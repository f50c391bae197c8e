/* Work without end on one pool, some of it by threads from outside: fork/join, detached tasks in scopes, plain
 * children, loops, and submissions that are waited for; or work to be stolen (theft.c). What is done counts for the
 * worker that does it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "held_up.h"

static heist_pool *pool;
static work_kind kind;
static atomic_bool enough;
static _Atomic(const char *) trouble;

static struct {
    _Alignas(128) _Atomic uint64_t of[DEEDS];
} done[MOST_WORKERS + 1]; /* the last for all threads outside */

void did(deed which)
{
    int worker = heist_worker_number();
    if (worker < 0 && which != DID_SUBMIT) return;
    atomic_fetch_add_explicit(&done[worker < 0 ? MOST_WORKERS : worker].of[which], 1,
                              memory_order_relaxed); /* relaxed: a number */
}

void demand(bool right, const char *sentence)
{
    if (!right) atomic_store(&trouble, sentence);
}

bool work_enough(void)
{
    return atomic_load(&enough);
}

/* More rounds than a worker will search in vain: no worker sleeps, so that a stopped thread that would have to wake a
 * thief keeps none from stealing (while a searcher or a waker stands still, sleepers sleep on: lib/idle/IDLE.md). */
#define SLEEPLESS 1000000

/* Chains of tasks inside, or owners; the workers beyond have to steal. In the mix as many must get on as there are
 * chains. Sleepers: one less, for one chain may be held up, or wait for the child that the held-up thread has; no
 * thieves, since they may sleep. Stolen: theft.c says why there is always a thief left. It must steal often, for
 * where a deque is locked each thief gets something from the others until it comes to that one. */
static const struct {
    unsigned workers, chains, spin, inbox;
    demanded must[DEEDS];
} sizes[] = {
    [WORK_MIXED] = {4, 2, 0, 16, {[DID_TASK] = {2, 1}}},
    [WORK_STOLEN] = {6,
                     3,
                     SLEEPLESS,
                     4096, /* so many tasks pass by a slot that stays claimed */
                     {[DID_TASK] = {2, 1},
                      [DID_STEAL] = {1, 50},
                      [DID_CHILD] = {1, 25},
                      [DID_LOOSE] = {1, 25},
                      [DID_LEAP] = {1, 5},
                      [DID_SUBMITTED] = {1, 2}}},
    [WORK_SLEEPERS] = {6, 3, 0, 16, {[DID_TASK] = {2, 1}}},
    [WORK_BESIDE] = {2, 1, 1, 16, {[DID_TASK] = {1, 1}}},
    [WORK_OUTSIDE] = {1, 0, 1, 4096, {[DID_SUBMIT] = {1, 1}}},
};

unsigned work_workers(void)
{
    return sizes[kind].workers;
}

const demanded *work_must(deed which)
{
    return &sizes[kind].must[which];
}

bool work_may_hold(void)
{
    return (kind != WORK_BESIDE && kind != WORK_OUTSIDE) || sleeper_is_here();
}

void work_done(deeds *d)
{
    *d = (deeds){0};
    for (unsigned which = 0; which < DEEDS; which++)
        d->of[which][MOST_WORKERS] = atomic_load(&done[MOST_WORKERS].of[which]);
    for (unsigned i = 0; i < work_workers(); i++) {
        heist_stats stats = {.size = sizeof stats};
        for (unsigned which = 0; which < DEEDS; which++) d->of[which][i] = atomic_load(&done[i].of[which]);
        demand(heist_stats_read_worker(pool, i, &stats) == 0, "no statistics");
        d->of[DID_STEAL][i] = 0;
        for (unsigned level = 0; level < HEIST_LEVELS; level++) d->of[DID_STEAL][i] += stats.steal_got[level];
        d->of[DID_LEAP][i] = stats.leapfrogs;
    }
}

const char *work_trouble(void)
{
    return atomic_load(&trouble);
}

/* ---- the kinds ---- */

HEIST_TASK(long, fib, int, n)
{
    did(DID_TASK);
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

/* A child that is joined before a younger one: it is taken out of the middle. */
HEIST_TASK(long, crossed, int, n)
{
    if (n == 0) return 1;
    HEIST_SPAWN(a, fib, 6);
    HEIST_SPAWN(b, crossed, n - 1);
    HEIST_SPAWN(c, fib, 5);
    long first = HEIST_SYNC(a);
    return first + HEIST_SYNC(b) + HEIST_SYNC(c);
}

static void fork_and_join(void)
{
    demand(HEIST_RUN(pool, fib, 14) == 377, "fib is wrong");
    demand(HEIST_RUN(pool, crossed, 10) == 131, "children joined in another order gave another result");
}

static void one_of_many(void *argument)
{
    did(DID_TASK);
    atomic_fetch_add((atomic_uint *)argument, 1);
}

static void in_a_scope(void *argument)
{
    atomic_uint ran = 0;
    heist_scope scope;
    (void)argument;
    if (heist_scope_begin(&scope, NULL) != 0) {
        demand(false, "no scope");
        return;
    }
    for (int i = 0; i < 40; i++) demand(heist_detach(&scope, one_of_many, &ran) == 0, "not detached");
    for (int i = 0; i < 20; i++) heist_spawn(&scope, one_of_many, &ran);
    heist_join(&scope);
    heist_scope_end(&scope);
    demand(atomic_load(&ran) == 60, "a scope ended before its tasks, or one ran twice");
}

static void scopes(void)
{
    demand(heist_run(pool, in_a_scope, NULL) == 0, "no run");
}

static void submissions(void)
{
    atomic_uint ran = 0;
    heist_scope scope;
    demand(heist_scope_begin(&scope, pool) == 0, "no scope outside");
    for (int i = 0; i < 50; i++)
        demand(heist_scope_submit(&scope, one_of_many, &ran, HEIST_WAIT) == 0, "not submitted");
    demand(heist_scope_end(&scope) == 0, "not waited");
    demand(atomic_load(&ran) == 50, "waiting ended before the tasks, or one ran twice");
}

/* Work that does not come from outside: each task leaves the next one, in the other one of two scopes. So a worker
 * that goes on from the one to the other looks each time whether somebody waits. */
static heist_scope inside[2];

static void of_itself(void *scope)
{
    heist_scope *next = scope == &inside[0] ? &inside[1] : &inside[0];
    did(DID_TASK);
    HEIST_RUN(NULL, fib, 13);
    if (!work_enough()) demand(heist_detach(next, of_itself, next) == 0, "not detached");
}

static int part_of_loop(heist_range part, void *argument)
{
    atomic_uint *ran = argument;
    HEIST_EACH(i, part)
    {
        did(DID_TASK);
        atomic_fetch_add(ran, 1);
    }
    return 0;
}

static void loops(void)
{
    atomic_uint ran = 0;
    heist_loop_options options = HEIST_LOOP_OPTIONS_INIT;
    options.batch = 10;
    demand(heist_for(pool, heist_upto(1000), part_of_loop, &ran, &options) == 0, "no loop");
    demand(atomic_load(&ran) == 1000, "a loop left something out, or did it twice");
}

/* ---- the threads that submit it ---- */

static void theft_from_outside(void)
{
    theft_submit(pool);
}

static void submit_to_sleeper(void)
{
    sleeper_submit(pool);
}

/* More than one of each kind: a thread that waits for the work of the held-up thread does nothing else. */
typedef void source(void);
static source *const mixed[] = {fork_and_join, scopes, submissions, loops, fork_and_join, scopes, NULL};
static source *const stolen[] = {theft_from_outside, theft_from_outside, NULL};
static source *const none[] = {NULL};
static source *const outside[] = {submit_to_sleeper, NULL};
static source *const *const sources[] = {[WORK_MIXED] = mixed,
                                         [WORK_STOLEN] = stolen,
                                         [WORK_SLEEPERS] = none,
                                         [WORK_BESIDE] = none,
                                         [WORK_OUTSIDE] = outside};
static heist_function *const links[] = {
    [WORK_MIXED] = of_itself, [WORK_STOLEN] = theft_owner, [WORK_SLEEPERS] = of_itself, [WORK_BESIDE] = sleeper_beside};
static pthread_t threads[sizeof mixed / sizeof *mixed];

static void *give_on_and_on(void *what)
{
    while (!work_enough()) (*(source *const *)what)();
    return NULL;
}

static void no_more_than(const char *lack)
{
    fprintf(stderr, "held_up: %s\n", lack);
    exit(2);
}

void work_begin(work_kind wanted)
{
    heist_options options = HEIST_OPTIONS_INIT;
    kind = wanted;
    options.workers = work_workers();
    options.inbox = sizes[kind].inbox;
    options.spin = sizes[kind].spin;
    atomic_store(&enough, false);
    pool = heist_pool_new(&options);
    if (!pool) no_more_than(heist_explain());
    for (int i = 0; i < 2; i++) {
        if (heist_scope_begin(&inside[i], pool) != 0) no_more_than("no scope");
    }
    for (unsigned i = 0; i < sizes[kind].chains; i++)
        demand(heist_detach(&inside[0], links[kind], &inside[0]) == 0, "not detached");
    for (size_t i = 0; sources[kind][i]; i++) {
        if (pthread_create(&threads[i], NULL, give_on_and_on, (void *)&sources[kind][i]) != 0)
            no_more_than("no thread");
    }
}

void work_end(void)
{
    atomic_store(&enough, true);
    for (size_t i = 0; sources[kind][i]; i++) pthread_join(threads[i], NULL);
    demand(heist_pool_wait(pool) == 0, "not waited"); /* a chain may go on in either scope */
    for (int i = 0; i < 2; i++) demand(heist_scope_end(&inside[i]) == 0, "a scope did not end");
    demand(heist_pool_free(pool) == 0, "not freed");
}
