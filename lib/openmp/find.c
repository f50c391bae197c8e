/* Where a thread looks for a task: first where tasks with a priority are, then in its own deque, youngest first,
 * then in the others', oldest first. */
#include "openmp/aside.h"
#include "openmp/group.h"
#include "platform/barrier.h"

/* ---- the queue: priorities, and what was made ready from outside ---- */

static unsigned level_of(const heist__omp_team *team, const heist__omp_task *task)
{
    if (team->max_priority < HEIST__OMP_LEVELS) return (unsigned)task->priority;
    return (unsigned)((int64_t)task->priority * (HEIST__OMP_LEVELS - 1) / team->max_priority);
}

/* Created by an explicit task. */
static bool is_deep(const heist__omp_task *task)
{
    return heist__load_relaxed(&task->depth) > 1; /* relaxed: who asks has the task */
}

void heist__omp_queue(heist__omp_team *team, heist__omp_task *task)
{
    unsigned level = level_of(team, task);
    heist__omp_queue_level *l = &team->levels[level];
    task->next = NULL;
    pthread_mutex_lock(&team->lock);
    if (l->first) {
        l->last->next = task;
    } else {
        l->first = task;
    }
    l->last = task;
    team->levels_used |= UINT64_C(1) << level;
    /* relaxed: hints; the lock orders the queue */
    heist__add_relaxed(&team->queued, 1);
    if (is_deep(task)) heist__add_relaxed(&team->queued_deep, 1);
    pthread_mutex_unlock(&team->lock);
}

static bool is_member(const heist__omp_group *of, const heist__omp_group *group)
{
    while (of && of != group) of = of->prev;
    return of != NULL;
}

/* Whether the thread may begin a task of the queue where it waits. This must be right for all that it waits for, not
 * only mostly: nobody else might take it. Its children are a step away, and the tasks of its group known by that. */
static bool may_run(heist__omp_slot *self, heist__omp_task *task)
{
    return heist__omp_descends(task, self->current) ||
           (self->ending_group && is_member(task->group, self->current->group));
}

/* The first task of a level that may be run, taken out of it. */
static heist__omp_task *from_level(heist__omp_slot *self, unsigned level, bool within)
{
    heist__omp_queue_level *l = &self->team->levels[level];
    heist__omp_task *before = NULL, *task = l->first;
    while (task && within && !may_run(self, task)) {
        before = task;
        task = task->next;
    }
    if (!task) return NULL;
    *(before ? &before->next : &l->first) = task->next;
    if (!task->next) l->last = before;
    if (!l->first) self->team->levels_used &= ~(UINT64_C(1) << level);
    return task;
}

static heist__omp_task *from_queue(heist__omp_slot *self, bool within)
{
    heist__omp_team *team = self->team;
    heist__omp_task *task = NULL;
    pthread_mutex_lock(&team->lock);
    for (uint64_t used = team->levels_used; used && !task;) {
        unsigned level = 63 - (unsigned)__builtin_clzll(used);
        task = from_level(self, level, within);
        used &= ~(UINT64_C(1) << level);
    }
    if (task) { /* relaxed: as above */
        heist__add_relaxed(&team->queued, (uint32_t)-1);
        if (is_deep(task)) heist__add_relaxed(&team->queued_deep, (uint32_t)-1);
    }
    pthread_mutex_unlock(&team->lock);
    return task;
}

/* ---- deques ---- */

/* What thieves see ends where the tail was, and the deque decides: its fence is for who has forced something, too. */
heist__omp_task *heist__omp_aside_pop_slow(heist__omp_slot *self, uint64_t tail)
{
    void *task;
    heist__omp_aside_show(self, tail + 1);
    bool got = heist_deque_pop(self->deque, &task) == HEIST_STEAL_GOT;
    heist__store_release(&self->tail, heist__load_relaxed(&self->deque->bottom)); /* A1; relaxed: its own */
    return got ? task : NULL;
}

heist__omp_task *heist__omp_find_own(heist__omp_slot *self)
{
    uint64_t tail = heist__load_relaxed(&self->tail); /* relaxed: its own */
    if (!heist__omp_index_within(tail, self->current->base)) return NULL;
    if (heist__omp_has_aside(self)) return heist__omp_aside_pop(self);
    heist__store_release(&self->tail, tail - 1); /* A1 */
    heist__omp_task *task = heist__omp_aside_pop_slow(self, tail - 1);
    if (!task) return NULL;
    /* It came back: so much was not wanted. relaxed: a hint */
    self->top_seen = heist__load_relaxed(&self->deque->top);
    if (self->enough > self->least_enough) self->enough--;
    return task;
}

