/* The termination detector: tells when all tasks of a set, however nested, have finished, without a shared counter.
 *
 * Each worker has two counters of its own, created and finished, with plain stores. A thread that asks reads all
 * `finished`, then all `created`. Equal sums mean that at some moment in between every created task had finished. Only
 * a running task or a thread outside creates tasks, so the set stays quiet. Submitters outside the pool share one pair
 * of counters with atomic adds. A third counter, begun, tells in the same way whether a task of a scope waits for a
 * worker. TERMINATION.md has the edges T1 to T3 and T10, and the proof. */
#ifndef HEIST_QUIESCENCE_DETECTOR_H
#define HEIST_QUIESCENCE_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

typedef struct heist__tally {
    /* Tasks that this worker has created. Written by: the worker. Read by: any thread. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) created;
    /* Tasks that this worker has finished. Written by: the worker. Read by: any thread. */
    HEIST__ATOMIC(uint64_t) finished;
    /* Tasks that this worker has begun, counted for scopes only. Written by: the worker. Read by: any thread. */
    HEIST__ATOMIC(uint64_t) begun;
    /* Tasks of the scope on this worker's stack, with stolen children of such tasks. Written by: the worker. Read by:
     * the worker, and workers of other pools that run tasks that this worker waits for. */
    HEIST__ATOMIC(uint32_t) on_stack;
} heist__tally;

typedef struct heist__detector {
    unsigned workers;
    heist__tally *tallies; /* one per worker, then one that threads outside the pool share */
} heist__detector;

/* Returns 0 or -ENOMEM. */
int heist__detector_init(heist__detector *d, unsigned workers);
void heist__detector_destroy(heist__detector *d);

/* Worker `worker`. created: before any other thread can see the task. finished: the last touch of the detector on the
 * task's behalf. */
void heist__detector_created(heist__detector *d, unsigned worker);
void heist__detector_finished(heist__detector *d, unsigned worker);

/* Worker `worker`, between created and finished: it has the task, and no other worker need search for the task. */
void heist__detector_begun(heist__detector *d, unsigned worker);

/* The same, for threads outside the pool and threads that are no worker. */
void heist__detector_created_outside(heist__detector *d);
void heist__detector_begun_outside(heist__detector *d);
void heist__detector_finished_outside(heist__detector *d);

/* Any thread: whether every task has finished. Once true, it stays true until a thread outside creates a task. */
bool heist__detector_quiet(const heist__detector *d);

/* Any thread: whether a task has not begun. A hint. But the result is certainly true if a task was created before the
 * caller's last heavy barrier and has not begun, and no task was created after that barrier. */
bool heist__detector_unbegun(const heist__detector *d);

#endif
