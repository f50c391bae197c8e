/* A slot: the data of one thread of a team, in heist, for the time of a region. Most of it belongs to that thread
 * alone; it carries the deque of the tasks that the thread created. Slots belong to teams, and are never freed. */
#ifndef HEIST_OPENMP_CORE_SLOT_H
#define HEIST_OPENMP_CORE_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "deque/ring_deque.h"
#include "openmp/core/task.h"
#include "platform/random.h"

typedef struct heist__omp_team heist__omp_team;
typedef struct heist__omp_memory heist__omp_memory;
typedef struct heist__kmp_reserve heist__kmp_reserve;

/* The counts that --stats prints. Each slot counts for itself; preload/statistics.c adds the counts up when a region
 * ends. */
typedef struct heist__omp_counters {
    uint64_t stolen;    /* tasks run that another thread created */
    uint64_t taskwaits; /* taskwaits that found unfinished children */
    uint64_t sleeps;
} heist__omp_counters;

/* How long the deque should be: see decide.h. */
typedef struct heist__omp_enough {
    int64_t enough, least, most, plenty;
} heist__omp_enough;

/* Records that change hands together, of which a slot keeps up to two batches; and how many records before it is
 * taken a record is fetched into the cache. */
enum { HEIST__OMP_BATCH = 64, HEIST__OMP_AHEAD = 4 };

/* Sizes of memory that a slot keeps, and the difference between two of them: see memory.h. */
enum { HEIST__OMP_SIZES = 64, HEIST__OMP_SIZE_STEP = 128 };

/* A place in the program that creates tasks: see creation_site.h. */
enum { HEIST__OMP_SITES = 64 };
typedef struct heist__omp_creation_site {
    uint32_t name, known;
} heist__omp_creation_site;

struct heist__omp_slot {
    heist__omp_team *team;             /* constant */
    heist__omp_task *current;          /* the task that the slot's thread runs */
    int64_t enough, plenty;            /* how long the deque should be, see decide.h */
    int64_t least_enough, most_enough; /* bounds of `enough`. Constant in a region without locks, as is `plenty`. */
    uint64_t top_seen;                 /* top of the deque when `enough` was last changed */
    uintptr_t stack_mark;              /* below this address the stack is checked before a task runs at once */
    bool cancellable;                  /* OMP_CANCELLATION. Constant in a region. */
    bool sets_aside;                   /* see private_tail.h. Constant in a region. */
    heist_deque *deque;                /* Pushed and popped by: owner. Stolen from by: all. */
    heist__omp_task **record;          /* of `records`: the free record that is taken next. NULL there: none is left. */
    unsigned index;                    /* constant */
    int thread;                        /* kmp: libomp's number of the thread. Constant in a region. */
    uint32_t loop;                     /* kmp: schedule of the loop that the thread is in, see kmp/cancel.c */
    bool ending_group;                 /* the thread waits for the current task's group */
    uint64_t next_id;
    heist__omp_icvs *icvs;       /* control variables that the runtime has now; NULL: the region's */
    heist__omp_icvs **icvs_made; /* lists of notes that are freed at the end of the region; NULL: none */
    heist__omp_icvs *icvs_base;
    heist__omp_group *groups;    /* free groups */
    heist__kmp_reserve *reserve; /* kmp: see kmp/reserve.c */
    heist__omp_slot *hidden;     /* kmp: see kmp/serialized.c */
    unsigned hidden_regions;     /* kmp: see kmp/serialized.c */
    heist__random random;
    heist__omp_counters counters;
    uint32_t begun, measured;   /* tasks with dependences: see dependent_cost.h */
    int64_t mean_ns;            /* likewise */
    uint64_t created_before;    /* `created` when the region began */
    uint64_t id_before;         /* `next_id` when the region began */
    heist__omp_slot *outer;     /* slot that the thread had before this region, or NULL */
    uint32_t lock_depth;        /* locks that the thread holds, see lock_depth.h */
    heist__omp_enough unlocked; /* the deque's four lengths without a lock */
    heist__omp_task implicit;
    /* Free records, behind some places that are NULL: see record.h. */
    heist__omp_task *records[HEIST__OMP_AHEAD + 2 * HEIST__OMP_BATCH];
    size_t kept_bytes; /* in `kept` */
    heist__omp_memory *kept[HEIST__OMP_SIZES];
    uint32_t kept_count[HEIST__OMP_SIZES];
    heist__omp_creation_site sites[HEIST__OMP_SITES];

