/* A task from its beginning to its completion: see task.h. (The entries that create tasks are in gomp/task.c and
 * kmp/task.c.) */
#include "openmp/core/task.h"

#include "openmp/core/block.h"
#include "openmp/core/call.h"
#include "openmp/core/cancel.h"
#include "openmp/core/create.h"
#include "openmp/core/dependent_cost.h"
#include "openmp/core/event.h"
#include "openmp/preload/runtime_symbols.h"

/* ---- the end of a record ---- */

static void record_gone(heist__omp_slot *self, heist__omp_task *task)
{
    task->spawned = 0;
    task->done_here = 0;
    heist__store_relaxed(&task->away, 0); /* relaxed: no other thread has the record */
    task->table = NULL;
    task->node = NULL;
    if (self) {
        heist__omp_record_give(self, task);
    } else {
        heist__omp_record_give_outside(task);
    }
}

void heist__omp_task_drop(heist__omp_slot *self, heist__omp_task *task)
{
    /* C1: the child's effects, before its parent goes on; and all uses of the record before it is given back. Pairs
     * with C1 in leave and heist__omp_children_done. */
    if (heist__add_acq_rel(&task->away, -1) == 1) record_gone(self, task);
}

/* The body has ended. `more`: reasons to keep the record beside unfinished children. */
static inline void leave(heist__omp_slot *self, heist__omp_task *task, int64_t more)
{
    int64_t left = task->spawned - task->done_here + more;
    if (__builtin_expect(task->table != NULL, 0)) heist__omp_depend_end(self, task);
    if (left != 0 && heist__load_acquire(&task->away) != -left) { /* C1 */
        task->flags |= HEIST__OMP_TASK_ENDED;
        if (heist__add_acq_rel(&task->away, left) != -left) return; /* C1 */
    }
    record_gone(self, task);
}

/* ---- completion ---- */

static inline void tell_parent(heist__omp_slot *self, heist__omp_task *parent, heist__omp_slot *home)
{
    if (__builtin_expect(home == self, 1) && !(parent->flags & HEIST__OMP_TASK_ENDED)) {
        parent->done_here++;
        return;
    }
    heist__omp_task_drop(self, parent);
    if (home != self) heist__omp_wake(home);
}

void heist__omp_tell_parent(heist__omp_slot *self, heist__omp_task *parent, heist__omp_slot *home)
{
    tell_parent(self, parent, home);
}

void heist__omp_task_complete(heist__omp_slot *self, heist__omp_task *task)
{
    if (__builtin_expect(task->node != NULL, 0)) heist__omp_depend_release(self, task);
    if (task->flags & HEIST__OMP_TASK_NOW) return;
    /* Read now: the task may be gone below. Only outside the team by its home, whose thread writes there all the
     * time. */
    heist__omp_team *team = self ? self->team : task->home->team;
    if (task->group) heist__omp_group_finished(self, task->group);
    /* relaxed: this thread has the task, which keeps its parent */
    tell_parent(self, heist__load_relaxed(&task->parent), task->home);
    /* B1: the last touch of the region on behalf of this task. Pairs with B1 in barrier.c. relaxed: its own */
    if (self) {
        heist__store_release(&self->finished, heist__load_relaxed(&self->finished) + 1);
    } else {
        heist__add_acq_rel(&team->finished_outside, 1); /* B1 */
    }
}

/* ---- running ---- */

static inline void call_taken(heist__omp_slot *self, heist__omp_task *task)
{
    bool ending_group = self->ending_group;
    bool depends = task->node != NULL;
    int64_t begin = __builtin_expect(depends, 0) ? heist__omp_dependent_cost_begin(self) : 0;
    self->ending_group = false;
    if (!(task->flags & HEIST__OMP_TASK_EVENT) && __builtin_expect(task->site != 0, 0)) {
        if (task->home == self) heist__omp_creation_site_learn(self, task);
        task->site = 0;
    }
    if (__builtin_expect(task->icvs != self->icvs, 0)) heist__omp_icvs_install(self, task->icvs);
    heist__omp_task_call(self, self->current, task, task->fn, task->data, self->current->nested);
    self->ending_group = ending_group;
    if (__builtin_expect(depends, 0)) heist__omp_dependent_cost_end(self, begin);
}

