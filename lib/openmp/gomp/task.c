/* GOMP_task: a task as gcc creates it. (clang's entries that do are in kmp/task.c.) The common case has a way of its
 * own; tasks with clauses go through create_special. */
#include "openmp/core/call.h"
#include "openmp/core/cancel.h"
#include "openmp/core/create.h"
#include "openmp/core/dependent_cost.h"
#include "openmp/core/event.h"
#include "openmp/gomp/clauses.h"
#include "openmp/preload/load.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

/* ---- tasks with clauses ---- */

/* The arguments of GOMP_task. */
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

/* `task`: its record, or NULL. */
static void now_on(heist__omp_slot *self, heist__omp_task *task, const creation *c, void *data, uint32_t kind)
{
    if (task) {
        task->flags |= HEIST__OMP_TASK_NOW;
        heist__omp_task_now(self, task, data);
    } else {
        heist__omp_task_merged(self, c->fn, data, kind);
    }
}

/* Runs the task on a copy of the data, which the program's function makes. */
static void now_on_copy(heist__omp_slot *self, heist__omp_task *task, const creation *c, uint32_t kind)
{
    char room[c->size + c->align];
    char *place = (char *)(((uintptr_t)room + c->align - 1) & ~(uintptr_t)(c->align - 1));
    c->copy(place, c->data);
    now_on(self, task, c, place, kind);
}

/* Gets all the memory that it takes to put the task off. */
static bool prepare(heist__omp_slot *self, heist__omp_task *task, const creation *c, const heist__omp_request *r)
{
    if (r->clauses && !heist__omp_depend_prepare(self, task, r->clauses)) return false;
    if (heist__omp_task_data(self, task, c->data, c->copy, c->size, c->align)) return true;
    if (r->clauses) heist__omp_depend_forget(self, task);
    return false;
}

static int32_t priority_of(heist__omp_slot *self, const creation *c)
{
    int most = self->team->max_priority;
    if (!(c->flags & HEIST__GOMP_PRIORITY) || c->priority <= 0) return 0;
    return c->priority < most ? c->priority : most;
}

_Noreturn static void no_memory_for_event(void)
{
    heist__omp_fatal("GOMP_task: no memory for a task with an event");
}

static void attach_event(heist__omp_task *task, const creation *c, uint32_t kind)
{
    /* A task that is alone would be waited for; but code that comes after it may fulfil its event. */
    bool alone = !(kind & HEIST__OMP_TASK_FINAL) && (kind & HEIST__OMP_TASK_ALONE);
    if (!task || alone) no_memory_for_event();
    heist__omp_event_attach(task, c->detach, c->data);
}

/* Runs a task with an event that is not put off. The event is not waited for. */
static void run_unwaited(heist__omp_slot *self, heist__omp_task *task, const creation *c, const heist__omp_request *r)
{
    if (r->clauses) heist__omp_depend_wait(self, r->clauses);
    if (!heist__omp_task_data(self, task, c->data, c->copy, c->size, c->align)) no_memory_for_event();
    heist__omp_task_counted(self, task);
    heist__omp_task_run_within(self, task);
}

/* Runs the task within this call. `task`: its record, or NULL. */
static void run_measured(heist__omp_slot *self, heist__omp_task *task, const creation *c, const heist__omp_request *r,
                         uint32_t kind)
{
    if (r->clauses) heist__omp_depend_wait(self, r->clauses);
    int64_t begin = r->clauses ? heist__omp_dependent_cost_begin(self) : 0;
    if (c->copy) {
        now_on_copy(self, task, c, kind);
    } else {
        now_on(self, task, c, c->data, kind);
    }
    if (r->clauses) heist__omp_dependent_cost_end(self, begin);
}

enum { SPECIAL = HEIST__GOMP_DEPEND | HEIST__GOMP_PRIORITY | HEIST__GOMP_DETACH | HEIST__GOMP_FINAL };

static void run_or_put_off_large(heist__omp_slot *self, heist__omp_body *fn, void *data, void (*copy)(void *, void *),
                                 long size, long align);

