/* The termination detector. detector.h describes it; TERMINATION.md has the proof. */
#include "quiescence/detector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int heist__detector_init(heist__detector *d, unsigned workers)
{
    d->workers = workers;
    size_t bytes = ((size_t)workers + 1) * sizeof(heist__tally);
    d->tallies = aligned_alloc(_Alignof(heist__tally), bytes);
    if (!d->tallies) return -ENOMEM;
    memset(d->tallies, 0, bytes);
    return 0;
}

void heist__detector_destroy(heist__detector *d)
{
    free(d->tallies);
    d->tallies = NULL;
}

void heist__detector_created(heist__detector *d, unsigned worker)
{
    heist__tally *t = &d->tallies[worker];
    /* T2: relaxed, for the worker that finishes this task, or its creator, publishes the count with T1. */
    heist__store_relaxed(&t->created, heist__load_relaxed(&t->created) + 1); /* relaxed: one writer */
}

void heist__detector_finished(heist__detector *d, unsigned worker)
{
    heist__tally *t = &d->tallies[worker];
    /* T1: a thread that sees this count sees the task's effects, and its counts of created tasks. Last touch of *d. */
    heist__store_release(&t->finished, heist__load_relaxed(&t->finished) + 1); /* relaxed: one writer */
}

void heist__detector_begun(heist__detector *d, unsigned worker)
{
    heist__tally *t = &d->tallies[worker];
    heist__store_relaxed(&t->begun, heist__load_relaxed(&t->begun) + 1); /* relaxed: one writer; a hint, see T10 */
}

void heist__detector_created_outside(heist__detector *d)
{
    heist__add_relaxed(&d->tallies[d->workers].created, 1); /* T3: relaxed, the queue's Q1 publishes it with the task */
}

void heist__detector_begun_outside(heist__detector *d)
{
    heist__add_relaxed(&d->tallies[d->workers].begun, 1); /* relaxed: a hint, see T10 */
}

void heist__detector_finished_outside(heist__detector *d)
{
    heist__add_acq_rel(&d->tallies[d->workers].finished, 1); /* T1 */
}

static uint64_t all_created(const heist__detector *d)
{
    uint64_t created = 0;
    for (unsigned i = 0; i <= d->workers; i++) created += heist__load_relaxed(&d->tallies[i].created); /* relaxed: T2 */
    return created;
}

bool heist__detector_quiet(const heist__detector *d)
{
    uint64_t finished = 0;
    /* T1. The acquire also keeps the loads of `created` behind all of these loads. */
    for (unsigned i = 0; i <= d->workers; i++) finished += heist__load_acquire(&d->tallies[i].finished);
    return finished == all_created(d);
}

bool heist__detector_unbegun(const heist__detector *d)
{
    uint64_t begun = 0;
    for (unsigned i = 0; i <= d->workers; i++) begun += heist__load_relaxed(&d->tallies[i].begun); /* relaxed: T10 */
    return begun != all_created(d);
}
