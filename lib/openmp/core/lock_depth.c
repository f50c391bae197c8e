/* Counting the locks that a thread holds: see lock_depth.h. */
#include "openmp/core/lock_depth.h"

#include "openmp/core/slot.h"

/* How long a deque becomes with a lock held. The runtimes run tasks at once far earlier. */
enum { MOST_WITH_LOCK = 1 << 16 };

static void begin(heist__omp_slot *self)
{
    int64_t bound = self->plenty < MOST_WITH_LOCK ? MOST_WITH_LOCK : self->plenty;
    self->unlocked = (heist__omp_enough){self->enough, self->least_enough, self->most_enough, self->plenty};
    self->enough = self->least_enough = self->most_enough = self->plenty = bound;
}

static void end(heist__omp_slot *self)
{
    self->enough = self->unlocked.enough;
    self->least_enough = self->unlocked.least;
    self->most_enough = self->unlocked.most;
    self->plenty = self->unlocked.plenty;
}

void heist__omp_lock_taken(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self && self->lock_depth++ == 0) begin(self);
}

void heist__omp_lock_given_back(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self && self->lock_depth > 0 && --self->lock_depth == 0) end(self);
}
