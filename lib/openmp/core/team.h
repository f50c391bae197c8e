/* A team of threads, as heist sees it: one slot for each thread, and the data that the threads share.
 *
 * The runtime makes the team's threads and runs them. Each thread comes by gomp/parallel.c or kmp/parallel.c, which
 * gives it its slot for the time of the region. Teams are kept when a region ends, and never freed: the next region
 * takes one that is large enough. */
#ifndef HEIST_OPENMP_CORE_TEAM_H
#define HEIST_OPENMP_CORE_TEAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "openmp/core/slot.h"

/* The argument of the function that the runtime runs in each thread, in place of the program's function. */
typedef struct heist__omp_region {
    uintptr_t *reductions; /* first: libgomp reads it in GOMP_parallel_reductions */
    heist__omp_team *team;
    heist__omp_body *fn;
    void *data;
    bool old_kind; /* the first thread runs the function itself, between a begin and an end entry */
} heist__omp_region;

/* Counts of a barrier. Written by: threads in the barrier. */
typedef struct heist__omp_barrier_counts {
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) arrived; /* how many threads are in it */
    HEIST__ATOMIC(uint32_t) generation;                    /* how often it has opened */
    HEIST__ATOMIC(uint32_t) closing; /* `generation`, or one more while a thread is opening the barrier */
} heist__omp_barrier_counts;

/* Tasks of about the same priority, first come first served: see queue.h. */
enum { HEIST__OMP_PRIORITY_LISTS = 64 };
typedef struct heist__omp_priority_list {
    heist__omp_task *first, *last;
} heist__omp_priority_list;

struct heist__omp_team {
    /* Every thread reads these words as it enters: they lie together, and are written only where they change
     * (keep.h). */
    _Alignas(HEIST__LINE) heist__omp_region region; /* constant while it runs */
    heist__omp_slot **slots;
    /* How many threads the region has. Written by: each of them, with the same value, if it has another one. */
    HEIST__ATOMIC(uint32_t) size;
    int max_priority;
    uint32_t spin, yield;           /* rounds before a thread sleeps, see wait_policy.h */
    bool lacks_cpus;                /* there are more threads than CPUs, those of other regions included */
    bool oversubscribed;            /* `lacks_cpus`, and no variable of the environment says how to wait */
    HEIST__ATOMIC(uint32_t) events; /* 1: a task of the region has an event. Written by: its threads. */
    /* 1: tasks with dependences are short, see dependent_cost.h. Written by: its threads, seldom. */
    HEIST__ATOMIC(uint32_t) dependents_are_short;
    unsigned capacity; /* of `slots` */

    /* Of barriers within the region, and of the one at its end. Threads may leave the former when the region is
     * cancelled. */
    heist__omp_barrier_counts barriers[2];
    HEIST__ATOMIC(void *) copyprivate; /* Written by: the single thread. Read by: the others, after a barrier. */

    /* Threads that sleep in a barrier. Written by: they (add). Read by: threads that create tasks. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) sleepers;

    /* Tasks with a priority, and tasks made ready from outside the team. Written by: under `lock`. Read by: all, as
     * hints. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) queued;
    HEIST__ATOMIC(uint32_t) queued_deep; /* of them, tasks created by explicit tasks */
    /* Whether the region, or its current loop or sections construct, is cancelled. Written by: its threads. */
    HEIST__ATOMIC(uint32_t) cancelled;
    HEIST__ATOMIC(uint32_t) workshare_cancelled;
    /* Tasks finished by threads outside the team. Written by: they (add). Read by: threads in a barrier. */
    HEIST__ATOMIC(uint64_t) finished_outside;
    pthread_mutex_t lock;
    heist__omp_priority_list priority_lists[HEIST__OMP_PRIORITY_LISTS]; /* by rising priority. Under `lock`. */
    uint64_t lists_used;            /* bit i: priority_lists[i] has tasks. Under `lock`. */
    heist__omp_group *region_group; /* with the reductions of the region; made once */

    /* Written by: the thread that takes the team for a region, and gives it back. */
    heist__omp_team *next; /* in the list of free teams */
    bool within;           /* its first thread is a thread of another region */
    int32_t counted;       /* threads by which this region is counted, see wait_policy.c */
    int32_t cpus;          /* number of CPUs, as the runtime said */
    uint32_t regions;      /* regions since the runtime was asked for it */
    unsigned asked_for;    /* threads of the region for which it was asked */
};

/* ---- team.c ---- */
/* How many threads a region may have that asks for `threads`. */
unsigned heist__omp_threads_within_limit(unsigned threads);
/* A team with room for `threads`, or NULL. `within`: a thread of another region starts the new one. */
heist__omp_team *heist__omp_team_take(unsigned threads, bool within);
void heist__omp_team_give(heist__omp_team *team);
/* The calling thread, which will be the team's first, is about to have the runtime start the region. */
void heist__omp_team_starts(heist__omp_team *team);
/* In a child of fork(). */
void heist__omp_teams_after_fork(void);

#endif
