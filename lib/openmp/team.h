/* A team of threads, as heist sees it: one slot a thread, with the deque of tasks that this thread created.
 *
 * The runtime makes the team and runs its threads; each comes by parallel.c, or kmp/parallel.c, which gives it its slot
 * for the time of the region. Teams are kept when a region ends, and never freed: the next region takes one that is
 * large enough. */
#ifndef HEIST_OPENMP_TEAM_H
#define HEIST_OPENMP_TEAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "deque/deque_internal.h"
#include "openmp/task.h"
#include "platform/random.h"

typedef struct heist__omp_team heist__omp_team;
typedef struct heist__omp_memory heist__omp_memory;
typedef struct heist__kmp_reserve heist__kmp_reserve;

/* What --stats prints. Each slot counts for itself; added up when a region ends. */
typedef struct heist__omp_counters {
    uint64_t stolen;    /* tasks taken from another thread */
    uint64_t taskwaits; /* that did not find all done */
    uint64_t sleeps;
} heist__omp_counters;

/* How long a deque should be, see create.h. */
typedef struct heist__omp_enough {
    int64_t enough, least, most, plenty;
} heist__omp_enough;

/* What the runtime is given to run in each thread, in place of the program's function. */
typedef struct heist__omp_region {
    uintptr_t *reductions; /* first: libgomp reads it in GOMP_parallel_reductions */
    heist__omp_team *team;
    heist__omp_body *fn;
    void *data;
    bool old_kind; /* the first thread runs the function itself, between GOMP_parallel_start and _end */
} heist__omp_region;

/* Written by: threads in the barrier. */
typedef struct heist__omp_bar {
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) arrived; /* how many threads are in it */
    HEIST__ATOMIC(uint32_t) generation;                    /* how often it has opened */
    HEIST__ATOMIC(uint32_t) closing;                       /* the same, or one more: somebody opens it */
} heist__omp_bar;

typedef enum { HEIST__BAR_WITHIN, HEIST__BAR_END } heist__omp_bar_kind;

/* Tasks of about the same priority, first come first served. */
enum { HEIST__OMP_LEVELS = 64 };
typedef struct heist__omp_queue_level {
    heist__omp_task *first, *last;
} heist__omp_queue_level;

/* Records that are passed on at a time, of which a slot keeps up to two; and how long before it is taken one is fetched. */
enum { HEIST__OMP_BATCH = 64, HEIST__OMP_AHEAD = 4 };

/* Sizes of memory that a slot keeps, and how far one is from the next: see memory.h. */
enum { HEIST__OMP_SIZES = 64, HEIST__OMP_SIZE_STEP = 128 };

/* A place in the program that creates tasks: see site.h. */
enum { HEIST__OMP_SITES = 64 };
typedef struct heist__omp_site {
    uint32_t name, known;
} heist__omp_site;

