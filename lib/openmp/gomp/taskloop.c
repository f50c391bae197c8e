/* taskloop: a loop divided into tasks. Bounds and step are 64 bits wide in both entries, signed in one and unsigned
 * in the other; once the number of iterations is known, arithmetic modulo 2^64 serves both. If the data has no copy
 * function, most tasks are not created one by one: see taskloop_span.h. */
#include <stddef.h>
#include <string.h>

#include "openmp/core/taskloop_span.h"
#include "openmp/core/team.h"
#include "openmp/preload/load.h"
#include "openmp/preload/runtime_symbols.h"

typedef struct taskloop {
    /* Other threads read this for each task, while this thread writes the bounds into `data`, which may lie beside it
     * on the stack: a line on both sides keeps them apart. (Not by alignment: gcc 12 does not align what
     * AddressSanitizer moves off the stack, gcc bug 110027.) */
    char apart_from_below[HEIST__LINE];
    heist__omp_body *fn;
    char *data; /* begins with a task's bounds, followed by the address of the task reductions, if any */
    void (*copy)(void *, void *);
    size_t size, align;
    unsigned flags;
    int priority;
    heist__omp_taskloop loop;
    char apart_from_above[HEIST__LINE];
} taskloop;

static uintptr_t *reductions_of(const char *data)
{
    uintptr_t *reductions;
    memcpy(&reductions, data + 2 * sizeof(uint64_t), sizeof reductions);
    return reductions;
}

static bool registers_reductions(unsigned flags)
{
    return (flags & (HEIST__GOMP_NOGROUP | HEIST__GOMP_REDUCTION)) == HEIST__GOMP_REDUCTION;
}

/* There is nothing to do. Tells the caller that no reductions were registered. */
static void leave_early(const taskloop *loop)
{
    if (registers_reductions(loop->flags)) reductions_of(loop->data)[2] = 0;
}

/* `wanted` is the grain size, or the number of tasks; 0: as many as there are threads. */
static void divide(heist__omp_taskloop *loop, unsigned flags, uint64_t wanted, unsigned threads)
{
    if ((flags & HEIST__GOMP_GRAINSIZE) && (flags & HEIST__GOMP_STRICT)) {
        heist__omp_taskloop_divide_strictly(loop, wanted);
    } else if (flags & HEIST__GOMP_GRAINSIZE) {
        heist__omp_taskloop_divide(loop, loop->iterations / wanted);
    } else {
        heist__omp_taskloop_divide(loop, wanted ? wanted : threads);
    }
}

static void set_bounds(char *data, uint64_t from, uint64_t to)
{
    memcpy(data, &from, sizeof from);
    memcpy(data + sizeof from, &to, sizeof to);
}

/* `task`: its record, or NULL. */
static void run_on(heist__omp_slot *self, heist__omp_task *task, const taskloop *loop, void *data)
{
    if (task) {
        task->flags |= HEIST__OMP_TASK_NOW;
        heist__omp_task_now(self, task, data);
    } else {
        heist__omp_task_merged(self, loop->fn, data, loop->flags & HEIST__GOMP_FINAL ? HEIST__OMP_TASK_FINAL : 0);
    }
}

static void run_copy(heist__omp_slot *self, heist__omp_task *task, const taskloop *loop, uint64_t from, uint64_t to)
{
    char room[loop->size + loop->align];
    char *place = (char *)(((uintptr_t)room + loop->align - 1) & ~(uintptr_t)(loop->align - 1));
    loop->copy(place, loop->data);
    set_bounds(place, from, to);
    run_on(self, task, loop, place);
}

static void run_now(heist__omp_slot *self, heist__omp_task *task, const taskloop *loop, uint64_t from, uint64_t to)
{
    if (loop->copy) {
        run_copy(self, task, loop, from, to);
    } else {
        set_bounds(loop->data, from, to);
        run_on(self, task, loop, loop->data);
    }
}

