/* The state of a modelled run, and the parts of the checker that work on it:
 *
 *   memory.c   histories and views: what a load may return, what a store does (the rules of RC11)
 *   heap.c     malloc and free, data races on plain memory, use after free
 *   threads.c  coroutines, and the steps that threads ask for
 *   state.c    making two equal states look equal, copying and hashing them
 *   explore.c  which step next: exhaustive within bounds, random, replay
 *   table.c    names and the table of a failed run
 *
 * THE MODEL. Each atomic location has its stores in modification order. A thread has a view: for each location the
 * newest store that it must not look behind. A load takes any store from there on, a store goes anywhere after it that
 * does not split a read-modify-write from what it read. A store carries the view that its release gives away; an
 * acquire load takes it over; relaxed accesses give and take through fences. Sequentially consistent fences pass on all
 * views through one common view, sequentially consistent accesses that of their own location. This is RC11. There,
 * nothing but happens-before and the accesses' own values ties the order of sequentially consistent accesses to the
 * rest: a later relaxed store of the same thread may be seen before one is. With --late-sc such a store may therefore
 * join the common order only with the thread's next sequentially consistent step; without, it does so at once.
 *
 * RC11 lets no load return a store that the program comes to only later; C11 and ARM do. Where a harness says so
 * (model_late) a relaxed load may therefore stay open, until the value is asked for, and then have returned a store
 * made meanwhile, unless the load happens before that store.
 *
 * Happens-before for plain memory is kept in the same views, as a clock for each thread, which goes on with
 * the first plain access after a release. */
#ifndef HEIST_MODEL_WORLD_H
#define HEIST_MODEL_WORLD_H

#include "model.h"

enum {
    THREADS = 4,
    LOCATIONS = 184,
    CLOCKS = 8, /* bytes of a view that are clocks; a power of two, for the sake of alignment */
    MESSAGES = 16,
    STACK_BYTES = 16 << 10,
    ARENA_BYTES = 64 << 10,
    MAPPED_BYTES = 64 << 10,
    LINE_BYTES = 64, /* of the arena, for copying */
    BLOCKS = 96
};

/* What a thread must have seen: its clocks of the others, then for each location the number of a store. */
typedef struct {
    _Alignas(16) uint8_t at[CLOCKS + LOCATIONS];
} view;

/* One store in a location's history. */
typedef struct {
    view gives;
    uint64_t value;
    uint8_t rmw; /* it read the one before: nothing comes between */
} message;

typedef enum {
    OP_NONE,
    OP_LOAD,
    OP_STORE,
    OP_EXCHANGE,
    OP_ADD,
    OP_CAS,
    OP_FENCE,
    OP_BARRIER,      /* membarrier begins ... */
    OP_BARRIER_DONE, /* ... and has reached every thread */
    OP_FUTEX_WAIT,
    OP_FUTEX_ASLEEP,
    OP_FUTEX_WAKE,
    OP_LOCK,
    OP_TRYLOCK,
    OP_UNLOCK,
    OP_JOIN,
    OP_CHOOSE
} op_kind;

/* The step that a thread wants to take. */
typedef struct {
    const char *file;
    uint64_t value, expected;
    int line;
    uint16_t location; /* for those that have one */
    uint8_t kind, order, size;
    uint8_t unused[7]; /* named, so that it is 0 and states compare by their bytes */
} op;

/* A load that was begun and has not returned: see model_late. */
typedef struct {
    uint64_t value;
    uint16_t location;
    uint8_t state; /* 0 none, 1 begun, 2 has met a store that it is not ordered before */
    uint8_t clock; /* of the load */
} late_load;

typedef struct {
    view cur, acq, rel; /* seen; would be seen after an acquire fence; given away by relaxed stores (release fence) */
    view later;         /* its seq_cst stores that are not in the common order yet; clocks unused */
    op next;
    uint64_t result;
    char *sp;
    void *local;
    late_load late;
    uint8_t done, ok, yielded, asleep;
    uint8_t must_end;       /* see model_must_end */
    uint8_t clock_given;    /* its clock is known to others: the next plain access needs a new one */
    uint8_t interrupted_by; /* membarriers that still have to reach this thread: a bit for each caller */
} thread;

/* The last accesses to a watched word of plain memory, as clocks; 0: no access. */
typedef struct {
    uint8_t writer, written; /* thread + 1, and when */
    uint8_t accessed[THREADS];
} shadow;