struct heist__omp_slot {
    heist__omp_team *team;             /* constant */
    heist__omp_task *current;          /* what its thread is doing */
    int64_t enough, plenty;            /* how long the deque should be, see create.h */
    int64_t least_enough, most_enough; /* what `enough` may be. Constant in a region, as is `plenty`. */
    uint64_t top_seen;                 /* of the deque, when `enough` was last thought about */
    uintptr_t stack_mark;              /* below it, the stack is looked at before a task runs at once. Owner's. */
    bool cancellable;                  /* OMP_CANCELLATION. Constant in a region. */
    bool sets_aside;                   /* see aside.h. Constant in a region. */
    heist_deque *deque;                /* Pushed and popped by: owner. Stolen from by: all. */
    heist__omp_task **record;          /* of `records`: the free one that is taken next. NULL: there is none. */
    unsigned index;                    /* constant */
    int thread;                        /* the number that libomp knows its thread by. Constant in a region. */
    uint32_t loop;                     /* the schedule of the loop that its thread is in, see kmp/loop.c */
    bool ending_group;                 /* its thread waits for the current task's group */
    uint64_t next_id;
    heist__omp_icvs *icvs;       /* what is installed in the runtime, NULL: the region's */
    heist__omp_icvs **icvs_made; /* lists of what is freed at the end of the region, see icv.c; NULL: none */
    heist__omp_icvs *icvs_base;
    heist__omp_group *groups;    /* free ones */
    heist__kmp_reserve *reserve; /* see kmp/reserve.c */
    heist__omp_slot *hidden;     /* see kmp/parallel.c, as for the next */
    unsigned hidden_regions;
    heist__random random;
    heist__omp_counters counters;
    uint32_t begun, measured; /* tasks with dependences: see brief.h, as for the next */
    int64_t mean_ns;
    uint64_t created_before;  /* `created` when the region began */
    uint64_t id_before;       /* and `next_id` */
    heist__omp_slot *outer;   /* of the thread, before a region of the old kind */
    uint32_t held;            /* locks that its thread has, see held.c; */
    heist__omp_enough unheld; /* and what the four above were before */
    heist__omp_task implicit;
    heist__omp_group *implicit_group;
    /* Free records, behind some places that are NULL: see record.c. */
    heist__omp_task *records[HEIST__OMP_AHEAD + 2 * HEIST__OMP_BATCH];
    size_t kept_bytes; /* in `kept` */
    heist__omp_memory *kept[HEIST__OMP_SIZES];
    uint32_t kept_count[HEIST__OMP_SIZES];
    heist__omp_site sites[HEIST__OMP_SITES];

    /* Tasks put off, and finished, by this thread. Written by: owner. Read by: who looks whether all is done. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) created;
    HEIST__ATOMIC(uint64_t) finished;
    /* Index after the youngest task of the deque, those set aside among them: see aside.h. Written by: owner. Read by: who
     * has found nothing elsewhere. */
    HEIST__ATOMIC(uint64_t) tail;

    /* 1: its thread sleeps. Written by: owner (to 1), whoever wakes it. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) asleep;
    /* 1: and it is in a barrier, where it can run anything. Written by: owner. Read by: who makes tasks ready. */
    HEIST__ATOMIC(uint32_t) idle;
    /* Thieves that want what it has set aside. Written by: they. Read by: owner. */
    HEIST__ATOMIC(uint32_t) forced;
    /* The CPU where its thread was last seen, negative: unknown. Written by: owner. Read by: others, who have nothing to do. */
    HEIST__ATOMIC(int32_t) cpu;
    int64_t stays_until; /* see apart.c. Owner's. */

    _Alignas(heist_deque) char deque_room[HEIST__DEQUE_ROOM];
};

struct heist__omp_team {
    /* What every thread reads as it enters: together, and written only where it changes (HEIST__OMP_KEEP). */
    _Alignas(HEIST__LINE) heist__omp_region region; /* constant while it runs */
    heist__omp_slot **slots;
    /* How many threads it has. Written by: each of them, the same, where it is not yet that. */
    HEIST__ATOMIC(uint32_t) size;
    int max_priority;
    uint32_t spin, yield;           /* rounds before a thread sleeps */
    bool lacks_cpus;                /* there are fewer than threads, those of other regions among them */
    bool crowded;                   /* the same, and nobody has said how to wait */
    HEIST__ATOMIC(uint32_t) events; /* 1: a task of the region has an event. Written by: its threads. */
    HEIST__ATOMIC(uint32_t) brief;  /* 1: tasks with dependences are short. Written by: its threads, seldom. */
    unsigned capacity;              /* of `slots` */

    /* Barriers on the way, and the one at the region's end: of the former, threads may leave a cancelled region's. */
    heist__omp_bar bars[2];
    HEIST__ATOMIC(void *) copyprivate; /* Written by: the single thread. Read by: the others, after a barrier. */

