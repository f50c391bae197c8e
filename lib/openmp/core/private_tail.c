/* The private tail, where owner and thieves meet: see private_tail.h. */
#include "openmp/core/private_tail.h"

#include "openmp/core/ancestry.h"
#include "openmp/core/find.h"
#include "openmp/core/team.h"
#include "platform/barrier.h"

/* The part that thieves see is made to end where the tail was, and the deque decides: its fence and CAS hold against
 * thieves that force, too. */
heist__omp_task *heist__omp_tail_pop_slow(heist__omp_slot *self, uint64_t tail)
{
    void *task;
    heist__omp_tail_show(self, tail + 1);
    bool got = heist_deque_pop(self->deque, &task) == HEIST_STEAL_GOT;
    heist__store_release(&self->tail, heist__load_relaxed(&self->deque->bottom)); /* A1; relaxed: its own */
    return got ? task : NULL;
}

/* As heist__deque_look, but up to the tail. */
static bool look_at_tail(heist__omp_slot *victim, heist__theft *theft)
{
    theft->top = heist__load_relaxed(&heist__omp_deque_of(victim)->top); /* relaxed: the fence orders it */
    heist__fence_seq_cst();                                              /* R3: top before tail, as before bottom */
    theft->length = (int64_t)(heist__load_acquire(&victim->tail) - theft->top); /* A1 */
    return theft->length > 0;
}

/* Whether the thread may run the oldest task there, as far as can be seen from here. */
static bool is_wanted(heist__omp_slot *self, heist__omp_slot *victim, bool within)
{
    heist_deque *deque = heist__omp_deque_of(victim);
    heist__theft theft;
    if (!heist__omp_has_private(victim)) return false;
    if (!within) return true;
    if (!look_at_tail(victim, &theft)) return false;
    unsigned side = heist__deque_enter(deque);
    heist__deque_read(deque, &theft);
    bool wanted = theft.item && heist__omp_descends(theft.item, self->current);
    heist__deque_leave(deque, side);
    return wanted;
}

static heist__omp_task *force(heist__omp_slot *self, heist__omp_slot *victim, bool within)
{
    heist__theft theft;
    heist__omp_task *task = NULL;
    heist__add_seq_cst(&victim->forced, 1); /* A2: before the barrier. Pairs with A2 in private_tail.h. */
    if (heist__heavy_barrier(false) && look_at_tail(victim, &theft))
        task = heist__omp_steal_seen(self, heist__omp_deque_of(victim), &theft, within);
    heist__add_acq_rel(&victim->forced, (uint32_t)-1); /* A2: after the theft */
    return task;
}

heist__omp_task *heist__omp_find_private(heist__omp_slot *self, bool within)
{
    heist__omp_team *team = self->team;
    unsigned size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_enter */
    unsigned first = heist__random_below(&self->random, size);
    for (unsigned i = 0; i < size; i++) {
        unsigned victim = first + i < size ? first + i : first + i - size;
        if (victim != self->index && is_wanted(self, team->slots[victim], within))
            return force(self, team->slots[victim], within);
    }
    return NULL;
}
