/* GOMP_task: a task as gcc creates it. (clang's entries that do are in kmp/task.c.) The common case has a way of its own;
 * what a clause can ask for beside goes through create_special. */
#include "openmp/brief.h"
#include "openmp/create.h"
#include "openmp/real.h"

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

/* Whether a task had better not run at once because its creator would have to wait for others. A creator of very many
 * dependent tasks has to; not for one with an event, which whatever comes after may depend on when its body is over. */
static bool has_to_wait(heist__omp_slot *self, const creation *c)
{
    if (!(c->flags & HEIST__GOMP_DEPEND)) return false;
    return (c->flags & HEIST__GOMP_DETACH) ||
           (!heist__omp_depend_over(self, c->depend) && !heist__omp_many_children(self));
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

static bool is_crowded(heist__omp_slot *self, const creation *c)
{
    int32_t priority = priority_of(self, c);
    return c->flags & HEIST__GOMP_DEPEND ? heist__omp_crowded_dependent(self, priority)
                                         : heist__omp_crowded_for(self, priority);
}

/* `fate`: as in heist__omp_task_put. */
static void put_off_special(heist__omp_slot *self, heist__omp_task *task, const creation *c, uint32_t fate)
{
    task->priority = priority_of(self, c);
    heist__omp_task_counted(self, task);
    if (c->flags & HEIST__GOMP_DEPEND) {
        heist__omp_depend(self, task, c->depend);
    } else {
        heist__omp_task_put(self, task, fate);
    }
}

/* Of one that could run at once. Those with dependences, a priority or an event have another order. */
static uint32_t site_says(heist__omp_slot *self, const creation *c)
{
    enum { ORDERED = HEIST__GOMP_DEPEND | HEIST__GOMP_DETACH };
    if ((c->flags & ORDERED) || priority_of(self, c) > 0) return HEIST__SITE_AT_ONCE;
    return heist__omp_site_says(self, (uintptr_t)c->fn);
}

_Noreturn static void no_memory_for_event(void)
{
    heist__omp_fatal("GOMP_task: no memory for a task with an event");
}

/* One with an event that is not put off: run, but the event is not waited for. */
static void run_unwaited(heist__omp_slot *self, heist__omp_task *task, const creation *c)
{
    if (c->flags & HEIST__GOMP_DEPEND) heist__omp_depend_wait(self, c->depend);
    if (!heist__omp_task_data(self, task, c->data, c->copy, c->size, c->align)) no_memory_for_event();
    heist__omp_task_counted(self, task);
    heist__omp_task_run_within(self, task);
}

enum { SPECIAL = HEIST__GOMP_DEPEND | HEIST__GOMP_PRIORITY | HEIST__GOMP_DETACH | HEIST__GOMP_FINAL };

/* Whatever is not the common case: dependences, priority, event, final, if(0), cancellation. */
__attribute__((noinline)) static void create_special(heist__omp_slot *self, const creation *c, bool if_clause)
{
    heist__omp_task *parent = self->current;
    if (self->cancellable && heist__omp_cancelled(self, parent->group)) return;
    bool depends = c->flags & HEIST__GOMP_DEPEND;
    uint32_t kind = heist__omp_inherited(parent) | (c->flags & HEIST__GOMP_FINAL ? HEIST__TASK_FINAL : 0);
    bool must = !if_clause || (parent->flags & HEIST__TASK_CALLS);
    bool large = c->copy && c->size > HEIST__OMP_LARGE_DATA;
    bool now = must || (!large && is_crowded(self, c) && !has_to_wait(self, c));
    uint32_t fate = must ? HEIST__SITE_AT_ONCE : now ? site_says(self, c) : HEIST__SITE_ASK;
    heist__omp_task *task = heist__omp_task_new(self, c->fn, kind);
    if (c->flags & HEIST__GOMP_DETACH) {
        /* It would be waited for; but its event may be fulfilled by what comes after. */
        if (!task || (!(kind & HEIST__TASK_FINAL) && (kind & HEIST__TASK_ALONE))) no_memory_for_event();
        heist__omp_event_attach(task, c->detach, c->data);
    }
    if (fate != HEIST__SITE_AT_ONCE && task && prepare(self, task, c)) {
        put_off_special(self, task, c, fate);
        return;
    }
    if (!must && (c->flags & HEIST__GOMP_DETACH)) {
        run_unwaited(self, task, c);
        return;
    }
    if (depends) heist__omp_depend_wait(self, c->depend);
    int64_t begin = depends ? heist__omp_brief_begin(self) : 0;
    if (c->copy) {
        now_on_copy(self, task, c, kind);
    } else {
        now_on(self, task, c, c->data, kind);
    }
    if (depends) heist__omp_brief_end(self, begin);
}

/* Not put off: like a call, with a record that comes back if no child is put off. `kind`: flags of its record. */
static inline void run_now(heist__omp_slot *self, heist__omp_body *fn, void *data, uint32_t kind)
{
    heist__omp_task *parent = self->current;
    heist__omp_task *task = heist__omp_record_take(self);
    if (__builtin_expect(!task, 0)) {
        heist__omp_task_merged(self, fn, data, kind);
        return;
    }
    heist__omp_task_born(self, parent, task, kind | HEIST__TASK_NOW);
    heist__omp_task_call(self, parent, task, fn, data, parent->nested + 1);
    heist__omp_task_gone(self, task);
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

/* `fate`: as in heist__omp_task_put. */
static void put_off(heist__omp_slot *self, heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size,
                    long align, uint32_t fate)
{
    heist__omp_task *task = heist__omp_task_new(self, fn, 0);
    if (__builtin_expect(task && heist__omp_task_data(self, task, data, copy, (size_t)size, (size_t)align), 1)) {
        heist__omp_task_counted(self, task);
        heist__omp_task_put(self, task, fate);
        return;
    }
    if (task) heist__omp_record_give(self, task); /* no memory for its data: it cannot be put off */
    if (copy) {
        run_copy(fn, data, copy, size, align, 0);
    } else {
        run_now(self, fn, data, 0);
    }
}

/* To run at once, unless the copy is large: the stack is not the place for it then. */
__attribute__((noinline)) static void run_small_copy(heist__omp_body *fn, void *data, void (*copy)(void *, void *),
                                                     long size, long align)
{
    if (__builtin_expect(size > HEIST__OMP_LARGE_DATA, 0)) {
        put_off(heist__omp_self, fn, data, copy, size, align, HEIST__SITE_ASK);
    } else {
        run_copy(fn, data, copy, size, align, 0);
    }
}

__attribute__((noinline)) static void create_asking(heist__omp_body *fn, void *data, void (*copy)(void *, void *),
                                                    long size, long align, uint32_t fate)
{
    heist__omp_slot *self = heist__omp_self;
    if (fate == HEIST__SITE_ASK) fate = heist__omp_fate_asked(self, (uintptr_t)fn);
    if (fate != HEIST__SITE_AT_ONCE) {
        put_off(self, fn, data, copy, size, align, fate);
    } else if (copy) {
        run_small_copy(fn, data, copy, size, align);
    } else {
        run_now(self, fn, data, 0);
    }
}

/* put_off without what such a task has seldom. */
__attribute__((noinline)) static void set_aside(heist__omp_body *fn, void *data, void (*copy)(void *, void *),
                                                long size, long align)
{
    heist__omp_slot *self = heist__omp_self;
    heist__omp_task *task = *self->record;
    if (__builtin_expect(!task || copy || size > HEIST__OMP_INLINE || align > HEIST__LINE, 0)) {
        create_asking(fn, data, copy, size, align, HEIST__SITE_ASIDE);
        return;
    }
    self->record--; /* as heist__omp_record_take; there is one */
    heist__omp_task_born(self, self->current, task, 0);
    task->fn = fn;
    task->home = self;
    task->priority = 0;
    task->data = task->room;
    heist__omp_copy(task->room, data, (size_t)size);
    heist__omp_task_counted(self, task);
    heist__omp_task_put(self, task, HEIST__SITE_ASIDE);
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
    uint32_t fate = heist__omp_fate(self, (uintptr_t)fn);
    if (fate == HEIST__SITE_ASIDE) {
        set_aside(fn, data, copy, size, align);
    } else if (__builtin_expect(fate != HEIST__SITE_AT_ONCE, 0)) {
        create_asking(fn, data, copy, size, align, fate);
    } else if (copy) {
        run_small_copy(fn, data, copy, size, align);
    } else {
        run_now(self, fn, data, 0);
    }
}
