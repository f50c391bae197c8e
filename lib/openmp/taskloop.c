/* taskloop: a loop cut into tasks. Bounds and step are 64 bits wide in both entries, signed in one and unsigned in the
 * other; once the number of iterations is known, arithmetic modulo 2^64 serves both.
 *
 * Most tasks need not be made one by one. A stretch of tasks in a row is run by one thread, one after another and each as
 * a task of its own, with one record; as long as there is little for others to take, that thread puts the second half
 * of its stretch off, as a task of heist's whose body runs that stretch, wherever it comes to. How many tasks there are,
 * and which iterations each has, is the same in any case. This needs the loop's description to last, so it is done where
 * the loop waits for its tasks; and data that are only values. */
#include <string.h>

#include "openmp/create.h"
#include "openmp/real.h"
#include "openmp/team.h"

typedef struct taskloop {
    heist__omp_body *fn;
    char *data; /* begins with the first and the end of a task's part, and with the task reductions, if any */
    void (*copy)(void *, void *);
    size_t size, align;
    unsigned flags;
    int priority;
    uint64_t start, step;
    uint64_t iterations, tasks;
    uint64_t least;  /* iterations of a task */
    uint64_t longer; /* how many tasks at the beginning have one more */
    /* Constant while stretches of it exist. */
    heist__omp_task *parent; /* of its tasks */
    uint32_t kind;           /* their flags */
    uint64_t grain;          /* tasks that a thread may keep to itself */
    int64_t enough;          /* how long a deque should be, as in create.h */
} taskloop;

static uintptr_t *reductions_of(const taskloop *loop)
{
    uintptr_t *reductions;
    memcpy(&reductions, loop->data + 2 * sizeof(uint64_t), sizeof reductions);
    return reductions;
}

static bool registers_reductions(const taskloop *loop)
{
    return (loop->flags & (HEIST__GOMP_NOGROUP | HEIST__GOMP_REDUCTION)) == HEIST__GOMP_REDUCTION;
}

/* Nothing to do: the caller is to know that no reductions were registered. */
static void leave_early(const taskloop *loop)
{
    if (registers_reductions(loop)) reductions_of(loop)[2] = 0;
}

