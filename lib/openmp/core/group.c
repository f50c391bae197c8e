/* Taskgroups, from their beginning to their end: see group.h. */
#include "openmp/core/group.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/core/wait.h"

heist__omp_group *heist__omp_group_new(unsigned threads)
{
    size_t bytes = sizeof(heist__omp_group) + (threads + 1) * sizeof(heist__omp_cell);
    bytes = (bytes + HEIST__LINE - 1) / HEIST__LINE * HEIST__LINE;
    heist__omp_group *group = aligned_alloc(HEIST__LINE, bytes);
    if (group) memset(group, 0, bytes);
    return group;
}

/* Without memory for a group, tasks created in it run at once, and are over at its end. The same holds for groups
 * within that group: so an end belongs to such a group as long as the number in the flags is not 0. */
heist__omp_group *heist__omp_group_begin(heist__omp_slot *self)
{
    heist__omp_task *task = self->current;
    bool alone = task->flags & (HEIST__OMP_TASK_CALLS & ~(uint32_t)HEIST__OMP_TASK_FINAL);
    heist__omp_group *group = alone ? NULL : self->groups;
    if (group) {
        self->groups = group->prev;
    } else if (!alone) {
        group = heist__omp_group_new(self->team->capacity);
    }
    if (!group) {
        task->flags += HEIST__OMP_TASK_GROUP;
        return NULL;
    }
    group->prev = task->group;
    group->reductions = group->prev ? group->prev->reductions : NULL;
    group->owner = self;
    group->workshare = false;
    group->counted = true;
    /* relaxed: none of its tasks exists yet */
    const heist__omp_cell *own = &group->cells[self->index];
    group->owed = heist__load_relaxed(&own->created) - heist__load_relaxed(&own->finished);
    heist__store_relaxed(&group->cancelled, 0);
    heist__store_relaxed(&group->shared, 0);
    task->group = group;
    return group;
}

void heist__omp_group_do_without(heist__omp_slot *self)
{
    heist__omp_task *task = self->current;
    heist__omp_group *group = task->group;
    task->group = group->prev;
    group->prev = self->groups;
    self->groups = group;
    task->flags += HEIST__OMP_TASK_GROUP;
}

static void mark_shared(heist__omp_group *group)
{
    /* C2: before this thread's first task of the group is seen. relaxed: the push of that task, or the store of the
     *     count, publishes it */
    if (!heist__load_relaxed(&group->shared)) heist__store_relaxed(&group->shared, 1);
}

void heist__omp_group_created(heist__omp_slot *self, heist__omp_group *group)
{
    if (!group->counted) return;
    if (self != group->owner) mark_shared(group);
    heist__omp_cell *cell = &group->cells[self->index];
    /* C3: before the task can be seen. Pairs with C3 in is_over. relaxed: its own */
    heist__store_release(&cell->created, heist__load_relaxed(&cell->created) + 1);
}

void heist__omp_group_finished(heist__omp_slot *self, heist__omp_group *group)
{
    if (!group->counted) return;
    heist__omp_slot *owner = group->owner; /* read now: the group may be gone below */
    if (self != owner) mark_shared(group);
    if (self) {
        heist__omp_cell *cell = &group->cells[self->index];
        /* C3: after all that the task did. Pairs with C3 in is_over. Last touch of the group. relaxed: its own */
        heist__store_release(&cell->finished, heist__load_relaxed(&cell->finished) + 1);
    } else {
        heist__add_acq_rel(&group->cells[owner->team->capacity].finished, 1); /* C3: last touch of the group */
    }
    if (self != owner) heist__omp_wake(owner);
}

static bool is_over(heist__omp_slot *self, const void *what)
{
    const heist__omp_group *group = what;
    const heist__omp_cell *own = &group->cells[self->index];
    uint64_t balance = 0;
    if (!heist__load_acquire(&group->shared)) { /* C2. Pairs with C2 in mark_shared. */
        /* relaxed: its own. If the difference is that of the beginning, all tasks were finished here. */
        return heist__load_relaxed(&own->created) - heist__load_relaxed(&own->finished) == group->owed;
    }
    /* C3 */
    for (unsigned i = 0; i <= self->team->capacity; i++) balance -= heist__load_acquire(&group->cells[i].finished);
    /* C3 */
    for (unsigned i = 0; i <= self->team->capacity; i++) balance += heist__load_acquire(&group->cells[i].created);
    return balance == 0;
}

void heist__omp_group_end(heist__omp_slot *self)
{
    heist__omp_group *group = self->current->group;
    if (__builtin_expect(self->current->flags >= HEIST__OMP_TASK_GROUP, 0)) {
        self->current->flags -= HEIST__OMP_TASK_GROUP;
        return;
    }
    if (!is_over(self, group)) {
        self->ending_group = true;
        heist__omp_wait_until(self, true, is_over, group);
        self->ending_group = false;
    }
    self->current->group = group->prev;
    group->prev = self->groups;
    self->groups = group;
}
