/* Waiting for children, and yielding to them: see wait.h. */
#include "openmp/core/call.h"
#include "openmp/core/find.h"
#include "openmp/core/group.h"
#include "openmp/core/private_tail.h"
#include "openmp/core/wait.h"

static bool children_done(heist__omp_slot *self, const void *what)
{
    (void)self;
    return heist__omp_children_done(what);
}

/* Runs a child that was set aside, as heist__omp_task_run does, but without the steps that such a task seldom needs. */
static inline void run_child(heist__omp_slot *self, heist__omp_task *task)
{
    heist__omp_task *parent = self->current;
    if (__builtin_expect(self->cancellable || task->site || task->icvs != self->icvs || task->data != task->room, 0)) {
        heist__omp_task_run_within(self, task);
        return;
    }
    heist__omp_task_call(self, parent, task, task->fn, task->data, parent->nested + 1);
    if (__builtin_expect(task->group != NULL, 0)) heist__omp_group_finished(self, task->group);
    parent->done_here++;
    heist__store_release(&self->finished, heist__load_relaxed(&self->finished) + 1); /* B1; relaxed: its own */
    heist__omp_task_gone(self, task);
}

__attribute__((noinline)) static void wait_for_others(heist__omp_slot *self)
{
    heist__omp_task *task = self->current, *next;
    if (heist__omp_children_done(task)) return;
    /* relaxed: a hint. Where there is a queue, it comes first. */
    while (heist__load_relaxed(&self->team->queued) == 0 && (next = heist__omp_find_own(self))) {
        bool is_child = heist__load_relaxed(&next->parent) == task; /* relaxed: this thread has the task */
        heist__omp_task_run(self, next);
        /* While there are children here, `away` is not read: other threads write it. */
        if (task->spawned == task->done_here || (!is_child && heist__omp_children_done(task))) return;
    }
    heist__omp_wait_until(self, true, children_done, task);
}

void heist__omp_taskwait_slow(heist__omp_slot *self)
{
    heist__omp_task *task = self->current, *child;
    self->counters.taskwaits++;
    /* relaxed: as above */
    while (heist__load_relaxed(&self->team->queued) == 0 && (child = heist__omp_tail_pop_child(self))) {
        run_child(self, child);
        if (task->spawned == task->done_here) break;
    }
    if (task->spawned != task->done_here) wait_for_others(self);
    if (!(task->flags & HEIST__OMP_TASK_EVENT)) task->site = 0; /* a child created now follows none of those before */
}

void heist__omp_taskyield(heist__omp_slot *self)
{
    heist__omp_task *task = heist__omp_find(self, true);
    if (task) heist__omp_task_run(self, task);
}
