/* Workers and a pool for the harnesses: as many of their fields as the modelled code uses, named for the table. */
#ifndef HEIST_MODEL_WORKERS_H
#define HEIST_MODEL_WORKERS_H

#include <stdlib.h>

#include "schedule/join.h"
#include "schedule/pool.h"
#include "schedule/steal.h"

enum { MODEL_NESTINGS = 8 };

/* Seats are lent: a worker's fields have one writer at a time, but not always the same. */
static bool model_lends;

static inline void model_own(const volatile void *base, size_t size, int owner)
{
    if (!model_lends) model_single_writer(base, size, owner);
}

/* A worker of `pool` with room for `slots` children, whose owner is thread `number`. */
static inline heist__worker *model_worker(heist_pool *pool, unsigned number, size_t slots, bool fenced)
{
    heist__worker *w = model_alloc(sizeof *w);
    heist__task_deque *f = &w->tasks;
    int owner = (int)number;
    w->pool = pool;
    w->index = number;
    w->nestings = model_alloc(MODEL_NESTINGS * sizeof *w->nestings);
    w->nesting_room = MODEL_NESTINGS;
    heist__task_deque_init(f, 1024, fenced);
    f->end = f->slots + slots;                             /* so few that the end is met */
    f->capacity = slots + (size_t)model_number("more", 0); /* that many come when it is */
    heist__store_relaxed(f->push_gate, f->end);
    model_ignore(&w->counters, sizeof w->counters);
    model_ignore(&w->sleeper.parks, sizeof w->sleeper.parks);
    model_ignore(&w->sleeper.cpu_place, sizeof w->sleeper.cpu_place);
    model_ignore(&f->face.joins_inline, sizeof f->face.joins_inline);
    model_own(&f->face.bottom, sizeof f->face.bottom, owner);
    model_own(f->slots - 1, (f->capacity + 2) * sizeof *f->slots, owner);
    model_own(&w->depth, sizeof w->depth, owner);
    model_own(&w->waits_on, sizeof w->waits_on, owner);
    model_own(&w->join_asleep, sizeof w->join_asleep, owner);
    model_own(w->nestings, MODEL_NESTINGS * sizeof *w->nestings, owner);
    if (fenced) { /* the face's gates stay shut */
        model_own(&f->face.pop_gate, sizeof f->face.pop_gate, owner);
        model_own(&f->face.push_gate, sizeof f->face.push_gate, owner);
    }
    model_name(&f->face.bottom, 8, 8, false, "bottom%u", number);
    model_name(f->pop_gate, 8, 8, false, "pop_gate%u", number);
    model_name(f->push_gate, 8, 8, false, "push_gate%u", number);
    model_name(&f->top, 8, 8, true, "top%u", number);
    model_name(&f->published, 8, 8, true, "published%u", number);
    model_name(f->slots, (f->capacity + 1) * sizeof *f->slots, sizeof *f->slots, false, "slot%u", number);
    model_name(&w->depth, 4, 4, false, "depth%u", number);
    model_name(&w->waits_on, 8, 8, false, "waits_on%u", number);
    model_name(&w->children_done, 4, 4, false, "children_done%u", number);
    model_name(&w->join_asleep, 4, 4, false, "join_asleep%u", number);
    model_name(&w->sleeper.asleep, 4, 4, false, "asleep%u", number);
    for (unsigned i = 0; i < MODEL_NESTINGS; i++) {
        model_name(&w->nestings[i].base, 4, 4, false, "base%u[%u]", number, i);
        model_name(&w->nestings[i].core, 8, 8, false, "core%u[%u]", number, i);
    }
    return w;
}

static inline heist_pool *model_pool(unsigned workers)
{
    heist_pool *pool = model_alloc(sizeof *pool);
    pool->workers = model_alloc(workers * sizeof *pool->workers);
    pool->count = workers;
    pool->nestings = MODEL_NESTINGS;
    return pool;
}

#endif
