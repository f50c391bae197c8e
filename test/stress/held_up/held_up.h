/* held_up.h: a thread that is descheduled at a bad moment, and what the others do meanwhile. Lock-free means that they go on. */
#ifndef HELD_UP_H
#define HELD_UP_H

#include <heist/heist.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- work.c: a pool with work without end ---- */

#define MOST_WORKERS 6

typedef enum {
    WORK_MIXED,   /* of every kind, most of it given from outside */
    WORK_STOLEN,  /* for half of the workers; the others can only steal, and never sleep */
    WORK_SLEEPERS /* for half of the workers, and hardly worth stealing: the others fall asleep and are woken */
} work_kind;

/* What a worker can do. Each is counted for itself: who finishes tasks of its own needs nobody. */
typedef enum {
    DID_TASK,      /* ran a task of any kind */
    DID_STEAL,     /* got something out of another's deque, having nothing to do */
    DID_CHILD,     /* ran a child that another has spawned */
    DID_LOOSE,     /* ran a detached task that another has made */
    DID_LEAP,      /* got something back from the thief of its child */
    DID_SUBMITTED, /* ran something out of the inbox */
    DEEDS
} deed;

typedef struct {
    uint64_t of[DEEDS][MOST_WORKERS];
} deeds;

void work_begin(work_kind kind);
void work_end(void);
unsigned work_workers(void);
/* What is demanded while one thread stands still: so many of the other workers do it, together so often. */
typedef struct {
    unsigned workers, times;
} demanded;

const demanded *work_must(deed which);
/* What each worker has done so far. */
void work_done(deeds *d);
/* What is wrong with the results so far, or NULL. */
const char *work_trouble(void);

/* For the tasks, and for who gives them. */
void did(deed which);
void demand(bool right, const char *sentence);
bool work_enough(void);

/* ---- theft.c: work that is there to be stolen ---- */

/* A task that makes such work until there is enough. */
void theft_owner(void *unused);
/* Submits something and waits until it has run. */
void theft_submit(heist_pool *pool);

/* ---- points.c: the places where a thread can be held up ---- */

typedef struct {
    const char *file, *function;
    int line;
    uint64_t passed; /* how often, while they were listed */
    bool held;       /* somebody was held up there before, with any kind of work */
} point;

/* Lists the points that are passed within `ms`, in the order of files and lines. */
unsigned points_list(unsigned ms);
const point *points_at(unsigned number);

/* What happened while a thread was held up, after half of the least time. */
typedef struct {
    int worker;             /* which one, or -1: a thread outside */
    uint64_t others[DEEDS]; /* what the other workers did */
    unsigned stood;         /* other workers that finished no task */
    deed lacking;           /* what too few of them did; DEEDS: nothing */
    double ms;              /* how long that was */
} holding;

/* Holds the next thread that passes the point for `least_ms`, and up to `most_ms` until the others have done what they must.
 * False: none came by. */
bool points_hold(unsigned number, unsigned least_ms, unsigned most_ms, holding *h);

/* ---- time ---- */

double now_ms(void);
void sleep_ms(unsigned ms);

#endif