/* `wanted` is the grain size, or the number of tasks, 0: as many as there are threads. */
static void divide(taskloop *loop, uint64_t wanted, unsigned threads)
{
    uint64_t n = loop->iterations;
    if ((loop->flags & HEIST__GOMP_GRAINSIZE) && (loop->flags & HEIST__GOMP_STRICT)) {
        loop->tasks = n / wanted + (n % wanted != 0); /* the last one may be shorter */
        loop->least = wanted;
        loop->longer = 0;
        return;
    }
    uint64_t tasks = loop->flags & HEIST__GOMP_GRAINSIZE ? n / wanted : wanted ? wanted : threads;
    loop->tasks = tasks == 0 ? 1 : tasks < n ? tasks : n;
    loop->least = n / loop->tasks;
    loop->longer = n % loop->tasks;
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
        task->flags |= HEIST__TASK_NOW;
        heist__omp_task_now(self, task, data);
    } else {
        heist__omp_task_merged(self, loop->fn, data, loop->flags & HEIST__GOMP_FINAL ? HEIST__TASK_FINAL : 0);
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

/* ---- stretches ---- */

typedef struct stretch { /* of tasks, by their numbers */
    const taskloop *loop;
    uint64_t first, end;
} stretch;

/* What the i-th task begins with. */
static uint64_t begin_of(const taskloop *loop, uint64_t i)
{
    uint64_t iteration = i == loop->tasks ? loop->iterations : i * loop->least + (i < loop->longer ? i : loop->longer);
    return loop->start + iteration * loop->step;
}

/* Whether part of what is left should be there for others. */
static inline bool is_wanted(heist__omp_slot *self, const taskloop *loop, uint64_t left)
{
    if (left > loop->grain) return true;
    /* relaxed: the bottom is our own, the top a hint */
    uint64_t bottom = heist__load_relaxed(&self->deque->bottom);
    return (int64_t)(bottom - heist__load_relaxed(&self->deque->top)) < loop->enough;
}

static void run_stretch(heist__omp_slot *self, const stretch *s, char *data);

/* On data of the thread's own: of the loop's, the bounds are changed by another thread meanwhile. */
static void run_elsewhere(void *what)
{
    const stretch *s = what;
    const taskloop *loop = s->loop;
    enum { BOUNDS = 2 * sizeof(uint64_t) };
    char room[loop->size + loop->align];
    char *data = (char *)(((uintptr_t)room + loop->align - 1) & ~(uintptr_t)(loop->align - 1));
    memcpy(data + BOUNDS, loop->data + BOUNDS, loop->size - BOUNDS);
    run_stretch(heist__omp_self, s, data);
}

/* False: no memory. */
static bool put_stretch_off(heist__omp_slot *self, stretch s)
{
    heist__omp_task *task = heist__omp_task_new(self, run_elsewhere, 0);
    if (!task) return false;
    task->data = task->room;
    memcpy(task->room, &s, sizeof s);
    heist__omp_task_counted(self, task);
    heist__omp_task_push(self, task);
    return true;
}

/* A record for the tasks of a stretch, in turn: all that is the same for them. NULL: no memory. */
static heist__omp_task *borrow_for(heist__omp_slot *self, const taskloop *loop)
{
    heist__omp_task *task = heist__omp_record_take(self);
    if (task) heist__omp_task_born(self, loop->parent, task, 0);
    return task;
}

/* One task. Returns the record for the next: the same, if this one put no child off. */
static inline heist__omp_task *run_one(heist__omp_slot *self, heist__omp_task *task, const taskloop *loop, void *data)
{
    heist__omp_task *outer = self->current;
    task->flags = loop->kind | HEIST__TASK_NOW;
    task->icvs = loop->parent->icvs;
    /* L1: another task than the one before, from which some may descend that are still there. The fields are the same. */
    heist__store_release(&task->id, ++self->next_id);
    heist__omp_task_call(self, outer, task, loop->fn, data, outer->nested + 1);
    if (__builtin_expect(task->spawned == 0, 1)) return task;
    heist__omp_task_left(self, task);
    return borrow_for(self, loop);
}

static void run_stretch(heist__omp_slot *self, const stretch *s, char *data)
{
    const taskloop *loop = s->loop;
    heist__omp_task *task = borrow_for(self, loop);
    uint64_t end = s->end, from = begin_of(loop, s->first);
    for (uint64_t i = s->first; i < end; i++) {
        while (end - i > 1 && is_wanted(self, loop, end - i)) {
            uint64_t middle = i + 1 + (end - i - 1) / 2;
            if (!put_stretch_off(self, (stretch){loop, middle, end})) break;
            end = middle;
        }
        if (__builtin_expect(self->cancellable, 0) && heist__omp_cancelled(self, loop->parent->group)) break;
        uint64_t to = i + 1 < end ? from + (loop->least + (i < loop->longer)) * loop->step : begin_of(loop, end);
        set_bounds(data, from, to);
        if (__builtin_expect(task != NULL, 1)) {
            task = run_one(self, task, loop, data);
        } else {
            heist__omp_task_merged(self, loop->fn, data, loop->kind);
        }
        from = to;
    }
    if (task) heist__omp_record_give(self, task);
}

/* `alone`: nobody is there to take any. */
static void run_stretches(heist__omp_slot *self, taskloop *loop, bool alone)
{
    loop->parent = self->current;
    loop->kind = heist__omp_inherited(self->current) | (loop->flags & HEIST__GOMP_FINAL ? HEIST__TASK_FINAL : 0u);
    loop->grain = alone ? UINT64_MAX : loop->tasks / (uint64_t)self->plenty;
    loop->enough = alone ? 0 : self->most_enough;
    stretch all = {loop, 0, loop->tasks};
    run_stretch(self, &all, loop->data);
}

/* ---- one by one ---- */

static void create(heist__omp_slot *self, const taskloop *loop, bool now, uint64_t from, uint64_t to)
{
    uint32_t flags = heist__omp_inherited(self->current);
    if (loop->flags & HEIST__GOMP_FINAL) flags |= HEIST__TASK_FINAL;
    heist__omp_task *task = heist__omp_task_new(self, loop->fn, flags);
    if (task) task->priority = loop->priority;
    if (now || !task || heist__omp_crowded_for(self, loop->priority) ||
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
    uint64_t from = loop->start, left = loop->iterations;
    for (uint64_t i = 0; i < loop->tasks; i++) {
        uint64_t length = loop->least + (i < loop->longer);
        if (length > left) length = left;
        create(self, loop, now, from, from + length * loop->step);
        from += length * loop->step;
        left -= length;
    }
}

static void run(heist__omp_slot *self, taskloop *loop, uint64_t wanted, int priority)
{
    bool grouped = !(loop->flags & HEIST__GOMP_NOGROUP);
    bool cancelled = self->cancellable && heist__omp_cancelled(self, self->current->group);
    if (loop->iterations == 0 || cancelled) {
        leave_early(loop);
        return;
    }
    divide(loop, wanted, heist__load_relaxed(&self->team->size)); /* relaxed: see heist__omp_slot_begin */
    if (priority > 0)                                             /* gcc sets no flag for it here */
        loop->priority = priority < self->team->max_priority ? priority : self->team->max_priority;
    if (grouped) GOMP_taskgroup_start();
    if (registers_reductions(loop)) GOMP_taskgroup_reduction_register(reductions_of(loop));
    bool now = !(loop->flags & HEIST__GOMP_IF) || (self->current->flags & HEIST__TASK_CALLS);
    bool alone = now || self->most_enough == 0;
    if (!loop->copy && (alone || (grouped && loop->priority == 0))) {
        run_stretches(self, loop, alone);
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

void GOMP_taskloop(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size, long align, unsigned flags,
                   unsigned long num_tasks, int priority, long start, long end, long step)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        heist__omp_activate();
        HEIST__REAL(GOMP_taskloop)(fn, data, copy, size, align, flags, num_tasks, priority, start, end, step);
        return;
    }
    taskloop loop = loop_of(fn, data, copy, size, align, flags);
    loop.start = (uint64_t)start;
    loop.step = (uint64_t)step;
    loop.iterations = count_signed(start, end, step);
    run(self, &loop, num_tasks, priority);
}

void GOMP_taskloop_ull(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size, long align,
                       unsigned flags, unsigned long num_tasks, int priority, heist__ull start, heist__ull end,
                       heist__ull step)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        heist__omp_activate();
        HEIST__REAL(GOMP_taskloop_ull)(fn, data, copy, size, align, flags, num_tasks, priority, start, end, step);
        return;
    }
    taskloop loop = loop_of(fn, data, copy, size, align, flags);
    loop.start = start;
    loop.step = step;
    loop.iterations = count_unsigned(flags & HEIST__GOMP_UP, start, end, step);
    run(self, &loop, num_tasks, priority);
}
