/* What becomes of a task, up to its completion. (Entries that create one are in gomp_task.c and kmp/task.c.)
 *
 * A task may be run by its creator at once, which costs little more than a call, or be put off: its data is copied
 * into a record, and that pushed to the creator's deque. It is put off while the deque is short, or somebody is
 * without work. */
#include <string.h>

#include "openmp/brief.h"
#include "openmp/create.h"
#include "openmp/group.h"
#include "openmp/memory.h"
#include "openmp/real.h"

/* A block outside the record remembers where it begins in the word before the data. */
size_t heist__omp_block_bytes(size_t size, size_t align)
{
    return size + align + sizeof(void *);
}

char *heist__omp_block_in(void *memory, size_t align)
{
    char *data = (char *)(((uintptr_t)memory + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1));
    memcpy(data - sizeof(void *), &memory, sizeof(void *));
    return data;
}

char *heist__omp_block(heist__omp_slot *self, size_t size, size_t align)
{
    void *memory = heist__omp_memory_take(self, heist__omp_block_bytes(size, align));
    return memory ? heist__omp_block_in(memory, align) : NULL;
}

void heist__omp_block_free(heist__omp_slot *self, void *data)
{
    void *block;
    memcpy(&block, (char *)data - sizeof(void *), sizeof(void *));
    heist__omp_memory_give(self, block);
}

/* ---- ends ---- */

static void record_gone(heist__omp_slot *self, heist__omp_task *task)
{
    task->spawned = 0;
    task->done_here = 0;
    heist__store_relaxed(&task->away, 0); /* relaxed: nobody else has the record */
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
    /* C1: what the child did, before its parent goes on; and all uses of the record before it is given back. */
    if (heist__add_acq_rel(&task->away, -1) == 1) record_gone(self, task);
}

/* `more`: other reasons to keep the record. */
static inline void leave(heist__omp_slot *self, heist__omp_task *task, int64_t more)
{
    int64_t left = task->spawned - task->done_here + more;
    if (__builtin_expect(task->table != NULL, 0)) heist__omp_table_free(self, task->table);
    if (left != 0 && heist__load_acquire(&task->away) != -left) { /* C1 */
        task->flags |= HEIST__TASK_ENDED;
        if (heist__add_acq_rel(&task->away, left) != -left) return; /* C1 */
    }
    record_gone(self, task);
}

