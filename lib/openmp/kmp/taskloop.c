/* taskloop: a loop cut into tasks, as libomp cuts it. The program hands over a task as a pattern; each task is a copy of
 * it with bounds of its own. Bounds are inclusive, 64 bits wide, and lie among the pattern's private data. Where a copy is
 * one of bytes, most tasks are not made one by one: see stretch.h. */
#include <stddef.h>
#include <string.h>

#include "openmp/kmp/kmp.h"
#include "openmp/memory.h"
#include "openmp/stretch.h"

typedef void duplicate_function(heist__kmp_task *to, heist__kmp_task *from, int32_t last);

typedef struct taskloop {
    heist__kmp_task *pattern;
    int32_t flags; /* of __kmpc_omp_task_alloc */
    bool now;
    size_t lower, upper; /* where in the task the bounds are */
    duplicate_function *duplicate;
    uint64_t end;          /* of the loop, as the program says it */
    heist__omp_slot *home; /* whose thread runs the task that has the loop */
    heist__omp_loop loop;
} taskloop;

/* As libomp does it: a program may count the tasks. */
static void divide(heist__omp_loop *loop, int32_t schedule, uint64_t amount, bool strict, unsigned threads)
{
    uint64_t n = loop->iterations;
    if (schedule == HEIST__KMP_GRAINSIZE) {
        if (amount == 0) amount = 1;
        if (strict && amount < n) {
            loop->tasks = n / amount + (n % amount != 0); /* the last one may be shorter */
            loop->least = amount;
            loop->longer = 0;
            return;
        }
        loop->tasks = amount < n ? n / amount : 1;
    } else {
        uint64_t wanted = schedule == HEIST__KMP_NUM_TASKS && amount ? amount : (uint64_t)threads * 10;
        loop->tasks = wanted < n ? wanted : n;
    }
    loop->least = n / loop->tasks;
    loop->longer = n % loop->tasks;
}

static uint64_t count(uint64_t start, uint64_t end, int64_t step)
{
    if (step == 1) return end - start + 1;
    return step < 0 ? (start - end) / (0 - (uint64_t)step) + 1 : (end - start) / (uint64_t)step + 1;
}

static int32_t flags_of(const heist__omp_task *record)
{
    int32_t flags = 0; /* untied tasks differ from tied ones only in that they may be called again */
    if (record->flags & HEIST__TASK_FINAL) flags |= HEIST__KMP_FINAL;
    if (record->flags & HEIST__KMP_TASK_PRIORITY) flags |= HEIST__KMP_PRIORITY;
    if (record->flags & HEIST__KMP_TASK_DESTRUCT) flags |= HEIST__KMP_DESTRUCTORS;
    return flags;
}

static void set_bounds(const taskloop *loop, heist__kmp_task *task, uint64_t from, uint64_t to)
{
    memcpy((char *)task + loop->lower, &from, sizeof from);
    memcpy((char *)task + loop->upper, &to, sizeof to);
}

/* ---- stretches ---- */

static const taskloop *whole(const heist__omp_loop *part)
{
    return (const taskloop *)((const char *)part - offsetof(taskloop, loop));
}

/* For the tasks of a stretch, in turn: a task like the pattern, but for what run_one fills in. */
static heist__omp_task *record_for(heist__omp_slot *self, const taskloop *loop)
{
    const heist__kmp_head *head = heist__kmp_head_of(loop->pattern);
    heist__kmp_task *task = heist__kmp_task_new(self, HEIST__KMP_TIED, head->size, head->shareds, NULL);
    heist__omp_task *record = heist__kmp_head_of(task)->task;
    heist__omp_task_born(self, loop->loop.parent, record, record->flags & HEIST__KMP_TASK_BLOCK);
    if (task->shareds) memcpy(task->shareds, loop->pattern->shareds, head->shareds);
    return record;
}

/* A task may change its private data: each begins with those of the pattern. */
static inline void run_one(heist__omp_slot *self, const heist__omp_loop *part, void *context, uint64_t i, uint64_t from,
                           uint64_t to)
{
    const taskloop *loop = whole(part);
    heist__omp_task **record = context;
    heist__kmp_task *task = heist__kmp_task_of((*record)->data);
    void *shareds = task->shareds;
    memcpy(task, loop->pattern, heist__kmp_head_of(loop->pattern)->size);
    task->shareds = shareds;
    set_bounds(loop, task, from, i + 1 == part->tasks ? loop->end : to - part->step);
    uint32_t flags = part->kind | ((*record)->flags & HEIST__KMP_TASK_BLOCK);
    if (__builtin_expect(!heist__omp_stretch_call(self, part, *record, flags, heist__kmp_run_plain, (*record)->data),
                         0)) {
        heist__kmp_task_ended(self, *record);
        *record = record_for(self, loop);
    }
}

