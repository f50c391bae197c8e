/* The team's queue: see queue.h. */
#include "openmp/core/queue.h"

#include "openmp/core/ancestry.h"
#include "openmp/core/group.h"
#include "openmp/core/own_lock.h"

static unsigned list_number(const heist__omp_team *team, const heist__omp_task *task)
{
    if (team->max_priority < HEIST__OMP_PRIORITY_LISTS) return (unsigned)task->priority;
    return (unsigned)((int64_t)task->priority * (HEIST__OMP_PRIORITY_LISTS - 1) / team->max_priority);
}

/* Whether an explicit task created it. */
static bool is_deep(const heist__omp_task *task)
{
    return heist__load_relaxed(&task->depth) > 1; /* relaxed: the calling thread has the task */
}

void heist__omp_queue_put(heist__omp_team *team, heist__omp_task *task)
{
    unsigned number = list_number(team, task);
    heist__omp_priority_list *list = &team->priority_lists[number];
    task->next = NULL;
    heist__own_lock(&team->lock);
    if (list->first) {
        list->last->next = task;
    } else {
        list->first = task;
    }
    list->last = task;
    team->lists_used |= UINT64_C(1) << number;
    /* relaxed: hints; the lock orders the queue */
    heist__add_relaxed(&team->queued, 1);
    if (is_deep(task)) heist__add_relaxed(&team->queued_deep, 1);
    heist__own_unlock(&team->lock);
}

static bool is_member(const heist__omp_group *of, const heist__omp_group *group)
{
    while (of && of != group) of = of->prev;
    return of != NULL;
}

/* Whether the thread may begin a task of the queue where it waits. A deque's answer may be a wrong no; this one must
 * be right for everything that the thread waits for, because no other thread might take the task. Children of the
 * waiting task are one step away, and tasks of its group are known by the group. */
static bool may_run(heist__omp_slot *self, heist__omp_task *task)
{
    return heist__omp_descends(task, self->current) ||
           (self->ending_group && is_member(task->group, self->current->group));
}

/* Takes the first task of a list that the thread may run. */
static heist__omp_task *take_from_list(heist__omp_slot *self, unsigned number, bool within)
{
    heist__omp_priority_list *list = &self->team->priority_lists[number];
    heist__omp_task *before = NULL, *task = list->first;
    while (task && within && !may_run(self, task)) {
        before = task;
        task = task->next;
    }
    if (!task) return NULL;
    *(before ? &before->next : &list->first) = task->next;
    if (!task->next) list->last = before;
    if (!list->first) self->team->lists_used &= ~(UINT64_C(1) << number);
    return task;
}

heist__omp_task *heist__omp_queue_take(heist__omp_slot *self, bool within)
{
    heist__omp_team *team = self->team;
    heist__omp_task *task = NULL;
    heist__own_lock(&team->lock);
    for (uint64_t used = team->lists_used; used && !task;) {
        unsigned number = 63 - (unsigned)__builtin_clzll(used);
        task = take_from_list(self, number, within);
        used &= ~(UINT64_C(1) << number);
    }
    if (task) { /* relaxed: as above */
        heist__add_relaxed(&team->queued, (uint32_t)-1);
        if (is_deep(task)) heist__add_relaxed(&team->queued_deep, (uint32_t)-1);
    }
    heist__own_unlock(&team->lock);
    return task;
}
