/* Spawned: from the spawn of a task on one worker to its first instruction on another. The spawning worker does not
 * help.
 *
 * Hot: the other worker searches, because the pool was told to spin for long. Cold: the other worker is parked, as in a
 * pool with default options after a pause. The pool's counter of parks verifies the state. Beside each cold sample a
 * thread that sleeps in the kernel is woken in the same way, by a futex: the least time that is possible. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "apps/enter/heist.h"

#define HOT_GAP_NS 3000
#define COLD_GAP_NS 2500000
#define PATIENCE_NS 2000000000u

static struct enter *e;
static heist_pool *pool;
static long missed;   /* tasks and futex calls that no other thread answered */
static long wanting;  /* samples before which the other worker was in the wrong state */
static long tasks;    /* spawned */
static long finished; /* run. Written by: the running task, one at a time. Read by: the spawning worker. */

/* When the task, or the woken thread, began; 0: not yet. Written by: the task or the woken thread. Read by: the worker
 * that waits for it. */
static uint64_t began_at;

static void spin_for(uint64_t ns)
{
    uint64_t end = enter_now() + ns;
    while (enter_now() < end && !perf_interrupted) {
    }
}

static void arrive(void)
{
    __atomic_store_n(&began_at, enter_now(), __ATOMIC_RELEASE); /* pairs with arrival() */
}

/* The time of arrival; 0: no arrival. */
static uint64_t arrival(uint64_t since)
{
    uint64_t when;
    while (!(when = __atomic_load_n(&began_at, __ATOMIC_ACQUIRE)))
        if (enter_now() - since > PATIENCE_NS) return 0;
    return when;
}

/* ---- the sleeping thread ---- */

static pthread_t sleeper;
static bool has_sleeper;
static int word; /* the futex word: 0 sleep, 1 arrive, 2 end */

static void *sleep_and_arrive(void *unused)
{
    for (;;) {
        while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0)
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        if (__atomic_load_n(&word, __ATOMIC_RELAXED) == 2) return unused; /* relaxed: it ends, and reads nothing else */
        __atomic_store_n(&word, 0, __ATOMIC_RELAXED); /* relaxed: the store in arrive() publishes it */
        arrive();
    }
}

static void wake_sleeper(int with)
{
    __atomic_store_n(&word, with, __ATOMIC_RELEASE);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void futex_sample(bool counts)
{
    spin_for(COLD_GAP_NS);
    began_at = 0;
    uint64_t began = enter_now();
    wake_sleeper(1);
    uint64_t ended = arrival(began);
    if (!ended)
        missed++;
    else if (counts)
        enter_keep(e, &e->futex, began, ended);
}

/* ---- the tasks ---- */

HEIST_VOID_TASK(arrive_elsewhere)
{
    arrive();
    finished++;
}

static uint64_t parks(void)
{
    heist_stats stats = {.size = sizeof stats};
    return heist_stats_read(pool, &stats) ? 0 : stats.parks;
}

/* Waits before a sample. Returns whether the other worker is in the required state. */
static bool get_ready(bool first, uint64_t parks_before)
{
    uint64_t began = enter_now();
    while (e->cold && !first && parks() == parks_before && enter_now() - began < PATIENCE_NS && !perf_interrupted) {
    }
    spin_for(e->cold ? COLD_GAP_NS : HOT_GAP_NS);
    return first || e->cold == (parks() != parks_before);
}

HEIST_VOID_TASK(spawn_samples)
{
    uint64_t parks_before = parks();
    for (long i = -1; i < e->pieces && !perf_interrupted && missed == 0; i++) { /* the first warms up */
        wanting += !get_ready(i < 0, parks_before);
        began_at = 0;
        parks_before = parks(); /* before the spawn: the other worker may park again before this one goes on */
        uint64_t began = enter_now();
        HEIST_SPAWN(child, arrive_elsewhere);
        uint64_t ended = arrival(began);
        HEIST_SYNC(child);
        tasks++;
        missed += ended == 0;
        if (i >= 0) enter_keep(e, &e->times, began, ended);
        if (e->cold) futex_sample(i >= 0);
    }
}

static bool begin_sleeper(void)
{
    if (has_sleeper) return true;
    word = 0;
    has_sleeper = pthread_create(&sleeper, NULL, sleep_and_arrive, NULL) == 0;
    return has_sleeper;
}

void enter_spawned(struct enter *enter, struct perf_pool *p)
{
    e = enter;
    pool = p->pool;
    missed = wanting = tasks = finished = 0;
    enter_begin_turn(e);
    e->short_of_threads = !begin_sleeper();
    if (e->short_of_threads || e->short_of_memory) return;
    HEIST_RUN(pool, spawn_samples);
    if (e->cold) enter_watch_idle(e, enter_now()); /* the other pool has the option to spin */
    e->turns++;
}

void enter_spawned_check(struct perf_outcome *outcome)
{
    if (perf_interrupted) return;
    if (missed)
        snprintf(outcome->check, sizeof outcome->check, "no other worker came for %ld of %ld tasks", missed, tasks);
    else if (wanting)
        snprintf(outcome->check, sizeof outcome->check, "the other worker was not %s before %ld of %ld tasks",
                 e->cold ? "parked" : "searching", wanting, e->pieces);
    else
        perf_expect(outcome, "tasks run", finished, tasks);
}

void enter_spawned_discard(void)
{
    if (!has_sleeper) return;
    wake_sleeper(2);
    pthread_join(sleeper, NULL);
    has_sleeper = false;
}