/* As heist_deque_steal after its look, with a look at the task before it is taken. */
static heist__omp_task *seen(heist__omp_slot *self, heist_deque *deque, heist__theft *theft, bool within)
{
    unsigned side = heist__deque_enter(deque);
    heist__deque_read(deque, theft);
    bool wanted = theft->item && (!within || heist__omp_descends(theft->item, self->current));
    bool got = wanted && heist__deque_settle(deque, theft) == HEIST_STEAL_GOT;
    heist__deque_leave(deque, side);
    self->counters.stolen += got;
    return got ? theft->item : NULL;
}

static heist__omp_task *from_other(heist__omp_slot *self, heist_deque *deque, bool within)
{
    heist__theft theft;
    if (heist__deque_look(deque, &theft) == HEIST_STEAL_EMPTY) return NULL;
    return seen(self, deque, &theft, within);
}

/* Tasks that lie in a row where they were made by a loop, as many as a thief takes at once. */
enum { MANY = 8, MOST_TAKEN = 16 };

/* Of a deque that is long, half: one journey for several. For one who may run anything, and whose own deque is
 * empty: the others are put there, before anything is begun, so that all that is above them descends from what was
 * begun later. */
static heist__omp_task *several_from(heist__omp_slot *self, heist_deque *deque)
{
    void *tasks[MOST_TAKEN];
    size_t count = heist_deque_steal_half(deque, tasks, MOST_TAKEN);
    for (size_t i = 0; i < count; i++) heist__omp_record_fetch(tasks[i]);
    for (size_t i = 1; i < count; i++) heist__omp_task_ready(self, tasks[i]);
    self->counters.stolen += count;
    return count ? tasks[0] : NULL;
}

static bool is_long(heist_deque *deque)
{
    /* relaxed: hints */
    return (int64_t)(heist__load_relaxed(&deque->bottom) - heist__load_relaxed(&deque->top)) >= MANY;
}

static heist__omp_task *from_others(heist__omp_slot *self, bool within)
{
    heist__omp_team *team = self->team;
    unsigned size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_begin */
    if (size == 1) return NULL;
    unsigned first = heist__random_below(&self->random, size);
    for (unsigned i = 0; i < size; i++) {
        unsigned victim = first + i < size ? first + i : first + i - size;
        if (victim == self->index) continue;
        heist_deque *deque = heist__omp_deque_of(team->slots[victim]);
        heist__omp_task *task = !within && is_long(deque) ? several_from(self, deque) : from_other(self, deque, within);
        if (task) return task;
    }
    return NULL;
}

/* Where only tasks of the region's threads are queued, one who waits in a task need not look. */
static bool may_be_in_queue(heist__omp_slot *self, bool within)
{
    /* relaxed: a task that is not seen now is seen later */
    return !within || (self->current->flags & HEIST__TASK_IMPLICIT) || heist__load_relaxed(&self->team->queued_deep);
}

heist__omp_task *heist__omp_find(heist__omp_slot *self, bool within)
{
    heist__omp_task *task = NULL;
    /* relaxed: as in may_be_in_queue */
    if (__builtin_expect(heist__load_relaxed(&self->team->queued) != 0, 0) && may_be_in_queue(self, within))
        task = from_queue(self, within);
    if (!task) task = heist__omp_find_own(self);
    return task ? task : from_others(self, within);
}

/* ---- what others have set aside ---- */

/* As heist__deque_look, up to the tail. */
static bool look_aside(heist__omp_slot *victim, heist__theft *theft)
{
    theft->top = heist__load_relaxed(&heist__omp_deque_of(victim)->top); /* relaxed: the fence orders it */
    heist__fence_seq_cst();                                              /* R3: top before tail, as before bottom */
    theft->length = (int64_t)(heist__load_acquire(&victim->tail) - theft->top); /* A1 */
    return theft->length > 0;
}

/* Whether the oldest task there is one that the thread may run, as far as can be seen from here. */
static bool is_wanted(heist__omp_slot *self, heist__omp_slot *victim, bool within)
{
    heist_deque *deque = heist__omp_deque_of(victim);
    heist__theft theft;
    if (!heist__omp_has_aside(victim)) return false;
    if (!within) return true;
    if (!look_aside(victim, &theft)) return false;
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
    heist__add_seq_cst(&victim->forced, 1); /* A2: before the barrier. Pairs with A2 in aside.h. */
    if (heist__heavy_barrier(false) && look_aside(victim, &theft))
        task = seen(self, heist__omp_deque_of(victim), &theft, within);
    heist__add_acq_rel(&victim->forced, (uint32_t)-1); /* A2: after the theft */
    return task;
}

heist__omp_task *heist__omp_find_aside(heist__omp_slot *self, bool within)
{
    heist__omp_team *team = self->team;
    unsigned size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_begin */
    unsigned first = heist__random_below(&self->random, size);
    for (unsigned i = 0; i < size; i++) {
        unsigned victim = first + i < size ? first + i : first + i - size;
        if (victim != self->index && is_wanted(self, team->slots[victim], within))
            return force(self, team->slots[victim], within);
    }
    return NULL;
}