    /* Threads that sleep in a barrier. Written by: they (add). Read by: who creates tasks. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) sleepers;

    /* Tasks with a priority, and tasks made ready from outside. Written by: under `lock`; the count is a hint. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint32_t) queued;
    HEIST__ATOMIC(uint32_t) queued_deep; /* of them, created by explicit tasks */
    /* Whether the region, or the loop or sections that it is in, is cancelled. Written by: its threads. */
    HEIST__ATOMIC(uint32_t) cancelled;
    HEIST__ATOMIC(uint32_t) share_cancelled;
    /* Tasks finished by threads outside the team. Written by: they (add). Read by: who looks whether all is done. */
    HEIST__ATOMIC(uint64_t) finished_outside;
    pthread_mutex_t lock;
    heist__omp_queue_level levels[HEIST__OMP_LEVELS]; /* by rising priority. Under `lock`. */
    uint64_t levels_used;                             /* bit i: level i has tasks. Under `lock`. */
    heist__omp_group *region_group;                   /* with the reductions of the region; made once */

    /* Written by: who takes the team for a region, and gives it back. */
    heist__omp_team *next; /* in the list of free teams */
    bool within;           /* its first thread is one of another region */
    int32_t counted;       /* threads by which this region is counted, see team.c */
    int32_t cpus;          /* how many there are, */
    uint32_t regions;      /* asked so many regions ago, */
    unsigned asked_for;    /* for so many threads */
};

/* Writes what mostly is there already: others have the line, and keep it if it does not change. */
#define HEIST__OMP_KEEP(field, value)                                                                                  \
    do {                                                                                                               \
        if ((field) != (value)) (field) = (value);                                                                     \
    } while (0)
#define HEIST__OMP_KEEP_RELAXED(field, value)                                                                          \
    do {                                                                                                               \
        if (heist__load_relaxed(field) != (value)) heist__store_relaxed(field, value);                                 \
    } while (0)

/* The calling thread's slot; NULL: it is in no region that heist serves, and the runtime is to do what is asked. */
extern __thread heist__omp_slot *heist__omp_self __attribute__((tls_model("initial-exec")));

/* ---- team.c ---- */
/* How many threads a region may have that is to have so many. */
unsigned heist__omp_threads_within_limit(unsigned threads);
/* A team with room for `threads`, or NULL. `within`: who starts it is a thread of another region. */
heist__omp_team *heist__omp_team_take(unsigned threads, bool within);
void heist__omp_team_give(heist__omp_team *team);
/* The calling thread, its first, starts a region with the team. */
void heist__omp_team_starts(heist__omp_team *team);
/* The region is counted as so many threads besides those of others, see team.c. */
void heist__omp_team_count(heist__omp_team *team, int32_t threads);
/* The slot's thread enters the region, and leaves it. */
void heist__omp_slot_begin(heist__omp_slot *slot, unsigned threads);
void heist__omp_slot_end(heist__omp_slot *slot);

/* ---- stack.c ---- */
/* Where the stack ends now, about. Not __builtin_frame_address, for which a function needs a frame. */
static inline uintptr_t heist__omp_stack_here(void)
{
#if defined(__x86_64__)
    uintptr_t here;
    __asm__("mov %%rsp, %0" : "=r"(here));
    return here;
#elif defined(__aarch64__)
    uintptr_t here;
    __asm__("mov %0, sp" : "=r"(here));
    return here;
#else
    return (uintptr_t)__builtin_frame_address(0);
#endif
}
/* The slot's thread begins a region. */
void heist__omp_stack_begin(heist__omp_slot *slot);
/* Whether half of the calling thread's stack is used. */
bool heist__omp_stack_is_low(heist__omp_slot *self);

/* ---- find.c ---- */
/* A task to run now, or NULL. `within`: only one that descends from the current task. */
heist__omp_task *heist__omp_find(heist__omp_slot *self, bool within);
/* The youngest task of its own deque that descends from the current task, or NULL. */
heist__omp_task *heist__omp_find_own(heist__omp_slot *self);
/* The same of another thread's, set aside there: for who has found nothing else for a while. `within`: as above. */
heist__omp_task *heist__omp_find_aside(heist__omp_slot *self, bool within);
/* Puts a task where all threads look first. */
void heist__omp_queue(heist__omp_team *team, heist__omp_task *task);

