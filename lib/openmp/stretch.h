/* Tasks of a taskloop that are not made one by one. A stretch of tasks in a row is run by one thread, one after another and
 * each as a task of its own, with one record; as long as there is little for others to take, that thread puts the second half
 * of its stretch off, as a task of heist's whose body runs that stretch, wherever it comes to. How many tasks there are,
 * and which iterations each has, is the same in any case.
 *
 * The loop's description, and the task whose children they are, have to last until the last stretch is over. What a task is,
 * differs from compiler to compiler: here is what they share, inline, as such a task may be as small as a call. */
#ifndef HEIST_OPENMP_STRETCH_H
#define HEIST_OPENMP_STRETCH_H

#include <string.h>

#include "openmp/create.h"

/* Arithmetic modulo 2^64 serves signed and unsigned loops alike. */
typedef struct heist__omp_loop {
    uint64_t start, step;
    uint64_t iterations, tasks;
    uint64_t least;  /* iterations of a task */
    uint64_t longer; /* how many tasks at the beginning have one more */
    /* Constant while stretches of it exist. */
    heist__omp_task *parent; /* of its tasks */
    uint32_t kind;           /* their flags */
    uint64_t grain;          /* tasks that a thread may keep to itself */
    int64_t enough;          /* how long a deque should be, as in create.h */
    /* Stretches that are not over. Written by: who puts one off, or has run one. */
    HEIST__ATOMIC(uint64_t) stretches;
} heist__omp_loop;

typedef struct heist__omp_stretch { /* of tasks, by their numbers */
    heist__omp_loop *loop;
    uint64_t first, end;
} heist__omp_stretch;

/* Who runs a stretch: `context` is handed on. Task i has the iterations from one to before the other. */
typedef void heist__omp_stretch_task(heist__omp_slot *self, const heist__omp_loop *loop, void *context, uint64_t i,
                                     uint64_t from, uint64_t to);

/* What the i-th task begins with. */
static inline uint64_t heist__omp_loop_begin(const heist__omp_loop *loop, uint64_t i)
{
    uint64_t iteration = i == loop->tasks ? loop->iterations : i * loop->least + (i < loop->longer ? i : loop->longer);
    return loop->start + iteration * loop->step;
}

/* Before the first stretch. `alone`: nobody is there to take any. */
static inline void heist__omp_loop_prepare(heist__omp_slot *self, heist__omp_loop *loop, uint32_t kind, bool alone)
{
    loop->parent = self->current;
    loop->kind = heist__omp_inherited(self->current) | kind;
    loop->grain = alone ? UINT64_MAX : loop->tasks / (uint64_t)self->plenty;
    loop->enough = alone ? 0 : self->most_enough;
    heist__store_relaxed(&loop->stretches, 1); /* relaxed: nobody else knows the loop yet */
}

/* A stretch is over: true for the last one. S1: all uses of the loop, before it goes. */
static inline bool heist__omp_stretch_over(heist__omp_loop *loop)
{
    return heist__add_acq_rel(&loop->stretches, (uint64_t)-1) == 1;
}

/* Whether part of what is left should be there for others. */
static inline bool heist__omp_stretch_wanted(heist__omp_slot *self, const heist__omp_loop *loop, uint64_t left)
{
    if (left > loop->grain) return true;
    /* relaxed: the bottom is our own, the top a hint */
    uint64_t bottom = heist__load_relaxed(&self->deque->bottom);
    return (int64_t)(bottom - heist__load_relaxed(&self->deque->top)) < loop->enough;
}

/* False: no memory. */
static inline bool heist__omp_stretch_put_off(heist__omp_slot *self, heist__omp_body *body, heist__omp_stretch s)
{
    heist__omp_task *task = heist__omp_task_new(self, body, 0);
    if (!task) return false;
    task->data = task->room;
    memcpy(task->room, &s, sizeof s);
    heist__add_relaxed(&s.loop->stretches, 1); /* relaxed: the caller's own is there */
    heist__omp_task_counted(self, task);
    heist__omp_task_push(self, task);
    return true;
}

/* `body` runs a stretch that was put off. */
static inline __attribute__((always_inline)) void heist__omp_stretch_run(heist__omp_slot *self,
                                                                         const heist__omp_stretch *s,
                                                                         heist__omp_body *body,
                                                                         heist__omp_stretch_task *run, void *context)
{
    heist__omp_loop *loop = s->loop;
    uint64_t end = s->end, from = heist__omp_loop_begin(loop, s->first);
    for (uint64_t i = s->first; i < end; i++) {
        while (end - i > 1 && heist__omp_stretch_wanted(self, loop, end - i)) {
            uint64_t middle = i + 1 + (end - i - 1) / 2;
            if (!heist__omp_stretch_put_off(self, body, (heist__omp_stretch){loop, middle, end})) break;
            end = middle;
        }
        if (__builtin_expect(self->cancellable, 0) && heist__omp_cancelled(self, loop->parent->group)) break;
        uint64_t to =
            i + 1 < end ? from + (loop->least + (i < loop->longer)) * loop->step : heist__omp_loop_begin(loop, end);
        run(self, loop, context, i, from, to);
        from = to;
    }
}

/* Calls the body of one task of a stretch, in a record that says all that is the same for them but `flags`. False: it put a
 * child off, so that the record is not free for the next. */
static inline bool heist__omp_stretch_call(heist__omp_slot *self, const heist__omp_loop *loop, heist__omp_task *task,
                                           uint32_t flags, heist__omp_body *fn, void *data)
{
    heist__omp_task *outer = self->current;
    task->flags = flags | HEIST__TASK_NOW;
    task->icvs = loop->parent->icvs;
    task->site = 0;
    /* L1: another task than the one before, from which some may descend that are still there. The fields are the same. */
    heist__store_release(&task->id, ++self->next_id);
    heist__omp_task_call(self, outer, task, fn, data, outer->nested + 1);
    return task->spawned == 0;
}

#endif