/* Everything but the common case: dependences, priority, event, final, if(0), cancellation. */
__attribute__((noinline)) static void create_special(heist__omp_slot *self, const creation *c, bool if_clause)
{
    heist__omp_task *parent = self->current;
    if (self->cancellable && heist__omp_cancelled(self, parent->group)) return;
    uint32_t kind = heist__omp_inherited(parent) | (c->flags & HEIST__GOMP_FINAL ? HEIST__OMP_TASK_FINAL : 0);
    heist__depend_clauses clauses;
    if (c->flags & HEIST__GOMP_DEPEND) clauses = heist__gomp_clauses(c->depend);
    heist__omp_request request = {
        .function = (uintptr_t)c->fn,
        .clauses = c->flags & HEIST__GOMP_DEPEND ? &clauses : NULL,
        .priority = priority_of(self, c),
        .event = c->flags & HEIST__GOMP_DETACH,
        .must = !if_clause || (parent->flags & HEIST__OMP_TASK_CALLS),
        .large = c->copy && c->size > HEIST__OMP_LARGE_DATA,
        .bytes = c->size,
    };
    bool plain = !request.clauses && !request.event && !request.must && request.priority == 0 && kind == 0;
    if (plain && request.large) {
        run_or_put_off_large(self, c->fn, c->data, c->copy, (long)c->size, (long)c->align);
        return;
    }
    uint32_t decision = heist__omp_decide(self, &request);
    heist__omp_task *task = heist__omp_task_new(self, c->fn, kind);
    if (request.event) attach_event(task, c, kind);
    if (decision != HEIST__RUN_AT_ONCE && task && prepare(self, task, c, &request)) {
        heist__omp_task_submit(self, task, &request, decision);
    } else if (request.event && !request.must) {
        run_unwaited(self, task, c, &request);
    } else {
        run_measured(self, task, c, &request, kind);
    }
}

/* ---- the common case ---- */

/* Runs a task like a call, in a record that is free again if the task puts no child off. `kind`: its flags. */
static inline void run_now(heist__omp_slot *self, heist__omp_body *fn, void *data, uint32_t kind)
{
    heist__omp_task *parent = self->current;
    heist__omp_task *task = heist__omp_record_take(self);
    if (__builtin_expect(!task, 0)) {
        heist__omp_task_merged(self, fn, data, kind);
        return;
    }
    heist__omp_task_init(self, parent, task, kind | HEIST__OMP_TASK_NOW);
    heist__omp_task_call(self, parent, task, fn, data, parent->nested + 1);
    heist__omp_task_gone(self, task);
}

/* The same on a copy of the data, which the program's function makes. */
__attribute__((noinline)) static void run_copy(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size,
                                               long align, uint32_t kind)
{
    char room[size + align];
    char *place = (char *)(((uintptr_t)room + (size_t)align - 1) & ~((uintptr_t)align - 1));
    copy(place, data);
    run_now(heist__omp_self, fn, place, kind);
}

/* The functions below have GOMP_task's first parameters, or all, so that GOMP_task reaches them by a jump. */
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
        HEIST__RUNTIME(GOMP_task)(ARGUMENTS);
    }
}

/* A task that must run at once, and has nothing to wait for: a program's own cut-off makes most of its tasks such. */
__attribute__((noinline)) static void create_otherwise(PARAMETERS)
{
    heist__omp_slot *self = heist__omp_self;
    const heist__omp_task *parent = self ? self->current : NULL;
    if (!self || (if_clause && !(parent->flags & HEIST__OMP_TASK_CALLS)) ||
        (flags & (HEIST__GOMP_DEPEND | HEIST__GOMP_DETACH))) {
        create_with_clauses(ARGUMENTS);
        return;
    }
    if (self->cancellable && heist__omp_cancelled(self, parent->group)) return;
    uint32_t kind = heist__omp_inherited(parent) | (flags & HEIST__GOMP_FINAL ? HEIST__OMP_TASK_FINAL : 0);
    if (copy) {
        run_copy(fn, data, copy, size, align, kind);
        return;
    }
    run_now(self, fn, data, kind);
}