/* ---- spans ---- */

typedef struct span_context {
    heist__omp_task *task; /* for the span's tasks, in turn. NULL: no memory. */
    char *data;
} span_context;

static const taskloop *whole(const heist__omp_taskloop *part)
{
    return (const taskloop *)((const char *)part - offsetof(taskloop, loop));
}

static heist__omp_task *record_for(heist__omp_slot *self, const heist__omp_taskloop *loop)
{
    heist__omp_task *task = heist__omp_record_take(self);
    if (task) heist__omp_task_init(self, loop->parent, task, 0);
    return task;
}

static inline void run_one(heist__omp_slot *self, const heist__omp_taskloop *loop, void *context, uint64_t i,
                           uint64_t from, uint64_t to)
{
    (void)i;
    span_context *r = context;
    heist__omp_body *fn = whole(loop)->fn;
    set_bounds(r->data, from, to);
    if (__builtin_expect(!r->task, 0)) {
        heist__omp_task_merged(self, fn, r->data, loop->kind);
    } else if (__builtin_expect(!heist__omp_span_call(self, loop, r->task, loop->kind, fn, r->data), 0)) {
        heist__omp_task_left(self, r->task);
        r->task = record_for(self, loop);
    }
}

static void run_elsewhere(void *what);

static void run_span(heist__omp_slot *self, const heist__omp_span *s, char *data)
{
    span_context r = {record_for(self, s->loop), data};
    heist__omp_span_run(self, s, run_elsewhere, run_one, &r);
    if (r.task) heist__omp_record_give(self, r.task);
}

/* Runs a span on data of the thread's own: another thread changes the bounds in the loop's data meanwhile. */
static void run_elsewhere(void *what)
{
    const heist__omp_span *s = what;
    const taskloop *loop = whole(s->loop);
    enum { BOUNDS = 2 * sizeof(uint64_t) };
    char room[loop->size + loop->align];
    char *data = (char *)(((uintptr_t)room + loop->align - 1) & ~(uintptr_t)(loop->align - 1));
    memcpy(data + BOUNDS, loop->data + BOUNDS, loop->size - BOUNDS);
    run_span(heist__omp_self, s, data);
}

/* `alone`: no other thread takes any. */
static void run_spans(heist__omp_slot *self, taskloop *loop, bool alone)
{
    heist__omp_taskloop_prepare(self, &loop->loop, loop->flags & HEIST__GOMP_FINAL ? HEIST__OMP_TASK_FINAL : 0, alone);
    heist__omp_span all = {&loop->loop, 0, loop->loop.tasks};
    run_span(self, &all, loop->data);
}

/* ---- one by one ---- */

static void create(heist__omp_slot *self, const taskloop *loop, bool now, uint64_t from, uint64_t to)
{
    uint32_t flags = heist__omp_inherited(self->current);
    if (loop->flags & HEIST__GOMP_FINAL) flags |= HEIST__OMP_TASK_FINAL;
    heist__omp_task *task = heist__omp_task_new(self, loop->fn, flags);
    if (task) task->priority = loop->priority;
    if (now || !task || heist__omp_has_enough_for(self, loop->priority) ||
        !heist__omp_task_data(self, task, loop->data, loop->copy, loop->size, loop->align)) {
        run_now(self, task, loop, from, to);
    } else {
        set_bounds(task->data, from, to);
        heist__omp_task_counted(self, task);
        heist__omp_task_push(self, task);
    }
}

static void create_all(heist__omp_slot *self, const taskloop *loop, bool now)
{
    uint64_t from = loop->loop.start;
    for (uint64_t i = 0; i < loop->loop.tasks; i++) {
        uint64_t to = heist__omp_taskloop_begin(&loop->loop, i + 1);
        create(self, loop, now, from, to);
        from = to;
    }
}

