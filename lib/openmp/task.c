/* From creation to completion: GOMP_task, and what becomes of a task. (clang's entries that create one are in kmp/task.c.)
 *
 * A task may be run by its creator at once, which costs little more than a call, or be put off: its data is copied
 * into a record, and that pushed to the creator's deque. It is put off while the deque is short, or somebody is
 * without work. */
#include <string.h>

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
    self->ending_group = false;
    if (__builtin_expect(task->icvs != self->icvs, 0)) heist__omp_icvs_install(self, task->icvs);
    heist__omp_task_call(self, self->current, task, task->fn, task->data, self->current->nested);
    self->ending_group = ending_group;
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

#ifndef HEIST__OMP_LLVM

/* As the caller left it when it called GOMP_task. */
typedef struct creation {
    heist__omp_body *fn;
    void *data;
    void (*copy)(void *, void *);
    size_t size, align;
    unsigned flags;
    void **depend;
    int priority;
    void *detach;
} creation;

/* Whether a task had better not run at once because its creator would have to wait for others, or for its event. A
 * creator of very many dependent tasks has to. */
static bool has_to_wait(heist__omp_slot *self, const creation *c)
{
    if (c->flags & HEIST__GOMP_DETACH) return true;
    return (c->flags & HEIST__GOMP_DEPEND) && !heist__omp_depend_over(self, c->depend) &&
           !heist__omp_many_children(self);
}

/* `task`: its record, or NULL. */
static void now_on(heist__omp_slot *self, heist__omp_task *task, const creation *c, void *data, uint32_t kind)
{
    if (task) {
        task->flags |= HEIST__TASK_NOW;
        heist__omp_task_now(self, task, data);
    } else {
        heist__omp_task_merged(self, c->fn, data, kind);
    }
}

/* On a copy of the data, which the program's function makes. */
static void now_on_copy(heist__omp_slot *self, heist__omp_task *task, const creation *c, uint32_t kind)
{
    char room[c->size + c->align];
    char *place = (char *)(((uintptr_t)room + c->align - 1) & ~(uintptr_t)(c->align - 1));
    c->copy(place, c->data);
    now_on(self, task, c, place, kind);
}

/* All the memory that it takes to put a task off. */
static bool prepare(heist__omp_slot *self, heist__omp_task *task, const creation *c)
{
    bool depends = c->flags & HEIST__GOMP_DEPEND;
    if (depends && !heist__omp_depend_prepare(self, task, c->depend)) return false;
    if (heist__omp_task_data(self, task, c->data, c->copy, c->size, c->align)) return true;
    if (depends) heist__omp_depend_forget(self, task);
    return false;
}

static int32_t priority_of(heist__omp_slot *self, const creation *c)
{
    int most = self->team->max_priority;
    if (!(c->flags & HEIST__GOMP_PRIORITY) || c->priority <= 0) return 0;
    return c->priority < most ? c->priority : most;
}

static void put_off_special(heist__omp_slot *self, heist__omp_task *task, const creation *c)
{
    task->priority = priority_of(self, c);
    heist__omp_task_counted(self, task);
    if (c->flags & HEIST__GOMP_DEPEND) {
        heist__omp_depend(self, task, c->depend);
    } else {
        heist__omp_task_push(self, task);
    }
}

_Noreturn static void no_memory_for_event(void)
{
    heist__omp_fatal("GOMP_task: no memory for a task with an event");
}

/* One with an event that cannot be put off: run, but the event is not waited for. */
static void run_unwaited(heist__omp_slot *self, heist__omp_task *task, const creation *c)
{
    if (c->flags & HEIST__GOMP_DEPEND) heist__omp_depend_wait(self, c->depend);
    if (!heist__omp_task_data(self, task, c->data, c->copy, c->size, c->align)) no_memory_for_event();
    heist__omp_task_counted(self, task);
    heist__omp_task_run(self, task);
}

enum { SPECIAL = HEIST__GOMP_DEPEND | HEIST__GOMP_PRIORITY | HEIST__GOMP_DETACH | HEIST__GOMP_FINAL };

/* Whatever is not the common case: dependences, priority, event, final, if(0), cancellation. */
__attribute__((noinline)) static void create_special(heist__omp_slot *self, const creation *c, bool if_clause)
{
    heist__omp_task *parent = self->current;
    if (self->cancellable && heist__omp_cancelled(self, parent->group)) return;
    bool depends = c->flags & HEIST__GOMP_DEPEND;
    uint32_t kind = heist__omp_inherited(parent) | (c->flags & HEIST__GOMP_FINAL ? HEIST__TASK_FINAL : 0);
    bool now = !if_clause || (parent->flags & HEIST__TASK_CALLS) ||
               (heist__omp_crowded_for(self, priority_of(self, c)) && !has_to_wait(self, c));
    heist__omp_task *task = heist__omp_task_new(self, c->fn, kind);
    if (c->flags & HEIST__GOMP_DETACH) {
        /* Run at once, it would be waited for; but its event may be fulfilled by what comes after. */
        if (!task || (!(kind & HEIST__TASK_FINAL) && (kind & HEIST__TASK_ALONE))) no_memory_for_event();
        heist__omp_event_attach(task, c->detach, c->data);
    }
    if (!now && task && prepare(self, task, c)) {
        put_off_special(self, task, c);
        return;
    }
    if (!now && (c->flags & HEIST__GOMP_DETACH)) {
        run_unwaited(self, task, c);
        return;
    }
    if (depends) heist__omp_depend_wait(self, c->depend);
    if (c->copy) {
        now_on_copy(self, task, c, kind);
    } else {
        now_on(self, task, c, c->data, kind);
    }
}