/* `decision`: as in heist__omp_task_put. */
static void put_off(heist__omp_slot *self, heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size,
                    long align, uint32_t decision)
{
    heist__omp_task *task = heist__omp_task_new(self, fn, 0);
    if (__builtin_expect(task && heist__omp_task_data(self, task, data, copy, (size_t)size, (size_t)align), 1)) {
        heist__omp_task_counted(self, task);
        heist__omp_task_put(self, task, decision);
        return;
    }
    if (task) heist__omp_record_give(self, task); /* no memory for its data: it cannot be put off */
    if (copy) {
        run_copy(fn, data, copy, size, align, 0);
    } else {
        run_now(self, fn, data, 0);
    }
}

/* A task whose copy is too large for the stack: put off, or, if too many of that kind are, run in a block. */
static void run_or_put_off_large(heist__omp_slot *self, heist__omp_body *fn, void *data, void (*copy)(void *, void *),
                                 long size, long align)
{
    bool run = heist__omp_holds_too_much(self, (size_t)size);
    heist__omp_task *task = run ? heist__omp_task_new(self, fn, 0) : NULL;
    if (task && heist__omp_task_data(self, task, data, copy, (size_t)size, (size_t)align)) {
        heist__omp_task_counted(self, task);
        heist__omp_task_run_within(self, task);
        return;
    }
    if (task) heist__omp_record_give(self, task);
    put_off(self, fn, data, copy, size, align, HEIST__PUT_OFF);
}

/* Runs a task at once, unless its copy is too large for the stack. */
__attribute__((noinline)) static void run_small_copy(heist__omp_body *fn, void *data, void (*copy)(void *, void *),
                                                     long size, long align)
{
    if (__builtin_expect(size > HEIST__OMP_LARGE_DATA, 0)) {
        run_or_put_off_large(heist__omp_self, fn, data, copy, size, align);
    } else {
        run_copy(fn, data, copy, size, align, 0);
    }
}

/* `decision`: that of heist__omp_decide_quickly. */
__attribute__((noinline)) static void create_deciding(heist__omp_body *fn, void *data, void (*copy)(void *, void *),
                                                      long size, long align, uint32_t decision)
{
    heist__omp_slot *self = heist__omp_self;
    if (decision == HEIST__PUT_OFF) decision = heist__omp_decide_fully(self, (uintptr_t)fn);
    if (decision != HEIST__RUN_AT_ONCE && heist__omp_holds_too_much(self, (size_t)size)) decision = HEIST__RUN_AT_ONCE;
    if (decision != HEIST__RUN_AT_ONCE) {
        put_off(self, fn, data, copy, size, align, decision);
    } else if (copy) {
        run_small_copy(fn, data, copy, size, align);
    } else {
        run_now(self, fn, data, 0);
    }
}

/* put_off without the steps that such a task seldom needs. */
__attribute__((noinline)) static void set_aside(heist__omp_body *fn, void *data, void (*copy)(void *, void *),
                                                long size, long align)
{
    heist__omp_slot *self = heist__omp_self;
    heist__omp_task *task = *self->record;
    if (__builtin_expect(!task || copy || size > HEIST__OMP_INLINE || align > HEIST__LINE, 0)) {
        create_deciding(fn, data, copy, size, align, HEIST__SET_ASIDE);
        return;
    }
    self->record--; /* as heist__omp_record_take; there is a record */
    heist__omp_task_init(self, self->current, task, 0);
    task->fn = fn;
    task->home = self;
    task->priority = 0;
    task->data = task->room;
    heist__omp_copy(task->room, data, (size_t)size);
    heist__omp_task_counted(self, task);
    heist__omp_task_put(self, task, HEIST__SET_ASIDE);
}

void GOMP_task(PARAMETERS)
{
    heist__omp_slot *self = heist__omp_self;
    if (__builtin_expect(!self || (flags & SPECIAL) || !if_clause || (self->current->flags & HEIST__OMP_TASK_CALLS) ||
                             self->cancellable,
                         0)) {
        create_otherwise(ARGUMENTS);
        return;
    }
    uint32_t decision = heist__omp_decide_quickly(self, (uintptr_t)fn);
    if (decision == HEIST__SET_ASIDE) {
        set_aside(fn, data, copy, size, align);
    } else if (__builtin_expect(decision != HEIST__RUN_AT_ONCE, 0)) {
        create_deciding(fn, data, copy, size, align, decision);
    } else if (copy) {
        run_small_copy(fn, data, copy, size, align);
    } else {
        run_now(self, fn, data, 0);
    }
}