/* A child of `parent` is complete, whose body ran on `home`. */
static inline void tell_parent(heist__omp_slot *self, heist__omp_task *parent, heist__omp_slot *home)
{
    if (__builtin_expect(home == self, 1) && !(parent->flags & HEIST__TASK_ENDED)) {
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
    if (task->flags & HEIST__TASK_NOW) return;
    /* read now: the task may be gone below. Not otherwise: its home's thread writes beside it all the time. */
    heist__omp_team *team = self ? self->team : task->home->team;
    if (task->group) heist__omp_group_finished(self, task->group);
    /* relaxed: the task is ours, and its parent kept for it */
    tell_parent(self, heist__load_relaxed(&task->parent), task->home);
    /* B1: the last touch of the region on behalf of this task. Pairs with B1 in barrier.c. */
    if (self) {
        heist__store_release(&self->finished, heist__load_relaxed(&self->finished) + 1); /* relaxed: its own */
    } else {
        heist__add_acq_rel(&team->finished_outside, 1); /* B1 */
    }
}

static inline void call_taken(heist__omp_slot *self, heist__omp_task *task)
{
    bool ending_group = self->ending_group;
    bool depends = task->node != NULL;
    int64_t begin = __builtin_expect(depends, 0) ? heist__omp_brief_begin(self) : 0;
    self->ending_group = false;
    if (!(task->flags & HEIST__TASK_EVENT) && __builtin_expect(task->site != 0, 0)) {
        if (task->home == self) heist__omp_site_learn(self, task);
        task->site = 0;
    }
    if (__builtin_expect(task->icvs != self->icvs, 0)) heist__omp_icvs_install(self, task->icvs);
    heist__omp_task_call(self, self->current, task, task->fn, task->data, self->current->nested);
    self->ending_group = ending_group;
    if (__builtin_expect(depends, 0)) heist__omp_brief_end(self, begin);
}

static void end_with_event(heist__omp_slot *self, heist__omp_task *task, bool discarded)
{
    if (heist__omp_event_body_ended(task) || discarded) {
        heist__omp_task_complete(self, task);
        leave(self, task, discarded); /* a discarded one is kept for ever: somebody may still fulfil its event */
    } else {
        leave(self, task, 1); /* until the event is fulfilled */
    }
}

void heist__omp_task_run(heist__omp_slot *self, heist__omp_task *task)
{
    bool discarded = __builtin_expect(self->cancellable, 0) && !(task->flags & HEIST__TASK_COPIED) &&
                     heist__omp_cancelled(self, task->group);
    if (!discarded) call_taken(self, task);
    if (__builtin_expect(task->data != task->room, 0)) heist__omp_block_free(self, task->data);
    if (__builtin_expect(task->flags & HEIST__TASK_EVENT, 0)) {
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
    if (task->flags & HEIST__TASK_EVENT) heist__omp_help(self, true, is_fulfilled, task);
    leave(self, task, 0);
}

void heist__omp_task_now(heist__omp_slot *self, heist__omp_task *task, void *data)
{
    /* A child of the current task has its control variables, and is called where nobody waits for a group. */
    heist__omp_task_call(self, self->current, task, task->fn, data, self->current->nested + 1);
    heist__omp_task_left(self, task);
}

void heist__omp_task_merged(heist__omp_slot *self, heist__omp_body *fn, void *data, uint32_t flags)
{
    heist__omp_task *task = self->current;
    heist__omp_icvs *icvs = task->icvs;
    uint32_t final = task->flags & HEIST__TASK_FINAL;
    task->flags |= flags & HEIST__TASK_FINAL;
    task->nested++;
    fn(data);
    task->nested--;
    task->flags = (task->flags & ~(uint32_t)HEIST__TASK_FINAL) | final;
    task->icvs = icvs;
    if (icvs != self->icvs) heist__omp_icvs_install(self, icvs);
}

/* ---- beginnings ---- */

void heist__omp_task_ready(heist__omp_slot *self, heist__omp_task *task)
{
    if (self) {
        heist__omp_task_push(self, task);
    } else { /* from outside: it has no place in the order of descent of anybody's deque */
        heist__omp_queue(task->home->team, task);
        heist__omp_wake_one(task->home->team);
    }
}

/* ---- waiting for children, and yielding to them ---- */

static bool children_done(heist__omp_slot *self, const void *what)
{
    (void)self;
    return heist__omp_children_done(what);
}

/* Runs a child that was set aside, as heist__omp_task_run does, but without what such tasks have seldom. */
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
        bool is_child = heist__load_relaxed(&next->parent) == task; /* relaxed: the task is ours */
        heist__omp_task_run(self, next);
        /* While there are children here, others are left to write `away` in peace. */
        if (task->spawned == task->done_here || (!is_child && heist__omp_children_done(task))) return;
    }
    heist__omp_help(self, true, children_done, task);
}

void heist__omp_taskwait_slow(heist__omp_slot *self)
{
    heist__omp_task *task = self->current, *child;
    self->counters.taskwaits++;
    /* relaxed: as above */
    while (heist__load_relaxed(&self->team->queued) == 0 && (child = heist__omp_aside_pop_child(self))) {
        run_child(self, child);
        if (task->spawned == task->done_here) break;
    }
    if (task->spawned != task->done_here) wait_for_others(self);
    if (!(task->flags & HEIST__TASK_EVENT)) task->site = 0; /* what comes now does not follow what was before */
}

void heist__omp_taskyield(heist__omp_slot *self)
{
    heist__omp_task *task = heist__omp_find(self, true);
    if (task) heist__omp_task_run(self, task);
}

int omp_in_final(void)
{
    heist__omp_slot *self = heist__omp_self;
    return self ? (self->current->flags & HEIST__TASK_FINAL) != 0 : HEIST__REAL(omp_in_final)();
}

int omp_in_final_(void)
{
    return omp_in_final();
}

int omp_in_explicit_task(void)
{
    heist__omp_slot *self = heist__omp_self;
    return self ? !(self->current->flags & HEIST__TASK_IMPLICIT) : HEIST__REAL(omp_in_explicit_task)();
}

int omp_in_explicit_task_(void)
{
    return omp_in_explicit_task();
}