__attribute__((noinline)) static void leave_counted(heist__omp_slot *self, heist__omp_task *task)
{
    self->record_count--;
    leave(self, task, 0);
}

/* Not put off: like a call, with a record that comes back if no child is put off. `kind`: flags of its record. */
static inline void run_now(heist__omp_slot *self, heist__omp_body *fn, void *data, uint32_t kind)
{
    heist__omp_task *parent = self->current;
    heist__omp_task *task = heist__omp_record_borrow(self);
    if (__builtin_expect(!task, 0)) {
        heist__omp_task_merged(self, fn, data, kind);
        return;
    }
    heist__omp_task_born(self, parent, task, kind | HEIST__TASK_NOW);
    heist__omp_task_call(self, parent, task, fn, data, parent->nested + 1);
    if (__builtin_expect(task->spawned == 0, 1)) {
        heist__omp_record_return(self, task);
    } else {
        leave_counted(self, task);
    }
}

/* On a copy of the data, which the program's function makes. */
__attribute__((noinline)) static void run_copy(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size,
                                               long align, uint32_t kind)
{
    char room[size + align];
    char *place = (char *)(((uintptr_t)room + (size_t)align - 1) & ~((uintptr_t)align - 1));
    copy(place, data);
    run_now(heist__omp_self, fn, place, kind);
}

/* The functions below have GOMP_task's first arguments, or all, so that it reaches them by a jump. */
#define PARAMETERS                                                                                                     \
    heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,              \
        unsigned flags, void **depend, int priority, void *detach
#define ARGUMENTS fn, data, copy, size, align, if_clause, flags, depend, priority, detach

__attribute__((noinline)) static void create_with_clauses(PARAMETERS)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        creation c = {fn, data, copy, (size_t)size, (size_t)align, flags, depend, priority, detach};
        create_special(self, &c, if_clause);
    } else {
        heist__omp_activate();
        HEIST__REAL(GOMP_task)(ARGUMENTS);
    }
}

/* What must run at once, and has nothing to wait for, is what a program's own cut-off makes most of its tasks. */
__attribute__((noinline)) static void create_otherwise(PARAMETERS)
{
    heist__omp_slot *self = heist__omp_self;
    const heist__omp_task *parent = self ? self->current : NULL;
    if (!self || (if_clause && !(parent->flags & HEIST__TASK_CALLS)) ||
        (flags & (HEIST__GOMP_DEPEND | HEIST__GOMP_DETACH))) {
        create_with_clauses(ARGUMENTS);
        return;
    }
    if (self->cancellable && heist__omp_cancelled(self, parent->group)) return;
    uint32_t kind = heist__omp_inherited(parent) | (flags & HEIST__GOMP_FINAL ? HEIST__TASK_FINAL : 0);
    if (copy) {
        run_copy(fn, data, copy, size, align, kind);
        return;
    }
    run_now(self, fn, data, kind);
}

__attribute__((noinline)) static void put_off(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size,
                                              long align)
{
    heist__omp_slot *self = heist__omp_self;
    heist__omp_task *task = heist__omp_task_new(self, fn, 0);
    if (__builtin_expect(task && heist__omp_task_data(self, task, data, copy, (size_t)size, (size_t)align), 1)) {
        heist__omp_task_counted(self, task);
        heist__omp_task_push(self, task);
        return;
    }
    if (task) heist__omp_record_give(self, task); /* no memory for its data: it cannot be put off */
    if (copy) {
        run_copy(fn, data, copy, size, align, 0);
    } else {
        run_now(self, fn, data, 0);
    }
}

void GOMP_task(PARAMETERS)
{
    heist__omp_slot *self = heist__omp_self;
    if (__builtin_expect(!self || (flags & SPECIAL) || !if_clause || (self->current->flags & HEIST__TASK_CALLS) ||
                             self->cancellable,
                         0)) {
        create_otherwise(ARGUMENTS);
        return;
    }
    if (!heist__omp_crowded(self)) {
        put_off(fn, data, copy, size, align);
        return;
    }
    if (copy) {
        run_copy(fn, data, copy, size, align, 0);
        return;
    }
    run_now(self, fn, data, 0);
}

#endif

/* ---- waiting for children, and yielding to them ---- */

static bool children_done(heist__omp_slot *self, const void *what)
{
    (void)self;
    const heist__omp_task *task = what;
    return task->spawned - task->done_here + heist__load_acquire(&task->away) == 0; /* C1 */
}

void heist__omp_taskwait(heist__omp_slot *self)
{
    heist__omp_task *task = self->current;
    if (task->spawned == task->done_here || children_done(self, task)) return;
    self->counters.taskwaits++;
    heist__omp_task *next;
    /* relaxed: a hint. Where there is a queue, it comes first. */
    while (heist__load_relaxed(&self->team->queued) == 0 && (next = heist__omp_find_own(self))) {
        bool is_child = heist__load_relaxed(&next->parent) == task; /* relaxed: the task is ours */
        heist__omp_task_run(self, next);
        /* While there are children here, others are left to write `away` in peace. */
        if (task->spawned == task->done_here || (!is_child && children_done(self, task))) return;
    }
    heist__omp_help(self, true, children_done, task);
}

void heist__omp_taskyield(heist__omp_slot *self)
{
    heist__omp_task *task = heist__omp_find(self, true);
    if (task) heist__omp_task_run(self, task);
}

#ifndef HEIST__OMP_LLVM

void GOMP_taskwait(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (__builtin_expect(!self, 0)) {
        HEIST__REAL(GOMP_taskwait)();
        return;
    }
    heist__omp_taskwait(self);
}

void GOMP_taskyield(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        heist__omp_taskyield(self);
    } else {
        HEIST__REAL(GOMP_taskyield)();
    }
}

#endif

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
