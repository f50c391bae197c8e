/* schedule/nesting.h: the tasks that a worker is in: one entry for each that it took from elsewhere and has not
 * finished. */
#ifndef HEIST_SCHEDULE_NESTING_H
#define HEIST_SCHEDULE_NESTING_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/heist.h>

#include "schedule/job.h"

struct heist__worker;

/* Written by: the worker. Read by: thieves; see heist__scope_at. */
typedef struct heist__nesting {
    HEIST__ATOMIC(heist__scope_core *) core; /* the scope that this task's detached tasks belong to */
    /* The run that the task is part of: see heist__origin. A task that is not part of one has the run of the entry
     * below, whose task waits for this one. */
    HEIST__ATOMIC(struct heist__worker *) from;
    HEIST__ATOMIC(uintptr_t) code; /* the function it runs, for messages */
    HEIST__ATOMIC(uint32_t) base;  /* number of the first slot that descends from it */
    HEIST__ATOMIC(uint32_t) from_depth;
} heist__nesting;

/* The most tasks from elsewhere that may nest on one worker, if its stack and the address space allow; beyond, the
 * worker waits without helping. */
#define HEIST__MAX_NESTING (1u << 22)

/* Each nesting needs more stack than this, however it is compiled. */
#define HEIST__NESTING_STACK 128

/* Makes the nestings of `w`, as many as the pool says. Returns 0 or -ENOMEM. */
int heist__nestings_init(struct heist__worker *w);
/* Gives used memory back. The worker must be in no task. */
void heist__nestings_trim(struct heist__worker *w);
void heist__nestings_destroy(struct heist__worker *w);

/* Room for one more task; the beginning of a task from elsewhere; its return; its end. There must be room when it
 * begins. The scope may be gone as soon as another thread is told that the task has ended: so `returned` comes before
 * that, and only `leave` may come after. */
bool heist__nesting_room(struct heist__worker *w);
void heist__nesting_enter(struct heist__worker *w, const heist_task *task, heist__scope_core *core, heist__origin from);
void heist__nesting_returned(struct heist__worker *w, heist__scope_core *core);
void heist__nesting_leave(struct heist__worker *w);

/* The address of the function that the user wrote. */
uintptr_t heist__code_of(const heist_task *task);

/* The scope of the task that `w` is in. */
heist__scope_core *heist__scope_now(struct heist__worker *w);

/* The scope of the task in slot `number` of `victim`, which is in the deque, and the waiter of its run. */
heist__scope_core *heist__scope_at(struct heist__worker *victim, uint32_t number, heist__origin *from);

/* The origin of a run that a task of `w` (NULL: none) begins now. */
heist__origin heist__origin_now(struct heist__worker *w);

/* Whether the calling thread's task is part of a run that `pool` waits for, in any number of steps: one of the pool's
 * workers is below this task, or gave it, or gave the task that gave it, and so on. */
bool heist__runs_for(struct heist__worker *w, const heist_pool *pool);

/* The same for a task of a scope of `pool`. */
bool heist__runs_within(struct heist__worker *w, const heist_pool *pool, const heist__scope_core *core);

/* The first slot that descends from the current task of `w`, or a later one. */
uint32_t heist__nesting_floor(struct heist__worker *w);

#endif
