/* taskloop: a loop divided into tasks, as libomp divides it. The program hands over a task as a pattern; each task is
 * a copy of it with bounds of its own. Bounds are inclusive, 64 bits wide, and lie among the pattern's private data.
 * Where copying the bytes suffices, most tasks are not created one by one: see taskloop_span.h. */
#include <stddef.h>
#include <string.h>

#include "openmp/core/memory.h"
#include "openmp/core/taskloop_span.h"
#include "openmp/core/team.h"
#include "openmp/kmp/task.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

typedef void duplicate_function(heist__kmp_task *to, heist__kmp_task *from, int32_t last);

typedef struct taskloop {
    heist__kmp_task *pattern;
    int32_t flags; /* of __kmpc_omp_task_alloc */
    bool now;
    size_t lower, upper; /* where in the task the bounds are */
    duplicate_function *duplicate;
    uint64_t end;          /* of the loop, as the program says it */
    heist__omp_slot *home; /* the slot whose thread runs the task that has the loop */
    heist__omp_taskloop loop;
} taskloop;

/* As libomp does it: a program may count the tasks. */
static void divide(heist__omp_taskloop *loop, int32_t schedule, uint64_t amount, bool strict, unsigned threads)
{
    if (schedule == HEIST__KMP_GRAINSIZE) {
        uint64_t grain = amount ? amount : 1;
        if (strict) {
            heist__omp_taskloop_divide_strictly(loop, grain);
        } else {
            heist__omp_taskloop_divide(loop, loop->iterations / grain);
        }
    } else {
        bool said = schedule == HEIST__KMP_NUM_TASKS && amount;
        heist__omp_taskloop_divide(loop, said ? amount : (uint64_t)threads * 10);
    }
}

static uint64_t count(uint64_t start, uint64_t end, int64_t step)
{
    if (step == 1) return end - start + 1;
    return step < 0 ? (start - end) / (0 - (uint64_t)step) + 1 : (end - start) / (uint64_t)step + 1;
}

static int32_t flags_of(const heist__omp_task *record)
{
    int32_t flags = 0; /* untied tasks differ from tied ones only in that they may be called again */
    if (record->flags & HEIST__OMP_TASK_FINAL) flags |= HEIST__KMP_FINAL;
    if (record->flags & HEIST__KMP_TASK_PRIORITY) flags |= HEIST__KMP_PRIORITY;
    if (record->flags & HEIST__KMP_TASK_DESTRUCT) flags |= HEIST__KMP_DESTRUCTORS;
    return flags;
}

static void set_bounds(const taskloop *loop, heist__kmp_task *task, uint64_t from, uint64_t to)
{
    memcpy((char *)task + loop->lower, &from, sizeof from);
    memcpy((char *)task + loop->upper, &to, sizeof to);
}

/* ---- spans ---- */

static const taskloop *whole(const heist__omp_taskloop *part)
{
    return (const taskloop *)((const char *)part - offsetof(taskloop, loop));
}

/* A record for the tasks of a span, in turn: a task like the pattern, but for the fields that run_one fills in. */
static heist__omp_task *record_for(heist__omp_slot *self, const taskloop *loop)
{
    const heist__kmp_head *head = heist__kmp_head_of(loop->pattern);
    heist__kmp_task *task = heist__kmp_task_new(self, HEIST__KMP_TIED, head->size, head->shareds, NULL);
    heist__omp_task *record = heist__kmp_head_of(task)->task;
    heist__omp_task_init(self, loop->loop.parent, record, record->flags & HEIST__KMP_TASK_BLOCK);
    if (task->shareds) memcpy(task->shareds, loop->pattern->shareds, head->shareds);
    return record;
}

/* A task may change its private data: each task begins with the data of the pattern. */
static inline void run_one(heist__omp_slot *self, const heist__omp_taskloop *part, void *context, uint64_t i,
                           uint64_t from, uint64_t to)
{
    const taskloop *loop = whole(part);
    heist__omp_task **record = context;
    heist__kmp_task *task = heist__kmp_task_of((*record)->data);
    void *shareds = task->shareds;
    memcpy(task, loop->pattern, heist__kmp_head_of(loop->pattern)->size);
    task->shareds = shareds;
    set_bounds(loop, task, from, i + 1 == part->tasks ? loop->end : to - part->step);
    uint32_t flags = part->kind | ((*record)->flags & HEIST__KMP_TASK_BLOCK);
    if (__builtin_expect(!heist__omp_span_call(self, part, *record, flags, heist__kmp_run_plain, (*record)->data), 0)) {
        heist__kmp_task_ended(self, *record);
        *record = record_for(self, loop);
    }
}

static void run_elsewhere(void *what);

static void run_span(heist__omp_slot *self, const heist__omp_span *s)
{
    heist__omp_task *record = record_for(self, whole(s->loop));
    heist__omp_span_run(self, s, run_elsewhere, run_one, &record);
    heist__kmp_task_ended(self, record);
}

/* With its last span the loop is over. */
static void leave_loop(heist__omp_slot *self, taskloop *loop)
{
    if (!heist__omp_span_over(&loop->loop)) return;
    heist__kmp_task_discard(self, heist__kmp_head_of(loop->pattern)->task);
    heist__omp_tell_parent(self, loop->loop.parent, loop->home);
    heist__omp_memory_give(self, loop);
}

