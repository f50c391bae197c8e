/* The termination detector: tells when all tasks of a set, however nested, have finished, without a shared counter.
 *
 * Each worker has two counters of its own, created and finished, with plain stores. Who wants to know reads all finished,
 * then all created: equal sums mean that at some moment in between everything created had finished, and since only a
 * running task or an outsider creates, that it stays so. Submitters outside the pool share one pair with atomic adds.
 * TERMINATION.md has the edges T1 to T3 and the proof. */
#ifndef HEIST_QUIESCENCE_DETECTOR_H
#define HEIST_QUIESCENCE_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/atomic.h>

typedef struct heist__tally {
    /* Tasks that this worker has created. Written by: the worker. Read by: anybody. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) created;
    /* Tasks that this worker has finished. Written by: the worker. Read by: anybody. */
    HEIST__ATOMIC(uint64_t) finished;
} heist__tally;

typedef struct heist__detector {
    unsigned workers;
    heist__tally *tallies; /* one per worker, then one that outsiders share */
} heist__detector;

/* Returns 0 or -ENOMEM. */
int heist__detector_init(heist__detector *d, unsigned workers);
void heist__detector_destroy(heist__detector *d);

/* Worker `worker`: before the task can be seen by anybody, and as the last touch of the detector on its behalf. */
void heist__detector_created(heist__detector *d, unsigned worker);
void heist__detector_finished(heist__detector *d, unsigned worker);

/* The same from outside the pool, and from threads that are no worker. */
void heist__detector_created_outside(heist__detector *d);
void heist__detector_finished_outside(heist__detector *d);

/* Anybody: whether everything has finished. True once stays true until somebody outside creates. */
bool heist__detector_quiet(const heist__detector *d);

#endif
