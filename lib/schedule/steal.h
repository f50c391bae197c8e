/* schedule/steal.h: taking a fork/join child from another worker. */
#ifndef HEIST_SCHEDULE_STEAL_H
#define HEIST_SCHEDULE_STEAL_H

#include <stdint.h>

#include <heist/heist.h>

#include "schedule/job.h"
#include "schedule/worker.h"

/* A fork/join task that was stolen. */
typedef struct heist__stolen {
    heist_task *task;
    heist__worker *home;     /* the worker that spawned it, and waits for it */
    heist__scope_core *core; /* the scope that its detached tasks belong to */
    heist__origin from;      /* as in heist__nesting */
} heist__stolen;

/* Takes the oldest task of `victim` if its top is still `seen` and its slot's number at least `floor`. */
heist_steal heist__steal_child(heist__worker *victim, uint64_t seen, uint32_t floor, heist__stolen *stolen);
void heist__run_stolen(heist__worker *w, const heist__stolen *stolen);

#endif