/* ---- help.c: waiting ---- */
typedef bool heist__omp_condition(heist__omp_slot *self, const void *what);
/* Runs tasks until `over(self, what)`. */
void heist__omp_help(heist__omp_slot *self, bool within, heist__omp_condition *over, const void *what);
/* After making something visible that the slot's thread may sleep for; that a task is ready; that a barrier opened. */
void heist__omp_wake(heist__omp_slot *slot);
void heist__omp_wake_one_slow(heist__omp_team *team);
void heist__omp_wake_all(heist__omp_team *team);

/* ---- apart.c ---- */
/* Notes where the slot's thread is, and returns it. */
int32_t heist__omp_note_cpu(heist__omp_slot *self);
/* The slot's thread has nothing to do: if it shares its CPU with another of the team, it gets away from there. The same as it begins a
 * region and is not the first, with a look at that one only. */
void heist__omp_move_apart(heist__omp_slot *self);
void heist__omp_begin_apart(heist__omp_slot *self);

/* ---- threads.c ---- */
/* The calling thread starts a region of heist's, for which the runtime may make threads. Written by: it. */
extern __thread bool heist__omp_starting __attribute__((tls_model("initial-exec")));
/* Finds pthread_create, once and before anybody can hold the loader's lock. */
void heist__omp_threads_init(void);

/* ---- locks.c ---- */
/* Finds the functions that stand behind its own, for the same reason. */
void heist__omp_locks_init(void);

/* ---- barrier.c ---- */
/* Waits until all threads are here and no task is left. True: the region was cancelled, and this barrier is not its
 * end. */
bool heist__omp_barrier(heist__omp_slot *self, heist__omp_bar_kind kind);

/* ---- cancel.c ---- */
/* What is cancelled: bits, as libgomp has them. */
enum { HEIST__CANCEL_PARALLEL = 1, HEIST__CANCEL_LOOP = 2, HEIST__CANCEL_SECTIONS = 4, HEIST__CANCEL_TASKGROUP = 8 };
/* cancel, and cancellation point. True: the task is to go to the end of what is cancelled. */
bool heist__omp_cancel(heist__omp_slot *self, int which);
bool heist__omp_cancellation_point(heist__omp_slot *self, int which);
/* Whether tasks of this group are not to begin any more. */
bool heist__omp_cancelled(heist__omp_slot *self, heist__omp_group *group);

/* ---- group.c ---- */
/* The new group, or NULL if there is no memory: then tasks run at once up to its end, which is to come in any case. */
heist__omp_group *heist__omp_group_begin(heist__omp_slot *self);
void heist__omp_group_end(heist__omp_slot *self);
/* Instead of the group that was begun last, in which there is no task yet, none: as if there had been no memory. */
void heist__omp_group_do_without(heist__omp_slot *self);
void heist__omp_group_created(heist__omp_slot *self, heist__omp_group *group);
void heist__omp_group_finished(heist__omp_slot *self, heist__omp_group *group);

/* ---- reduction.c ---- */
/* The thread has begun a work-sharing construct with these task reductions; NULL: with none. */
void heist__omp_share_reductions(heist__omp_slot *self, uintptr_t *reductions);

/* ---- icv.c ---- */
/* Makes the runtime's control variables those of `icvs`. */
void heist__omp_icvs_install(heist__omp_slot *self, heist__omp_icvs *icvs);
void heist__omp_icvs_free(heist__omp_slot *self);
/* From one thread to another that is in no region. */
typedef struct heist__omp_icv_values {
    int threads, dynamic, levels, schedule, chunk, device;
} heist__omp_icv_values;
void heist__omp_icvs_read(heist__omp_icv_values *values);
void heist__omp_icvs_write(const heist__omp_icv_values *values);

