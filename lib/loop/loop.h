/* loop/loop.h: the record of a running loop, and the steps that all schedules are made of. LOOPS.md says how they fit
 * together.
 *
 * Everything is counted in units from 0: iterations in one dimension, tiles in two. Schedules other than stealing deal
 * out cells, which are runs of neighbouring units. The loop's record lies in the frame of its caller. It outlives all
 * tasks that work on it, for they are joined. */
#ifndef HEIST_LOOP_LOOP_H
#define HEIST_LOOP_LOOP_H

#include <heist/loop.h>

#include "loop/cell_range.h"
#include "loop/plan.h"
#include "loop/range.h"
#include "platform/clock.h"
#include "schedule/inside.h"

/* A result up to this size needs no allocation when a part of the loop is stolen. */
#define HEIST__SMALL_RESULT 64

typedef struct heist__loop_body {
    heist_for_body *for1; /* one of the four, the others NULL */
    heist_for2_body *for2;
    heist_reduce_body *reduce1;
    heist_reduce2_body *reduce2;
} heist__loop_body;

/* A worker's part of the report. Written by: that worker. Read by: the caller, when all members are joined (J2). */
typedef struct heist__loop_tally {
    _Alignas(HEIST__LINE) heist_loop_share share;
} heist__loop_tally;

typedef struct heist__loop {
    /* Constant once the loop has begun, apart from `plan`, which changes before other workers see it. */
    heist__domain domain;
    heist__loop_body body;
    void *context;
    const heist_monoid *monoid; /* NULL: nothing is reduced */
    heist_loop_options options;
    unsigned workers; /* of the pool */
    unsigned at_once; /* workers that can run at the same time: batches for more would only be smaller */
    heist__plan plan;
    char *cells; /* a result for each cell, `stride` bytes apart; NULL: none */
    size_t stride;
    heist__loop_tally *tallies; /* by worker; NULL: no report */
    heist__cell_range *shares;  /* by worker; NULL: the schedule needs none */
    int64_t began;
    uint64_t measured; /* the most units that the body got at once before there was a plan */
    void *result;      /* where the result of a reduction goes */
    int outcome;       /* the result of the call. Written by: the worker that begins the loop. */

    /* Padding, not alignment, keeps these away from the rest: a loop is a local variable, and AddressSanitizer's
     * stand-in for the stack does not give a local more than 64 bytes of alignment. */
    char apart[HEIST__LINE];
    /* Not 0: no more batches. Written by: the first worker that finds a reason, once (CAS). Read by: all workers,
     * before each batch. */
    HEIST__ATOMIC(int) stopped;
    /* Not 0: every cell is with a member, and members that begin late need not look. Written by: members that saw it.
     * Read by: members that begin. */
    HEIST__ATOMIC(int) drained;
    /* Hybrid: how many takings from another worker's share have begun, and how many are over. Written by: takers (add).
     * Read by: members that find nothing. */
    HEIST__ATOMIC(uint32_t) takings;
    HEIST__ATOMIC(uint32_t) taken;
    /* Steal: the last batch that was right. Written by: any worker. Read by: workers that begin with a stolen part. */
    HEIST__ATOMIC(uint64_t) usual_batch;
    /* Steal: nanoseconds spent in batches by all workers. Written by: any worker, at the end of a part (add). Read by:
     * the worker that began the loop, after the last join. */
    HEIST__ATOMIC(uint64_t) spent_ns;
    char apart_too[HEIST__LINE];
    /* Shared: the first cell that no worker has taken. Written by: all workers (add). */
    HEIST__ATOMIC(uint64_t) next;
    char apart_from_the_caller[HEIST__LINE];
} heist__loop;

static inline bool heist__loop_stopped(heist__loop *l)
{
    /* relaxed: seen late, it costs one more batch; the joins order the rest */
    return heist__load_relaxed(&l->stopped) != 0;
}

/* The number of the first cell of a worker's share. */
static inline uint64_t heist__loop_share(const heist__loop *l, uint64_t worker)
{
    return l->plan.cells * worker / l->workers;
}

/* ---- batch.c ---- */
/* Ends the loop with this result; the first call's result counts. */
void heist__loop_stop(heist__loop *l, int result);
/* Runs the units [from, to) as one batch. False: the loop has been stopped. */
bool heist__loop_batch(heist__loop *l, heist__worker *w, uint64_t from, uint64_t to, void *accumulator);
/* Runs the cells [first, last), each in batches and into its own result. False: the loop has been stopped. */
bool heist__loop_cells(heist__loop *l, heist__worker *w, uint64_t first, uint64_t last);

/* ---- begin.c ---- */
/* Checks the options, takes the loop to a worker of the pool and runs it there. Returns as heist_for does. `caller`:
 * the public function's name, for messages. */
int heist__loop_begin(heist_pool *pool, heist__loop *l, const char *caller, const heist_loop_options *options);

/* ---- distribute.c ---- */
/* Runs all of l->plan by its schedule, adding to *accumulator. Returns 0 or -ENOMEM; then nothing has run. */
int heist__loop_distribute(heist__loop *l, heist__worker *w, void *accumulator);
/* Makes the plan for all but the first `done` units. `finest` as in a wish. */
void heist__loop_plan(heist__loop *l, heist_schedule schedule, uint64_t done, uint64_t finest);

/* ---- options.c ---- */
/* Copies the caller's options, also those of later or earlier versions. Returns 0 or -EINVAL. */
int heist__loop_options_read(heist_loop_options *o, const heist_loop_options *from, const char *caller);

/* ---- the schedules ---- */
void heist__loop_steal(heist__loop *l, heist__worker *w, void *accumulator);
void heist__loop_static(heist__loop *l, heist__worker *w);
void heist__loop_shared(heist__loop *l, heist__worker *w);
void heist__loop_hybrid(heist__loop *l, heist__worker *w);
int heist__loop_auto(heist__loop *l, heist__worker *w, void *accumulator); /* as heist__loop_distribute */

/* ---- result.c ---- */
void heist__loop_result_begin(const heist__loop *l, void *accumulator);            /* the identity */
void heist__loop_result_add(heist__loop *l, void *accumulator, const void *right); /* accumulator o right */
void heist__loop_result_add_cells(heist__loop *l, void *accumulator);              /* accumulator o all the cells */
/* `small`, or allocated memory; NULL: there is none */
void *heist__loop_result_room(const heist__loop *l, void *small);
void heist__loop_result_free(void *room, const void *small);

/* ---- report.c ---- */
heist__loop_tally *heist__loop_tallies_new(unsigned workers);
void heist__loop_report_write(heist_loop_report *report, const heist__loop_tally *tallies, unsigned workers,
                              int64_t began);

#endif
