/* held_up.h: a thread that is descheduled at a bad moment, and what the others do meanwhile. Lock-free means that they go on. */
#ifndef HELD_UP_H
#define HELD_UP_H

#include <stdbool.h>
#include <stdint.h>

/* ---- work.c: a pool with work without end ---- */

#define MOST_WORKERS 6

typedef enum {
    WORK_MIXED, /* of every kind, most of it given from outside */
    WORK_INSIDE /* fork/join, made inside the pool, for half of the workers: who has none can only steal */
} work_kind;

void work_begin(work_kind kind);
unsigned work_workers(void);
/* How many of the workers must get on when one thread stands still. */
unsigned work_moving(void);
void work_end(void);
/* Tasks that were finished by the workers so far; `each` by each of them. Returns the sum. */
uint64_t work_done(uint64_t each[MOST_WORKERS]);
/* What is wrong with the results so far, or NULL. */
const char *work_trouble(void);

/* ---- points.c: the places where a thread can be held up ---- */

typedef struct {
    const char *file, *function;
    int line;
    uint64_t passed; /* how often, while they were listed */
} point;

/* Lists the points that are passed within `ms`, in the order of files and lines. */
unsigned points_list(unsigned ms);
const point *points_at(unsigned number);

/* What happened in the second half of the time for which a thread was held up. */
typedef struct {
    int worker;      /* which one, or -1: a thread outside */
    uint64_t others; /* tasks that the other workers finished */
    unsigned stood;  /* other workers that finished none */
    double ms;       /* how long it was, in fact */
} holding;

/* Holds the next thread that passes the point for `ms`. False: none came by. */
bool points_hold(unsigned number, unsigned ms, holding *h);

/* ---- time ---- */

double now_ms(void);
void sleep_ms(unsigned ms);

#endif