    /* Tasks put off, and finished, by this thread. Written by: owner. Read by: threads in a barrier. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) created;
    HEIST__ATOMIC(uint64_t) finished;
    /* Index after the youngest task of the deque, including tasks set aside: see private_tail.h. Written by: owner.
     * Read by: thieves that have found nothing elsewhere. */
    HEIST__ATOMIC(uint64_t) tail;

    /* 1: the thread sleeps. Written by: owner (to 1, and back), the thread that wakes it. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) asleep;
    /* 1: it sleeps in a barrier, where it can run any task. Written by: owner. Read by: threads that make tasks
     * ready. */
    HEIST__ATOMIC(uint32_t) idle;
    /* Number of thieves that force a task out of the private tail. Written by: the thieves (add). Read by: owner. */
    HEIST__ATOMIC(uint32_t) forced;
    /* CPU where the thread was last seen; negative: unknown. Written by: owner. Read by: threads that have nothing to
     * do. */
    HEIST__ATOMIC(int32_t) cpu;
    int64_t stays_until; /* see spread_threads.c. Owner only. */

    _Alignas(heist_deque) char deque_room[HEIST__DEQUE_ROOM];
};

/* The calling thread's slot. NULL: the thread is in no region that heist serves, and the runtime serves its calls. */
extern __thread heist__omp_slot *heist__omp_self __attribute__((tls_model("initial-exec")));

/* For a wrapper's first line: declares `self`. Outside heist's regions the wrapper is the runtime's function of that
 * name, called with the arguments, which are in parentheses. */
#define HEIST__SELF_OR_RUNTIME(self, name, arguments)                                                                  \
    heist__omp_slot *self = heist__omp_self;                                                                           \
    if (__builtin_expect(!self, 0)) return HEIST__RUNTIME(name) arguments
/* The same for a function that returns nothing. */
#define HEIST__SELF_OR_RUNTIME_VOID(self, name, arguments)                                                             \
    heist__omp_slot *self = heist__omp_self;                                                                           \
    if (__builtin_expect(!self, 0)) {                                                                                  \
        HEIST__RUNTIME(name) arguments;                                                                                \
        return;                                                                                                        \
    }                                                                                                                  \
    (void)self

/* ---- slot.c ---- */
/* A slot in memory of its own; NULL: no memory. `number`: never used before, from 1 on. */
heist__omp_slot *heist__omp_slot_new(heist__omp_team *team, unsigned index, uint64_t number);
/* The calling thread enters a region of `threads` threads: the slot is heist__omp_self from here on. */
void heist__omp_slot_enter(heist__omp_slot *slot, unsigned threads);
/* Runs tasks until the region has none left, and leaves it: heist__omp_self has its earlier value again. */
void heist__omp_slot_leave(heist__omp_slot *slot);

/* The deque of any slot, without a read of the lines that its owner writes all the time. */
static inline heist_deque *heist__omp_deque_of(heist__omp_slot *slot)
{
    return (heist_deque *)(void *)slot->deque_room;
}

/* Whether all children of a task are complete. Call from: the thread that runs the task. */
static inline bool heist__omp_children_done(const heist__omp_task *task)
{
    return task->spawned - task->done_here + heist__load_acquire(&task->away) == 0; /* C1. Pairs with C1 in task.c. */
}

#endif
