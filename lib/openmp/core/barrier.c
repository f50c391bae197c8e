/* The barrier of a team: see barrier.h. */
#include "openmp/core/barrier.h"

#include "openmp/core/keep.h"
#include "openmp/core/wait.h"
#include "platform/pause.h"

static bool nothing_left(heist__omp_team *team, heist__omp_barrier_counts *counts)
{
    uint64_t balance = 0;
    if (heist__load_acquire(&counts->arrived) != heist__load_relaxed(&team->size)) return false; /* B1 */
    balance -= heist__load_acquire(&team->finished_outside);                                     /* B1 */
    /* Not only the slots of this region: counts of earlier regions stay in the sum. */
    for (unsigned i = 0; i < team->capacity; i++) balance -= heist__load_acquire(&team->slots[i]->finished); /* B1 */
    for (unsigned i = 0; i < team->capacity; i++) balance += heist__load_acquire(&team->slots[i]->created);  /* B1 */
    return balance == 0;
}

/* The thread that has found all work done lets the others go. */
static void open_barrier(heist__omp_team *team, heist__omp_barrier_counts *counts, uint32_t generation)
{
    uint32_t expected = generation;
    if (!heist__cas_acq_rel(&counts->closing, &expected, generation + 1)) return; /* another thread opens it */
    heist__store_relaxed(&counts->arrived, 0);                 /* relaxed: the generation publishes it */
    HEIST__OMP_KEEP_RELAXED(&team->workshare_cancelled, 0);    /* relaxed: likewise; all threads are here */
    heist__store_seq_cst(&counts->generation, generation + 1); /* B2: all earlier work, before the threads go on */
    heist__omp_wake_all(team);
}

typedef struct waiting {
    heist__omp_barrier_counts *counts;
    uint32_t generation;
    bool end;
} waiting;

static bool is_open(heist__omp_slot *self, const void *what)
{
    heist__omp_team *team = self->team;
    const waiting *w = what;
    if (heist__load_acquire(&w->counts->generation) != w->generation) return true; /* B2 */
    /* relaxed: read again in nothing_left */
    if (heist__load_relaxed(&w->counts->arrived) == heist__load_relaxed(&team->size) && nothing_left(team, w->counts))
        open_barrier(team, w->counts, w->generation);
    if (!w->end && heist__load_acquire(&team->cancelled)) return true;   /* X1. Pairs with X1 in cancel.c. */
    return heist__load_acquire(&w->counts->generation) != w->generation; /* B2 */
}

/* Looks at the barrier alone. Where threads arrive together, as after a short loop, the barrier opens within a
 * microsecond: for this many looks a thread with a CPU of its own, and without tasks of its own, looks at nothing else.
 * True: the barrier is open. */
enum { FIRST_LOOKS = 40 };

static bool opens_at_once(heist__omp_slot *self, const waiting *w)
{
    if (is_open(self, w)) return true;
    /* relaxed: its own */
    if (self->team->oversubscribed || heist__load_relaxed(&self->created) != self->created_before) return false;
    for (int i = 0; i < FIRST_LOOKS; i++) {
        heist__pause();
        if (heist__load_acquire(&w->counts->generation) != w->generation) return true; /* B2 */
    }
    return false;
}

bool heist__omp_barrier(heist__omp_slot *self, heist__omp_barrier_kind kind)
{
    heist__omp_team *team = self->team;
    if (kind != HEIST__BARRIER_END && heist__load_acquire(&team->cancelled)) return true; /* X1 */
    heist__omp_barrier_counts *counts = &team->barriers[kind];
    waiting w = {counts, heist__load_acquire(&counts->generation), kind == HEIST__BARRIER_END}; /* B2 */
    heist__add_acq_rel(&counts->arrived, 1);                                                    /* B1, B2 */
    if (!opens_at_once(self, &w)) heist__omp_wait_until(self, false, is_open, &w);
    return kind != HEIST__BARRIER_END && heist__load_acquire(&team->cancelled); /* X1 */
}