typedef struct {
    uint32_t start, size;
    int8_t fresh; /* thread + 1 while no other can know of it */
    uint8_t freed, zeroed;
} block;

/* All that changes in a run, apart from stacks and the arena. */
typedef struct {
    uint8_t count[LOCATIONS]; /* of messages; 0: not touched yet */
    message history[LOCATIONS][MESSAGES];
    view sc;
    thread threads[THREADS];
    uint32_t heap_end, touched_count, block_count;
    uint16_t touched[ARENA_BYTES / 8]; /* words whose shadow is not empty */
    block blocks[BLOCKS];
    int8_t running;            /* the thread that ran last, -1: none */
    uint16_t preempted, stale; /* how much of the bounds is used */
} world;

extern world now;
extern char arena[ARENA_BYTES], arena_first[ARENA_BYTES]; /* now, and after setup */
extern uint16_t dirty_lines[ARENA_BYTES / LINE_BYTES];    /* those that any run so far has written */
extern uint32_t dirty_count;
extern char mapped[MAPPED_BYTES];
extern shadow shadows[ARENA_BYTES / 8];
extern char stacks[THREADS][STACK_BYTES];

/* Constant after setup, or a mere table. */
extern int thread_count, location_count, self;
extern const volatile void *location_address[LOCATIONS];
extern uint8_t location_size[LOCATIONS];
extern int8_t location_writer[LOCATIONS]; /* -1: anybody */

typedef struct {
    int preemptions, stale; /* how many in a run; -1: as many as there are */
    int window;             /* how many stores back a load may look */
    bool late_sc;           /* a seq_cst store may come late in the order of such */
    bool split_barriers;    /* membarrier reaches each thread at a time of its own */
} bounds;
extern bounds limits;
extern bool abandoned;     /* this run cannot be: it is given up */
extern uint64_t forgotten; /* how often a history was cut because it became too long */

/* ---- failure ---- */
extern char failure[512]; /* empty: none */

/* ---- memory.c ---- */
int location_of(const volatile void *p, size_t size, bool make);
bool location_ignored(const volatile void *p);
bool location_is_late(int l);
enum { LATER = 24, LATE = 25 }; /* as choices: y and z in a run's text */
void location_begin(int l);
uint64_t newest_value(int l);
/* The lowest message that thread `t` may read, or must store behind. */
int oldest_allowed(int t, int l, uint8_t order);
/* Performs thread t's load, store or read-modify-write on the message `back` places before the newest. */
void memory_step(int t, int back);
/* How many places back the step may go; calls `each` for every one allowed. */
unsigned memory_choices(int t, uint8_t *out);
void fence_acquire(int t);
void fence_release(int t);
void fence_seq_cst(int t);
/* All of thread t's seq_cst stores are in the common order. */
void order_settled(int t);
void take_over(int t, const view *given);
void store_latest(int t, int l, uint64_t value, bool release, bool rmw);
void drop_oldest(int l, int n);
/* The clock with which thread t's next access to plain memory is noted. */
uint8_t clock_of_access(int t);

/* ---- heap.c ---- */
bool in_arena(const volatile void *p);
void watch_atomic(const volatile void *p, size_t size);
bool is_fresh(const volatile void *p, int t);
void note_escape(uint64_t value);
block *block_at(const volatile void *p);

/* ---- threads.c ---- */
void threads_start(void);
/* Runs thread t until it wants its next step. */
void thread_resume(int t);
/* Called by a thread whose run is over. */
void thread_stop(void) __attribute__((noreturn));
bool thread_enabled(int t);
/* Performs its step, with this choice, and resumes it. */
void thread_step(int t, int choice);
void thread_interrupt(int t);
unsigned thread_choices(int t, uint8_t *out);

/* ---- state.c ---- */
typedef struct {
    char *bytes;
    size_t size, room;
} snapshot;
void state_normalise(void);
void state_save(snapshot *s);
void state_restore(const snapshot *s);
uint64_t state_hash(const snapshot *s);

/* ---- explore.c ---- */
typedef struct {
    uint8_t thread, choice, interrupt, is_stale, is_preemption;
} step;

/* ---- table.c ---- */
const char *name_of(const volatile void *p, size_t piece_wanted);
void table_begin(void);
/* Before and after the step is performed. */
void table_step(const step *s, int number);
void table_result(const step *s);

#endif
