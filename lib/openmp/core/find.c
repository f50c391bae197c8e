/* Looking for a task: see find.h. */
#include "openmp/core/find.h"

#include "openmp/core/ancestry.h"
#include "openmp/core/private_tail.h"
#include "openmp/core/queue.h"
#include "openmp/core/record.h"

/* Whether the index is above `base`, also after a wrap-around. */
static bool is_above(uint64_t index, uint64_t base)
{
    return (int64_t)(index - base) > 0;
}

heist__omp_task *heist__omp_find_own(heist__omp_slot *self)
{
    uint64_t tail = heist__load_relaxed(&self->tail); /* relaxed: its own */
    if (!is_above(tail, self->current->base)) return NULL;
    if (heist__omp_has_private(self)) return heist__omp_tail_pop(self);
    heist__store_release(&self->tail, tail - 1); /* A1 */
    heist__omp_task *task = heist__omp_tail_pop_slow(self, tail - 1);
    if (!task) return NULL;
    /* The task came back: fewer tasks are enough for the thieves. relaxed: a hint */
    self->top_seen = heist__load_relaxed(&self->deque->top);
    if (self->enough > self->least_enough) self->enough--;
    return task;
}

heist__omp_task *heist__omp_steal_seen(heist__omp_slot *self, heist_deque *deque, heist__theft *theft, bool within)
{
    unsigned side = heist__deque_enter(deque);
    heist__deque_read(deque, theft);
    bool wanted = theft->item && (!within || heist__omp_descends(theft->item, self->current));
    bool got = wanted && heist__deque_settle(deque, theft) == HEIST_STEAL_GOT;
    heist__deque_leave(deque, side);
    return got ? theft->item : NULL;
}

static heist__omp_task *steal_one(heist__omp_slot *self, heist_deque *deque, bool within)
{
    heist__theft theft;
    if (heist__deque_look(deque, &theft) == HEIST_STEAL_EMPTY) return NULL;
    return heist__omp_steal_seen(self, deque, &theft, within);
}

/* A deque with at least MANY tasks was filled by a loop. A thief takes at most MOST_TAKEN of it at once. */
enum { MANY = 8, MOST_TAKEN = 16 };

/* Takes half of a long deque: one journey for several tasks. For a thread that may run anything, and whose own deque is
 * empty. The other tasks go there before the thread begins anything, so that all tasks that come to lie above them
 * descend from a task that is begun later. */
static heist__omp_task *steal_several(heist__omp_slot *self, heist_deque *deque)
{
    void *tasks[MOST_TAKEN];
    size_t count = heist_deque_steal_half(deque, tasks, MOST_TAKEN);
    for (size_t i = 0; i < count; i++) heist__omp_record_fetch(tasks[i]);
    for (size_t i = 1; i < count; i++) heist__omp_task_ready(self, tasks[i]);
    return count ? tasks[0] : NULL;
}

static bool is_long(heist_deque *deque)
{
    /* relaxed: hints */
    return (int64_t)(heist__load_relaxed(&deque->bottom) - heist__load_relaxed(&deque->top)) >= MANY;
}

static heist__omp_task *find_elsewhere(heist__omp_slot *self, bool within)
{
    heist__omp_team *team = self->team;
    unsigned size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_enter */
    if (size == 1) return NULL;
    unsigned first = heist__random_below(&self->random, size);
    for (unsigned i = 0; i < size; i++) {
        unsigned victim = first + i < size ? first + i : first + i - size;
        if (victim == self->index) continue;
        heist_deque *deque = heist__omp_deque_of(team->slots[victim]);
        heist__omp_task *task = !within && is_long(deque) ? steal_several(self, deque) : steal_one(self, deque, within);
        if (task) return task;
    }
    return NULL;
}

/* A thread that waits in an explicit task need not look in a queue that has only children of implicit tasks. */
static bool may_be_in_queue(heist__omp_slot *self, bool within)
{
    /* relaxed: a task that is not seen now is seen later */
    return !within || (self->current->flags & HEIST__OMP_TASK_IMPLICIT) ||
           heist__load_relaxed(&self->team->queued_deep);
}

heist__omp_task *heist__omp_find(heist__omp_slot *self, bool within)
{
    heist__omp_task *task = NULL;
    /* relaxed: as in may_be_in_queue */
    if (__builtin_expect(heist__load_relaxed(&self->team->queued) != 0, 0) && may_be_in_queue(self, within))
        task = heist__omp_queue_take(self, within);
    if (!task) task = heist__omp_find_own(self);
    return task ? task : find_elsewhere(self, within);
}
