/* held_up.h: a thread that is descheduled at a bad moment, and what the others do meanwhile. Lock-free means that
 * they go on. */
#ifndef HELD_UP_H
#define HELD_UP_H

#include <heist/heist.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- work.c: a pool with work without end ---- */

#define MOST_WORKERS 6

typedef enum {
    WORK_MIXED,    /* of every kind, most of it given from outside */
    WORK_STOLEN,   /* for half of the workers; the others can only steal, and never sleep */
    WORK_SLEEPERS, /* for half of the workers, and hardly worth stealing: the others fall asleep and are woken */
    WORK_BESIDE,   /* for one of two workers; the other falls asleep and is woken by it, and alone is held up */
    WORK_OUTSIDE   /* for one worker, which falls asleep and is woken from outside */
} work_kind;

/* The deeds of a worker. Each is counted by itself: a worker that finishes its own tasks needs no other. */
typedef enum {
    DID_TASK,      /* ran a task of any kind */
    DID_STEAL,     /* got something out of another's deque, having nothing to do */
    DID_CHILD,     /* ran a child that another has spawned */
    DID_LOOSE,     /* ran a detached task that another has made */
    DID_LEAP,      /* got something back from the thief of its child */
    DID_SUBMITTED, /* ran something out of the inbox */
    DID_SUBMIT,    /* submitted something, or was told that there is no room. Threads outside do this. */
    DEEDS
} deed;

typedef struct {
    uint64_t of[DEEDS][MOST_WORKERS + 1]; /* the last are those of all threads outside */
} deeds;

void work_begin(work_kind kind);
void work_end(void);
unsigned work_workers(void);
/* The demand while one thread stands still: so many of the other workers do it, together so often. */
typedef struct {
    unsigned workers, times;
} demanded;

const demanded *work_must(deed which);
/* Whether the calling thread is one that may be held up. */
bool work_may_hold(void);
/* The deeds of each worker so far. */
void work_done(deeds *d);
/* A sentence about wrong results so far, or NULL. */
const char *work_trouble(void);

/* For the tasks, and for the threads that submit them. */
void did(deed which);
void demand(bool right, const char *sentence);
bool work_enough(void);

/* ---- theft.c: work that is there to be stolen ---- */

/* A task that makes such work until there is enough. */
void theft_owner(void *unused);
/* Submits something and waits until it has run. */
void theft_submit(heist_pool *pool);

/* ---- sleeper.c: a worker that sleeps, and a thread that does not ---- */

/* A task that goes on until there is enough, and leaves tasks to the sleeper. */
void sleeper_beside(void *scope);
/* Submits something, if there is room. */
void sleeper_submit(heist_pool *pool);
/* Whether the calling thread is the sleeper. */
bool sleeper_is_here(void);

/* ---- points.c: the places where a thread can be held up ---- */

typedef struct {
    const char *file, *function;
    int line;
    uint64_t passed; /* how often, by threads that may be held up, while they were listed */
    bool held;       /* a thread was held up there before, with any kind of work */
} point;

/* Lists the points that are passed within `ms`, in the order of files and lines. */
unsigned points_list(unsigned ms);
const point *points_at(unsigned number);

/* Counts from half of the least time on, while a thread was held up. */
typedef struct {
    int worker;             /* which one, or -1: a thread outside */
    uint64_t others[DEEDS]; /* by the other workers */
    unsigned stood;         /* other workers that finished no task */
    deed lacking;           /* the deed that too few of them did; DEEDS: none */
    double ms;              /* how long that was */
} holding;

/* Holds the next thread that passes the point for `least_ms`, and up to `most_ms` until the others have done what
 * they must. False: none came by. */
bool points_hold(unsigned number, unsigned least_ms, unsigned most_ms, holding *h);

/* Every passage of every thread calls this with the function that it is in; NULL: none. */
void points_hook(void (*hook)(const char *function));

/* ---- priorities.c: a thread that waits for one of lower priority ---- */

/* Returns how many cases failed, of how many; some may have been ignored, for want of a privilege. */
unsigned priorities(unsigned *tried, unsigned *ignored);

/* ---- time ---- */

double now_ms(void);
void sleep_ms(unsigned ms);

#endif