static void run(heist__omp_slot *self, taskloop *loop, uint64_t wanted, int priority)
{
    bool grouped = !(loop->flags & HEIST__GOMP_NOGROUP);
    bool cancelled = self->cancellable && heist__omp_cancelled(self, self->current->group);
    if (loop->loop.iterations == 0 || cancelled) {
        leave_early(loop);
        return;
    }
    unsigned threads = heist__load_relaxed(&self->team->size); /* relaxed: see heist__omp_slot_enter */
    divide(&loop->loop, loop->flags, wanted, threads);
    if (priority > 0) /* gcc sets no flag for it here */
        loop->priority = priority < self->team->max_priority ? priority : self->team->max_priority;
    if (grouped) GOMP_taskgroup_start();
    if (registers_reductions(loop->flags)) GOMP_taskgroup_reduction_register(reductions_of(loop->data));
    bool now = !(loop->flags & HEIST__GOMP_IF) || (self->current->flags & HEIST__OMP_TASK_CALLS);
    bool alone = now || self->most_enough == 0;
    bool deep = !now && heist__omp_is_deep(self); /* then tasks are put off, one by one */
    if (!loop->copy && !deep && (alone || (grouped && loop->priority == 0))) {
        run_spans(self, loop, alone);
    } else {
        create_all(self, loop, now);
    }
    if (grouped) GOMP_taskgroup_end();
}

static uint64_t count_signed(long start, long end, long step)
{
    if (step > 0) return start < end ? ((uint64_t)end - (uint64_t)start + (uint64_t)step - 1) / (uint64_t)step : 0;
    return start > end ? ((uint64_t)start - (uint64_t)end - (uint64_t)step - 1) / (0 - (uint64_t)step) : 0;
}

static uint64_t count_unsigned(bool up, uint64_t start, uint64_t end, uint64_t step)
{
    if (up) return start < end ? (end - start - 1) / step + 1 : 0;
    return start > end ? (start - end - 1) / (0 - step) + 1 : 0;
}

static taskloop loop_of(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size, long align,
                        unsigned flags)
{
    return (taskloop){
        .fn = fn, .data = data, .copy = copy, .size = (size_t)size, .align = (size_t)align, .flags = flags};
}

/* For a taskloop outside of heist's regions. Its reductions are registered here if it is in no region at all, where
 * libgomp would make a team for them (reduction.c). Returns the flags for libgomp. */
static unsigned register_outside(const char *data, unsigned flags)
{
    heist__omp_activate();
    if (!registers_reductions(flags) || HEIST__RUNTIME(omp_get_level)() > 0) return flags;
    GOMP_taskgroup_reduction_register(reductions_of(data));
    return flags & ~(unsigned)HEIST__GOMP_REDUCTION;
}

void GOMP_taskloop(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size, long align, unsigned flags,
                   unsigned long num_tasks, int priority, long start, long end, long step)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        flags = register_outside(data, flags);
        HEIST__RUNTIME(GOMP_taskloop)(fn, data, copy, size, align, flags, num_tasks, priority, start, end, step);
        return;
    }
    taskloop loop = loop_of(fn, data, copy, size, align, flags);
    loop.loop.start = (uint64_t)start;
    loop.loop.step = (uint64_t)step;
    loop.loop.iterations = count_signed(start, end, step);
    run(self, &loop, num_tasks, priority);
}

void GOMP_taskloop_ull(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size, long align,
                       unsigned flags, unsigned long num_tasks, int priority, heist__ull start, heist__ull end,
                       heist__ull step)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        flags = register_outside(data, flags);
        HEIST__RUNTIME(GOMP_taskloop_ull)(fn, data, copy, size, align, flags, num_tasks, priority, start, end, step);
        return;
    }
    taskloop loop = loop_of(fn, data, copy, size, align, flags);
    loop.loop.start = start;
    loop.loop.step = step;
    loop.loop.iterations = count_unsigned(flags & HEIST__GOMP_UP, start, end, step);
    run(self, &loop, num_tasks, priority);
}