static void run_elsewhere(void *what);

static void run_stretch(heist__omp_slot *self, const heist__omp_stretch *s)
{
    heist__omp_task *record = record_for(self, whole(s->loop));
    heist__omp_stretch_run(self, s, run_elsewhere, run_one, &record);
    heist__kmp_task_ended(self, record);
}

/* With its last stretch the loop is over. */
static void leave_loop(heist__omp_slot *self, taskloop *loop)
{
    if (!heist__omp_stretch_over(&loop->loop)) return;
    heist__kmp_task_discard(self, heist__kmp_head_of(loop->pattern)->task);
    heist__omp_tell_parent(self, loop->loop.parent, loop->home);
    heist__omp_memory_give(self, loop);
}

static void run_elsewhere(void *what)
{
    heist__omp_slot *self = heist__omp_self;
    const heist__omp_stretch *s = what;
    run_stretch(self, s);
    leave_loop(self, (taskloop *)whole(s->loop));
}

/* Stretches are put off, and nobody waits for them here: so the loop is in memory of its own, and counts as a child of the
 * task that has it, since its tasks do. False: no memory. */
static bool run_shared(heist__omp_slot *self, const taskloop *pattern)
{
    taskloop *loop = heist__omp_memory_take(self, sizeof *loop);
    if (!loop) return false;
    *loop = *pattern;
    loop->home = self;
    self->current->spawned++;
    heist__omp_stretch all = {&loop->loop, 0, loop->loop.tasks};
    run_stretch(self, &all);
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
    const heist__omp_loop *loop = &whole_loop->loop;
    uint64_t from = loop->start;
    for (uint64_t i = 0; i < loop->tasks; i++) {
        bool last = i == loop->tasks - 1;
        uint64_t next = heist__omp_loop_begin(loop, i + 1);
        create(self, whole_loop, from, last ? whole_loop->end : next - loop->step, last);
        from = next;
    }
}

static void run(heist__omp_slot *self, taskloop *loop)
{
    heist__omp_task *pattern = heist__kmp_head_of(loop->pattern)->task;
    enum { ONE_BY_ONE = HEIST__KMP_TASK_SPECIAL | HEIST__KMP_TASK_PRIORITY };
    bool now = loop->now || (self->current->flags & HEIST__TASK_CALLS) || (pattern->flags & HEIST__KMP_TASK_AT_ONCE);
    bool alone = now || self->most_enough == 0;
    /* With a lock held each is put off, see held.c, or where the stack is low; a stretch would be begun here. */
    bool copied =
        !loop->duplicate && !(pattern->flags & ONE_BY_ONE) && !self->held && (now || !heist__omp_is_deep(self));
    heist__omp_loop_prepare(self, &loop->loop, pattern->flags & HEIST__TASK_FINAL, alone);
    if (copied && !alone && run_shared(self, loop)) return;
    if (copied && alone) {
        heist__omp_stretch all = {&loop->loop, 0, loop->loop.tasks};
        run_stretch(self, &all);
    } else {
        create_all(self, loop);
    }
    heist__kmp_task_discard(self, pattern);
}

void __kmpc_taskloop_5(void *loc, int32_t gtid, heist__kmp_task *task, int32_t if_value, uint64_t *lower,
                       uint64_t *upper, int64_t step, int32_t nogroup, int32_t schedule, uint64_t amount,
                       int32_t strict, void *duplicate)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        HEIST__REAL(__kmpc_taskloop_5)
        (loc, gtid, task, if_value, lower, upper, step, nogroup, schedule, amount, strict, duplicate);
        return;
    }
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
        divide(&loop.loop, schedule, amount, strict, heist__load_relaxed(&self->team->size)); /* relaxed: see team.c */
        run(self, &loop);
    } else {
        heist__kmp_task_discard(self, record);
    }
    if (!nogroup) __kmpc_end_taskgroup(loc, gtid);
}

void __kmpc_taskloop(void *loc, int32_t gtid, heist__kmp_task *task, int32_t if_value, uint64_t *lower, uint64_t *upper,
                     int64_t step, int32_t nogroup, int32_t schedule, uint64_t amount, void *duplicate)
{
    if (heist__omp_self) {
        __kmpc_taskloop_5(loc, gtid, task, if_value, lower, upper, step, nogroup, schedule, amount, 0, duplicate);
    } else {
        HEIST__REAL(__kmpc_taskloop)
        (loc, gtid, task, if_value, lower, upper, step, nogroup, schedule, amount, duplicate);
    }
}
