/* simulate/program.h: a program that is simulated, as steps of tasks.
 *
 * A program makes its tasks while it runs: a task is three words, and the program says step by step what the task does.
 * Random choices follow from these words alone, so a program is the same on every machine and under every strategy. A
 * task that ends with unjoined children joins them first. Time is counted in picoseconds. */
#ifndef HEIST_SIMULATE_PROGRAM_H
#define HEIST_SIMULATE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedule/victim.h"

/* The program's own words about a task. */
typedef struct heist__sim_task {
    uint64_t word[3];
} heist__sim_task;

typedef enum heist__sim_kind {
    HEIST__SIM_WORK,  /* `ps` of work */
    HEIST__SIM_SPAWN, /* `child` goes into the deque, to be joined */
    HEIST__SIM_CALL,  /* `child` is called */
    HEIST__SIM_JOIN,  /* the youngest child that was spawned and not joined yet */
    HEIST__SIM_JOB,   /* `child` goes into the deque of jobs; no task waits for it */
    HEIST__SIM_END
} heist__sim_kind;

typedef struct heist__sim_step {
    int64_t ps;
    heist__sim_task child;
} heist__sim_step;

/* Where the task runs just now. Only loops ask. */
typedef struct heist__sim_place {
    unsigned worker, workers;
    int64_t now;
    bool taken; /* the youngest unjoined child has been taken by a thief */
    const heist__victims *victims;
} heist__sim_place;

/* A task that is there from the beginning, or comes from outside later. */
typedef struct heist__sim_arrival {
    int64_t at;
    unsigned worker; /* HEIST__SIM_ANYWHERE: one that is drawn */
    heist__sim_task task;
} heist__sim_arrival;
#define HEIST__SIM_ANYWHERE (~0u)

typedef struct heist__sim_program {
    char name[64];
    void *state;
    /* Says what step number `step` of the task is. */
    heist__sim_kind (*step)(void *state, heist__sim_task *task, uint32_t step, const heist__sim_place *place,
                            heist__sim_step *out);
    /* Called before each simulation: the number of workers is known. May be NULL. Returns 0 or -ENOMEM. */
    int (*begin)(void *state, unsigned workers);
    void (*free)(void *state); /* may be NULL */
    /* In the order of their times. NULL: one task of zeros but for `root`, on worker 0. */
    heist__sim_arrival *arrivals;
    size_t arrival_count;
    heist__sim_task root;
    int64_t span;  /* the longest path, where the program knows it; 0: the engine finds it out */
    double memory; /* the part of the time in which a task wants memory, if it runs alone; for the roof of a node */
} heist__sim_program;

/* Makes the program that `text` describes: a name, and options behind a colon: "fib:n=30,grain=100". Returns 0, -EINVAL
 * or another negative errno with a sentence in `error`. doc/simulating.md has the names and the options. */
int heist__sim_program_make(heist__sim_program *p, const char *text, char *error, size_t room);
void heist__sim_program_free(heist__sim_program *p);

/* Reads a DAG: `text` is the content of the file `name`. doc/simulating.md describes the form. */
int heist__sim_dag_read(heist__sim_program *p, const char *text, const char *name, char *error, size_t room);

/* The i-th name of a program, with a line of help; NULL: there are no more. */
const char *heist__sim_program_name(size_t i, const char **help);

/* Whether the program that `text` describes has a grain. No DAG has. */
bool heist__sim_program_has_grain(const char *text);

/* Reads a number with an optional unit: ns, us, ms, s (in nanoseconds), k, M, G. */
bool heist__sim_number(const char *text, double *value);

#endif
