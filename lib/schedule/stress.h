/* schedule/stress.h: HEIST_STRESS makes steals, delays and odd orders frequent, so that a race of the program shows.
 *
 * Under stress every push and pop calls the library, as in fence mode. Each of these calls below then draws from a
 * generator that was seeded for its worker, and waits, wakes a thief or changes an order as the draw says. Without
 * HEIST_STRESS a call is one test, and stands only where a spawn or a join has left the fast path already. */
#ifndef HEIST_SCHEDULE_STRESS_H
#define HEIST_SCHEDULE_STRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/loop.h>
#include <heist/task.h>

#include "schedule/pool.h"
#include "schedule/worker.h"

/* The least number of workers that a stressed pool has, if neither the program nor HEIST_WORKERS says how many: some
 * must be idle, also on a small machine. */
#define HEIST__STRESS_WORKERS 32

/* Whether `w` (NULL: no worker) is under stress. The model checker's builds have no stress. */
static inline bool heist__stressed(const heist__worker *w)
{
#ifdef HEIST__NAMED_ATOMICS_ONLY
    (void)w;
    return false;
#else
    return w && w->tasks.fenced && w->pool && w->pool->settings.stress;
#endif
}

void heist__stress_init(heist__worker *w);

/* What follows is called by the worker `w` itself, under stress only. */

/* `task` has been spawned, and its state is `untouched` until a thief takes it. Mostly waits until a thief has
 * taken it, or has finished it. */
void heist__stress_spawned(heist__worker *w, heist_task *task, uintptr_t untouched);

/* A job has been put into the worker's deque. Mostly waits until a thief has taken it, or another. */
void heist__stress_given(heist__worker *w);

/* A place where any delay is allowed: before a join, before and after a stolen task. */
void heist__stress_delay(heist__worker *w);

/* Between two jobs, or two batches of a loop. Mostly leaves the next one to another worker. */
void heist__stress_rest(heist__worker *w);

/* Whether to take the oldest job where the worker would take its youngest. */
bool heist__stress_reverses(heist__worker *w);

/* Chooses a schedule (but not for a reduction) and a batch for a loop of `units` where its caller left them to
 * heist. */
void heist__stress_loop(heist__worker *w, heist_loop_options *options, uint64_t units, bool reduces);

#endif
