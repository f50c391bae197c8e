/* schedule/submit.h: jobs given to a pool, and taken out of its inboxes. */
#ifndef HEIST_SCHEDULE_SUBMIT_H
#define HEIST_SCHEDULE_SUBMIT_H

#include <stddef.h>

#include "schedule/inbox.h"
#include "schedule/job.h"
#include "schedule/worker.h"

/* The most that a worker takes out of an inbox at once. */
#define HEIST__BATCH 32

/* Puts `parcel`, which counts for `core`, into an inbox. As heist_submit, from a thread that is no worker of the
 * pool. */
int heist__submit(heist_pool *pool, const heist__parcel *parcel, heist__scope_core *core, long patience_ms);

/* Gives the job to the pool: to the calling worker's deque, or to an inbox. As heist_submit. */
int heist__job_give(heist_pool *pool, heist__job *job, long patience_ms);

/* Takes one job from an inbox, the worker's own node first. With `most` above 1 it may take more, into the worker's own
 * deque; then the caller must be searching, so that leaving the search wakes a worker that might want them (I4). A
 * call's record lies in `room`: it must run while `room` lives. NULL: all inboxes are empty. */
heist__job *heist__inbox_find(heist__worker *w, heist__call *room, size_t most);

#endif