static void end_with_event(heist__omp_slot *self, heist__omp_task *task, bool discarded)
{
    if (heist__omp_event_body_ended(task) || discarded) {
        heist__omp_task_complete(self, task);
        leave(self, task, discarded); /* a discarded task's record is kept for ever: its event may still be fulfilled */
    } else {
        leave(self, task, 1); /* until the event is fulfilled */
    }
}

void heist__omp_task_run(heist__omp_slot *self, heist__omp_task *task)
{
    self->counters.stolen += task->home != self; /* not where it is taken: a task may be taken several times */
    bool discarded = __builtin_expect(self->cancellable, 0) && !(task->flags & HEIST__OMP_TASK_COPIED) &&
                     heist__omp_cancelled(self, task->group);
    if (!discarded) call_taken(self, task);
    if (__builtin_expect(task->data != task->room, 0)) heist__omp_block_free(self, task->data);
    if (__builtin_expect(task->flags & HEIST__OMP_TASK_EVENT, 0)) {
        end_with_event(self, task, discarded);
        return;
    }
    heist__omp_task_complete(self, task);
    leave(self, task, 0);
}

void heist__omp_task_run_within(heist__omp_slot *self, heist__omp_task *task)
{
    heist__omp_task *parent = self->current;
    parent->nested++;
    heist__omp_task_run(self, task);
    parent->nested--;
}

static bool is_fulfilled(heist__omp_slot *self, const void *task)
{
    (void)self;
    return heist__omp_event_fulfilled((heist__omp_task *)task);
}

void heist__omp_task_left(heist__omp_slot *self, heist__omp_task *task)
{
    if (task->flags & HEIST__OMP_TASK_EVENT) heist__omp_wait_until(self, true, is_fulfilled, task);
    leave(self, task, 0);
}

void heist__omp_task_now(heist__omp_slot *self, heist__omp_task *task, void *data)
{
    /* A child of the current task has its control variables, and is called where the thread waits for no group. */
    heist__omp_task_call(self, self->current, task, task->fn, data, self->current->nested + 1);
    heist__omp_task_left(self, task);
}

void heist__omp_task_merged(heist__omp_slot *self, heist__omp_body *fn, void *data, uint32_t flags)
{
    heist__omp_task *task = self->current;
    heist__omp_icvs *icvs = task->icvs;
    uint32_t final = task->flags & HEIST__OMP_TASK_FINAL;
    task->flags |= flags & HEIST__OMP_TASK_FINAL;
    task->nested++;
    fn(data);
    task->nested--;
    task->flags = (task->flags & ~(uint32_t)HEIST__OMP_TASK_FINAL) | final;
    task->icvs = icvs;
    if (icvs != self->icvs) heist__omp_icvs_install(self, icvs);
}

void heist__omp_task_ready(heist__omp_slot *self, heist__omp_task *task)
{
    if (self) {
        heist__omp_task_push(self, task);
    } else { /* from outside: it has no place in the order of descent of a thread's deque */
        heist__omp_queue_put(task->home->team, task);
        heist__omp_wake_one(task->home->team);
    }
}

/* ---- questions of the program ---- */

static inline int in_final(void)
{
    HEIST__SELF_OR_RUNTIME(self, omp_in_final, ());
    return (self->current->flags & HEIST__OMP_TASK_FINAL) != 0;
}

int omp_in_final(void)
{
    HEIST__IF_MEANT_OTHERWISE(omp_in_final, ());
    return in_final();
}

int omp_in_final_(void)
{
    HEIST__IF_MEANT_OTHERWISE(omp_in_final, ());
    return in_final();
}

static inline int in_explicit_task(void)
{
    HEIST__SELF_OR_RUNTIME(self, omp_in_explicit_task, ());
    return !(self->current->flags & HEIST__OMP_TASK_IMPLICIT);
}

int omp_in_explicit_task(void)
{
    HEIST__IF_MEANT_OTHERWISE(omp_in_explicit_task, ());
    return in_explicit_task();
}

int omp_in_explicit_task_(void)
{
    HEIST__IF_MEANT_OTHERWISE(omp_in_explicit_task, ());
    return in_explicit_task();
}
