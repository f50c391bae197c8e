/* view.h: what heist sees: the machine, its workers and their settings, as plain data that the printers share. */
#ifndef HEIST_INFO_VIEW_H
#define HEIST_INFO_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include <heist/heist.h>

#include "schedule/options.h"
#include "schedule/victim.h"
#include "topology/machine.h"

/* What decided the number of workers. */
typedef enum { LIMIT_VARIABLE, LIMIT_MASK, LIMIT_QUOTA, LIMIT_MACHINE, LIMIT_MOST, LIMIT_THREADS } limit;

typedef struct view {
    const char *system;      /* put before every path of /proc and /sys; "" for this system */
    const char *description; /* of another machine; NULL: this one */
    heist__settings settings;
    heist__machine machine;
    unsigned workers;
    unsigned *pu_of;         /* of each worker: an index into machine.pus */
    heist__victims *victims; /* of each worker */
    int *bind_errors;        /* of each worker: 0, or a negative errno */
    unsigned online, masked; /* CPUs of this system, and those of the affinity mask */
    unsigned quota;          /* in CPUs; 0: none */
    limit limited_by;
    bool membarrier, futex; /* whether the kernel allows them */
    bool fenced;            /* both sides of a steal have a fence */
    char notes[2048];       /* of the pool: what it had to do without, one sentence a line */
} view;

/* Fills the view. For this machine it makes a pool, looks at it, and ends it; another machine has no pool. Returns 0,
 * or -1 with a sentence in `why`. */
int view_read(view *v, const char *description, const char *system, char *why, size_t size);
void view_free(view *v);

/* "affinity mask", "CPU quota", ... */
const char *limit_words(limit by);
/* Why the fence mode is what it is. */
const char *fence_reason(const view *v);
/* How many cores the machine has. */
unsigned view_cores(const view *v);
unsigned view_packages(const view *v);

/* The machine as a tree. */
void print_tree(const view *v, FILE *out);
/* Numbers in their order, neighbours as ranges: "1-3,7,0". */
void print_ranges(FILE *out, const uint16_t *numbers, unsigned count);
void print_text(const view *v, FILE *out, bool all);
void print_json(const view *v, FILE *out);

/* Looks for what costs speed on this machine, and prints it with the remedy. Returns how many things it found. */
unsigned print_checks(const view *v, FILE *out, bool json);

#endif
