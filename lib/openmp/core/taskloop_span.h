/* Spans of taskloop tasks: tasks of a taskloop that are not created one by one.
 *
 * A span is a row of tasks. One thread runs it, one task after another and each as a task of its own, with one record.
 * As long as there is little for other threads to steal, that thread puts the second half of its span off, as a task
 * whose body runs that half in the thread that takes it. The number of tasks, and the iterations of each, are the same
 * in any case.
 *
 * The taskloop's description, and the task whose children its tasks are, have to last until the last span is over.
 * Tasks differ from compiler to compiler: this file has the part that the front ends share, inline, because such a task
 * may be as small as a call.
 *
 *   N3: all uses of the description, before its memory goes. */
#ifndef HEIST_OPENMP_CORE_TASKLOOP_SPAN_H
#define HEIST_OPENMP_CORE_TASKLOOP_SPAN_H

#include <string.h>

#include "openmp/core/call.h"
#include "openmp/core/cancel.h"
#include "openmp/core/create.h"

/* Arithmetic modulo 2^64 serves signed and unsigned loops alike. */
typedef struct heist__omp_taskloop {
    uint64_t start, step;
    uint64_t iterations, tasks;
    uint64_t least;  /* iterations of a task */
    uint64_t longer; /* how many tasks at the beginning have one more */
    /* Constant while spans of it exist. */
    heist__omp_task *parent; /* of its tasks */
    uint32_t kind;           /* their flags */
    uint64_t grain;          /* tasks that a thread may keep to itself */
    int64_t enough;          /* how long a deque should be, as in decide.h */
    char apart_from_the_constants[HEIST__LINE];
    /* Spans that are not over. Written by: threads that put one off, or have run one. */
    HEIST__ATOMIC(uint64_t) spans;
} heist__omp_taskloop;

typedef struct heist__omp_span { /* of tasks, by their numbers */
    heist__omp_taskloop *loop;
    uint64_t first, end;
} heist__omp_span;

/* Runs task i of a span: the iterations from `from` to before `to`. `context` is the one of heist__omp_span_run. */
typedef void heist__omp_span_task(heist__omp_slot *self, const heist__omp_taskloop *loop, void *context, uint64_t i,
                                  uint64_t from, uint64_t to);

/* Divides the iterations among about `tasks` tasks: at least one, at most one for each iteration. There are
 * iterations. */
static inline void heist__omp_taskloop_divide(heist__omp_taskloop *loop, uint64_t tasks)
{
    uint64_t n = loop->iterations;
    loop->tasks = tasks == 0 ? 1 : tasks < n ? tasks : n;
    loop->least = n / loop->tasks;
    loop->longer = n % loop->tasks;
}

/* Gives each task exactly the given number of iterations, but for the last one, which may have fewer. */
static inline void heist__omp_taskloop_divide_strictly(heist__omp_taskloop *loop, uint64_t grain)
{
    uint64_t n = loop->iterations;
    loop->tasks = n / grain + (n % grain != 0);
    loop->least = grain;
    loop->longer = 0;
}

/* The first iteration of task i; for i == tasks the end of the loop. */
static inline uint64_t heist__omp_taskloop_begin(const heist__omp_taskloop *loop, uint64_t i)
{
    uint64_t iteration = i == loop->tasks ? loop->iterations : i * loop->least + (i < loop->longer ? i : loop->longer);
    return loop->start + iteration * loop->step;
}

/* Call before the first span. `alone`: no other thread takes any. */
static inline void heist__omp_taskloop_prepare(heist__omp_slot *self, heist__omp_taskloop *loop, uint32_t kind,
                                               bool alone)
{
    loop->parent = self->current;
    loop->kind = heist__omp_inherited(self->current) | kind;
    loop->grain = alone ? UINT64_MAX : loop->tasks / (uint64_t)self->plenty;
    loop->enough = alone ? 0 : self->most_enough;
    heist__store_relaxed(&loop->spans, 1); /* relaxed: no other thread knows the loop yet */
}

/* A span is over. True: it was the last one. */
static inline bool heist__omp_span_over(heist__omp_taskloop *loop)
{
    return heist__add_acq_rel(&loop->spans, (uint64_t)-1) == 1; /* N3: pairs with itself */
}

/* Whether part of the rest of the span should be visible to other threads. */
static inline bool heist__omp_span_wanted(heist__omp_slot *self, const heist__omp_taskloop *loop, uint64_t left)
{
    if (left > loop->grain) return true;
    /* relaxed: the bottom is this thread's own, the top a hint */
    uint64_t bottom = heist__load_relaxed(&self->deque->bottom);
    return (int64_t)(bottom - heist__load_relaxed(&self->deque->top)) < loop->enough;
}

/* False: no memory. */
static inline bool heist__omp_span_put_off(heist__omp_slot *self, heist__omp_body *body, heist__omp_span span)
{
    heist__omp_task *task = heist__omp_task_new(self, body, 0);
    if (!task) return false;
    task->data = task->room;
    memcpy(task->room, &span, sizeof span);
    heist__add_relaxed(&span.loop->spans, 1); /* relaxed: the caller's own span is counted */
    heist__omp_task_counted(self, task);
    heist__omp_task_push(self, task);
    return true;
}

/* Runs a span. `body`: of a task that runs a span which was put off. */
static inline __attribute__((always_inline)) void heist__omp_span_run(heist__omp_slot *self,
                                                                      const heist__omp_span *span,
                                                                      heist__omp_body *body, heist__omp_span_task *run,
                                                                      void *context)
{
    heist__omp_taskloop *loop = span->loop;
    uint64_t end = span->end, from = heist__omp_taskloop_begin(loop, span->first);
    for (uint64_t i = span->first; i < end; i++) {
        while (end - i > 1 && heist__omp_span_wanted(self, loop, end - i)) {
            uint64_t middle = i + 1 + (end - i - 1) / 2;
            if (!heist__omp_span_put_off(self, body, (heist__omp_span){loop, middle, end})) break;
            end = middle;
        }
        if (__builtin_expect(self->cancellable, 0) && heist__omp_cancelled(self, loop->parent->group)) break;
        uint64_t to =
            i + 1 < end ? from + (loop->least + (i < loop->longer)) * loop->step : heist__omp_taskloop_begin(loop, end);
        run(self, loop, context, i, from, to);
        from = to;
    }
}

/* Calls the body of one task of a span, in a record in which everything but `flags` is the same for all of them.
 * False: the task put a child off, so the record is not free for the next task. */
static inline bool heist__omp_span_call(heist__omp_slot *self, const heist__omp_taskloop *loop, heist__omp_task *task,
                                        uint32_t flags, heist__omp_body *fn, void *data)
{
    heist__omp_task *outer = self->current;
    task->flags = flags | HEIST__OMP_TASK_NOW;
    task->icvs = loop->parent->icvs;
    task->site = 0;
    /* A3: another task than the one before, of which descendants may still exist. The other fields are the same. */
    heist__store_release(&task->id, ++self->next_id);
    heist__omp_task_call(self, outer, task, fn, data, outer->nested + 1);
    return task->spawned == 0;
}

#endif
