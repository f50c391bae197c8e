/* The barrier of a team: it opens when all threads are there and no task is left anywhere.
 *
 * B1: who looks whether all is done reads how many have arrived, then all counts of finished tasks, then all of created
 * ones. Equal sums, with everybody here, mean that nothing was left at some moment in between, and that nobody is who
 * could create more. The look is paid by threads that have nothing else to do. */
#include "idle/backoff.h"
#include "openmp/group.h"

static bool nothing_left(heist__omp_team *team, heist__omp_bar *bar)
{
    uint64_t balance = 0;
    if (heist__load_acquire(&bar->arrived) != heist__load_relaxed(&team->size)) return false; /* B1 */
    balance -= heist__load_acquire(&team->finished_outside);                                  /* B1 */
    /* Not only the slots of this region: what is counted outside stays in the sum. */
    for (unsigned i = 0; i < team->capacity; i++) balance -= heist__load_acquire(&team->slots[i]->finished); /* B1 */
    for (unsigned i = 0; i < team->capacity; i++) balance += heist__load_acquire(&team->slots[i]->created);  /* B1 */
    return balance == 0;
}

/* The one who saw that all is done lets the others go. */
static void open_barrier(heist__omp_team *team, heist__omp_bar *bar, uint32_t generation)
{
    uint32_t expected = generation;
    if (!heist__cas_acq_rel(&bar->closing, &expected, generation + 1)) return; /* somebody else does it */
    heist__store_relaxed(&bar->arrived, 0);                                    /* relaxed: published below */
    HEIST__OMP_KEEP_RELAXED(&team->share_cancelled, 0);                        /* likewise; and all are here */
    heist__store_seq_cst(&bar->generation, generation + 1); /* B2: all that was done, before those who go on */
    heist__omp_wake_all(team);
}

typedef struct waiting {
    heist__omp_bar *bar;
    uint32_t generation;
    bool end;
} waiting;

static bool is_open(heist__omp_slot *self, const void *what)
{
    heist__omp_team *team = self->team;
    const waiting *w = what;
    if (heist__load_acquire(&w->bar->generation) != w->generation) return true;      /* B2 */
    if (heist__load_relaxed(&w->bar->arrived) == heist__load_relaxed(&team->size) && /* relaxed: looked at again */
        nothing_left(team, w->bar))
        open_barrier(team, w->bar, w->generation);
    if (!w->end && heist__load_acquire(&team->cancelled)) return true; /* X1 in cancel.c */
    return heist__load_acquire(&w->bar->generation) != w->generation;  /* B2 */
}

/* Where threads come together, as after a short loop, the barrier opens within a microsecond: for so long a thread with a CPU of
 * its own, and no tasks of its own, looks at nothing else. True: it is open. */
enum { FIRST_LOOKS = 40 };

static bool opens_at_once(heist__omp_slot *self, const waiting *w)
{
    if (is_open(self, w)) return true;
    if (self->team->crowded || heist__load_relaxed(&self->created) != self->created_before)
        return false; /* relaxed: own */
    for (int i = 0; i < FIRST_LOOKS; i++) {
        heist__pause();
        if (heist__load_acquire(&w->bar->generation) != w->generation) return true; /* B2 */
    }
    return false;
}

bool heist__omp_barrier(heist__omp_slot *self, heist__omp_bar_kind kind)
{
    heist__omp_team *team = self->team;
    if (kind != HEIST__BAR_END && heist__load_acquire(&team->cancelled)) return true; /* X1 */
    heist__omp_bar *bar = &team->bars[kind];
    waiting w = {bar, heist__load_acquire(&bar->generation), kind == HEIST__BAR_END}; /* B2 */
    heist__add_acq_rel(&bar->arrived, 1);                                             /* B1, B2 */
    if (!opens_at_once(self, &w)) heist__omp_help(self, false, is_open, &w);
    return kind != HEIST__BAR_END && heist__load_acquire(&team->cancelled); /* X1 */
}
