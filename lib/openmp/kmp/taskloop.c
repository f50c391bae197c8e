/* taskloop: a loop cut into tasks, as libomp cuts it. The program hands over a task as a pattern; each task is a copy of
 * it with bounds of its own. Bounds are inclusive, 64 bits wide, and lie among the pattern's private data. */
#include <string.h>

#include "openmp/kmp/kmp.h"

typedef void duplicate_function(heist__kmp_task *to, heist__kmp_task *from, int32_t last);

typedef struct taskloop {
    heist__kmp_task *pattern;
    int32_t flags; /* of __kmpc_omp_task_alloc */
    bool now;
    size_t lower, upper; /* where in the task the bounds are */
    duplicate_function *duplicate;
    uint64_t start, end, step;
    uint64_t iterations, tasks;
    uint64_t least;  /* iterations of a task */
    uint64_t longer; /* how many tasks at the beginning have one more */
} taskloop;

/* As libomp does it: a program may count the tasks. */
static void divide(taskloop *loop, int32_t schedule, uint64_t amount, bool strict, unsigned threads)
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

static void create(heist__omp_slot *self, const taskloop *loop, uint64_t from, uint64_t to, bool last)
{
    const heist__kmp_head *head = heist__kmp_head_of(loop->pattern);
    heist__kmp_task *task = heist__kmp_task_new(self, loop->flags, head->size, head->shareds, loop->pattern->routine);
    void *shareds = task->shareds;
    memcpy(task, loop->pattern, head->size);
    task->shareds = shareds;
    if (shareds) memcpy(shareds, loop->pattern->shareds, head->shareds);
    memcpy((char *)task + loop->lower, &from, sizeof from);
    memcpy((char *)task + loop->upper, &to, sizeof to);
    if (loop->duplicate) loop->duplicate(task, loop->pattern, last);
    heist__kmp_task_submit(self, heist__kmp_record_of(task), NULL, loop->now);
}

static void create_all(heist__omp_slot *self, const taskloop *loop)
{
    uint64_t from = loop->start, left = loop->iterations;
    for (uint64_t i = 0; i < loop->tasks; i++) {
        bool last = i == loop->tasks - 1;
        uint64_t length = loop->least + (i < loop->longer);
        if (length > left) length = left;
        create(self, loop, from, last ? loop->end : from + (length - 1) * loop->step, last);
        from += length * loop->step;
        left -= length;
    }
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
                     .start = *lower,
                     .end = *upper,
                     .step = (uint64_t)step,
                     .iterations = count(*lower, *upper, step)};
    if (!nogroup) __kmpc_taskgroup(loc, gtid);
    if (loop.iterations) {
        divide(&loop, schedule, amount, strict, heist__load_relaxed(&self->team->size)); /* relaxed: see team.c */
        create_all(self, &loop);
    }
    heist__kmp_task_discard(self, record);
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