static void run_elsewhere(void *what)
{
    heist__omp_slot *self = heist__omp_self;
    const heist__omp_span *s = what;
    run_span(self, s);
    leave_loop(self, (taskloop *)whole(s->loop));
}

/* Spans are put off, and this thread does not wait for them: so the loop is in memory of its own. It counts as a
 * child of the task that has it, because its tasks do. False: no memory. */
static bool run_shared(heist__omp_slot *self, const taskloop *pattern)
{
    taskloop *loop = heist__omp_memory_take(self, sizeof *loop);
    if (!loop) return false;
    *loop = *pattern;
    loop->home = self;
    self->current->spawned++;
    heist__omp_span all = {&loop->loop, 0, loop->loop.tasks};
    run_span(self, &all);
    leave_loop(self, loop);
    return true;
}

/* ---- one by one ---- */

static void create(heist__omp_slot *self, const taskloop *loop, uint64_t from, uint64_t to, bool last)
{
    const heist__kmp_head *head = heist__kmp_head_of(loop->pattern);
    heist__kmp_task *task = heist__kmp_task_new(self, loop->flags, head->size, head->shareds, loop->pattern->routine);
    void *shareds = task->shareds;
    memcpy(task, loop->pattern, head->size);
    task->shareds = shareds;
    if (shareds) memcpy(shareds, loop->pattern->shareds, head->shareds);
    set_bounds(loop, task, from, to);
    if (loop->duplicate) loop->duplicate(task, loop->pattern, last);
    heist__kmp_task_submit(self, heist__kmp_record_of(task), NULL, loop->now);
}

static void create_all(heist__omp_slot *self, const taskloop *whole_loop)
{
    const heist__omp_taskloop *loop = &whole_loop->loop;
    uint64_t from = loop->start;
    for (uint64_t i = 0; i < loop->tasks; i++) {
        bool last = i == loop->tasks - 1;
        uint64_t next = heist__omp_taskloop_begin(loop, i + 1);
        create(self, whole_loop, from, last ? whole_loop->end : next - loop->step, last);
        from = next;
    }
}

static void run(heist__omp_slot *self, taskloop *loop)
{
    heist__omp_task *pattern = heist__kmp_head_of(loop->pattern)->task;
    enum { ONE_BY_ONE = HEIST__KMP_TASK_SPECIAL | HEIST__KMP_TASK_PRIORITY };
    bool now =
        loop->now || (self->current->flags & HEIST__OMP_TASK_CALLS) || (pattern->flags & HEIST__KMP_TASK_AT_ONCE);
    bool alone = now || self->most_enough == 0;
    /* With a lock held, or a low stack, each task is put off; a span would be begun here. */
    bool copied =
        !loop->duplicate && !(pattern->flags & ONE_BY_ONE) && !self->lock_depth && (now || !heist__omp_is_deep(self));
    heist__omp_taskloop_prepare(self, &loop->loop, pattern->flags & HEIST__OMP_TASK_FINAL, alone);
    if (copied && !alone && run_shared(self, loop)) return;
    if (copied && alone) {
        heist__omp_span all = {&loop->loop, 0, loop->loop.tasks};
        run_span(self, &all);
    } else {
        create_all(self, loop);
    }
    heist__kmp_task_discard(self, pattern);
}

void __kmpc_taskloop_5(void *loc, int32_t gtid, heist__kmp_task *task, int32_t if_value, uint64_t *lower,
                       uint64_t *upper, int64_t step, int32_t nogroup, int32_t schedule, uint64_t amount,
                       int32_t strict, void *duplicate)
{
    HEIST__SELF_OR_RUNTIME_VOID(
        self, __kmpc_taskloop_5,
        (loc, gtid, task, if_value, lower, upper, step, nogroup, schedule, amount, strict, duplicate));
    heist__omp_task *record = heist__kmp_record_of(task);
    if (!record) heist__omp_fatal("__kmpc_taskloop: of a task that libomp made");
    taskloop loop = {.pattern = task,
                     .flags = flags_of(record),
                     .now = !if_value,
                     .lower = (size_t)((char *)lower - (char *)task),
                     .upper = (size_t)((char *)upper - (char *)task),
                     .duplicate = (duplicate_function *)(uintptr_t)duplicate,
                     .end = *upper,
                     .loop = {.start = *lower, .step = (uint64_t)step, .iterations = count(*lower, *upper, step)}};
    if (!nogroup) __kmpc_taskgroup(loc, gtid);
    if (loop.loop.iterations) {
        divide(&loop.loop, schedule, amount, strict, heist__load_relaxed(&self->team->size)); /* relaxed: see slot.c */
        run(self, &loop);
    } else {
        heist__kmp_task_discard(self, record);
    }
    if (!nogroup) __kmpc_end_taskgroup(loc, gtid);
}

void __kmpc_taskloop(void *loc, int32_t gtid, heist__kmp_task *task, int32_t if_value, uint64_t *lower, uint64_t *upper,
                     int64_t step, int32_t nogroup, int32_t schedule, uint64_t amount, void *duplicate)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, __kmpc_taskloop,
                                (loc, gtid, task, if_value, lower, upper, step, nogroup, schedule, amount, duplicate));
    __kmpc_taskloop_5(loc, gtid, task, if_value, lower, upper, step, nogroup, schedule, amount, 0, duplicate);
}