/* ---- held.c ---- */
/* The calling thread has taken a lock that others may wait for, and given one back. */
void heist__omp_took_lock(void);
void heist__omp_gave_lock(void);

/* ---- fork.c ---- */
/* This process is a child of fork(). Written by: the fork handler. */
extern bool heist__omp_forked;
void heist__omp_fork_init(void);
void heist__omp_teams_after_fork(void);
void heist__omp_records_after_fork(void);
bool heist__omp_stale_pool_slow(void);
/* The calling thread has, or may have, threads that libgomp keeps for its regions. Written by: it. */
extern __thread bool heist__omp_has_pool __attribute__((tls_model("initial-exec")));
/* Calls run(argument) in the thread kept for that, and waits for it. Call from: the thread that was forked. */
void heist__omp_elsewhere(void (*run)(void *), void *argument);

/* Whether the calling thread's pool in libgomp consists of threads that are not in this process. */
static inline bool heist__omp_stale_pool(void)
{
    return __builtin_expect(heist__omp_forked, 0) && heist__omp_stale_pool_slow();
}

/* ---- start.c ---- */
/* A program uses tasks: regions from now on are heist's. */
extern HEIST__ATOMIC(uint32_t) heist__omp_active;
void heist__omp_activate(void);
/* However many there are, tasks do not run at once. Constant once the library is loaded. */
extern bool heist__omp_puts_all_off;
/* What a slot counted in a region in which it made so many tasks, and put off so many of them. */
void heist__omp_stats_add(const heist__omp_counters *counters, uint64_t made, uint64_t put_off);
/* Ends the program with a message: going on would compute something else. */
_Noreturn void heist__omp_fatal(const char *why);

/* ---- inline ---- */
static inline bool heist__omp_index_within(uint64_t index, uint64_t base)
{
    return (int64_t)(index - base) > 0;
}

/* Another's deque, without a look at what its owner writes all the time. */
static inline heist_deque *heist__omp_deque_of(heist__omp_slot *slot)
{
    return (heist_deque *)(void *)slot->deque_room;
}

/* Begins to fetch a record that another thread may have written last. NULL: none. */
static inline void heist__omp_record_fetch(const heist__omp_task *task)
{
    if (!task) return;
    __builtin_prefetch(task, 1);
    __builtin_prefetch(&task->next, 1);
    __builtin_prefetch(task->room, 1);
}

/* A record with nothing filled in: it is blank, see task.h. NULL: no memory. */
static inline heist__omp_task *heist__omp_record_take(heist__omp_slot *self)
{
    heist__omp_task *task = *self->record;
    if (__builtin_expect(!task, 0)) return heist__omp_record_take_slow(self);
    self->record--;
    return task;
}

/* The record is blank again. */
static inline void heist__omp_record_give(heist__omp_slot *self, heist__omp_task *task)
{
    heist__omp_task **last = &self->records[HEIST__OMP_AHEAD + 2 * HEIST__OMP_BATCH - 1];
    if (__builtin_expect(self->record == last, 0)) {
        heist__omp_record_give_slow(self, task);
        return;
    }
    *++self->record = task;
}

/* A task is ready: somebody who sleeps is to look. */
static inline void heist__omp_wake_one(heist__omp_team *team)
{
    /* relaxed: a sleeper looks again after a heavy barrier, or soon. Pairs with W1 in help.c. */
    if (__builtin_expect(heist__load_relaxed(&team->sleepers) != 0, 0)) heist__omp_wake_one_slow(team);
}

/* Whether all children are complete of a task that the calling thread runs. */
static inline bool heist__omp_children_done(const heist__omp_task *task)
{
    return task->spawned - task->done_here + heist__load_acquire(&task->away) == 0; /* C1 */
}

/* Waits, helping, for the children of the current task. */
static inline void heist__omp_taskwait(heist__omp_slot *self)
{
    const heist__omp_task *task = self->current;
    if (task->spawned != task->done_here) heist__omp_taskwait_slow(self);
}

#endif
