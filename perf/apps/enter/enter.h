/* enter: the cost of getting into a runtime. A thread calls the runtime again and again for some microseconds of work
 * each time, back to back or after a pause, and each call is timed.
 *
 * This header and enter.c hold all that the runtimes share: the work, the clock, the serial twin and the check. A
 * runtime supplies its calls (struct enter_calls). One run of heist-perf is one turn: many pieces of work, one after
 * another. Figures are of all turns together. */
#ifndef HEIST_PERF_ENTER_H
#define HEIST_PERF_ENTER_H

#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Callers run fib(ENTER_FIB). */
#define ENTER_FIB 12

enum enter_shape { ENTER_RUN, ENTER_LOOP, ENTER_CALLERS, ENTER_SPAWNED };

/* The contents of a size: SHAPE, or loop-MICROSECONDS, and behind a colon the pieces of one turn. */
struct enter_size {
    enum enter_shape shape;
    long microseconds; /* of a loop */
    long pieces;       /* of a turn without pauses */
};

/* Reads a size. Returns 0, or -EINVAL with a sentence in `error`. */
int enter_read_size(const char *text, struct enter_size *size, char *error, size_t room);
const char *enter_shape_name(enum enter_shape shape);

/* The times of one kind, of all turns; those of the current turn come last. */
struct enter_times {
    uint64_t *ns;
    size_t count, room;
    size_t turn; /* where the current turn begins */
};

struct enter {
    enum enter_shape shape;
    bool outside, cold;
    long callers;      /* threads */
    long pieces;       /* of a turn */
    int64_t n;         /* iterations of a loop */
    uint32_t number;   /* number of the current piece: no two have the same */
    uint64_t clock_ns; /* time of reading the clock: subtracted from each time */

    /* The results of the pieces, and beside them those of the serial twin. Of a loop: one cell for each iteration. Of a
     * run: the first cell. */
    uint32_t *cells, *reference;
    uint32_t left, right; /* of a run: written by its two halves */
    long wrong;           /* callers: results that were wrong */
    bool short_of_memory, short_of_threads;

    struct enter_times times;  /* of the runtime */
    struct enter_times serial; /* of the serial twin, in the same state */
    struct enter_times futex;  /* spawned, cold: of waking a thread that sleeps */
    long turns;
    long idle_ns, idle_late_ns; /* CPU time after the first turn; -1: not known */
};

/* The calls of a runtime. */
struct enter_calls {
    /* From an ordinary thread: enter_left and enter_right, one of them in a child that may run elsewhere. */
    void (*run)(struct enter *e);
    /* From an ordinary thread: enter_iteration(e, i) for each i below e->n, in the runtime's usual schedule. */
    void (*loop)(struct enter *e);
    /* The same, called inside a task. */
    void (*run_inside)(struct enter *e);
    void (*loop_inside)(struct enter *e);
    /* Calls measure(e) inside a task. */
    void (*inside)(void (*measure)(struct enter *), struct enter *e);
    /* fib(ENTER_FIB) by its definition, each call a task. From an ordinary thread. */
    int (*fib)(void);
};

/* ---- the work; compiled once, so that it is the same machine code for every runtime ---- */

void enter_iteration(struct enter *e, int64_t i);
void enter_left(struct enter *e);
void enter_right(struct enter *e);

/* ---- for the implementations ---- */

/* As in struct perf_implementation. */
int enter_prepare(const struct perf_input *input, struct enter *e, char *error, size_t room);
void enter_turn(struct enter *e, const struct enter_calls *calls);
void enter_check(struct enter *e, struct perf_outcome *outcome);
void enter_discard(struct enter *e);

/* callers.c: a turn of threads that each call fib. */
void enter_callers(struct enter *e, int (*fib)(void));
/* Ends these threads, if there are any. */
void enter_callers_discard(void);

/* ---- for shapes that measure by themselves ---- */

uint64_t enter_now(void);
/* Makes room for the times of a turn; e->short_of_memory if there is none. */
void enter_begin_turn(struct enter *e);
/* Keeps the time from `began` to `ended`, without that of reading the clock. */
void enter_keep(struct enter *e, struct enter_times *times, uint64_t began, uint64_t ended);
/* Measures, in the first turn, the CPU time that the threads of the runtime use while they have nothing to do. */
void enter_watch_idle(struct enter *e, uint64_t ended);

#ifdef __cplusplus
}
#endif

#endif
