/* schedule/options.h: a pool's options, put together from the caller's struct, the environment and the defaults. */
#ifndef HEIST_SCHEDULE_OPTIONS_H
#define HEIST_SCHEDULE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/pool.h>

#include "schedule/victim.h"
#include "topology/place.h"

#define HEIST__NAME_SIZE 32

/* The rounds of searching of a stressed pool, if neither the program nor HEIST_SPIN says how many. */
#define HEIST__STRESS_SPIN 1

typedef struct heist__settings {
    unsigned workers; /* 0: not given; the pool asks the machine */
    heist__bind bind;
    heist__strategy strategy;
    heist_amount amount;
    bool learns_to_spin;   /* no number of rounds was given: a searching worker learns it (idle/spin_budget.h) */
    unsigned spin;         /* rounds of a searching worker, if it does not learn */
    unsigned waiting_spin; /* rounds of a worker that waits for a child or a scope; 0: see pool.c */
    unsigned sharing_spin; /* the same where another worker is awake on the same CPU */
    size_t stack_size;
    bool stack_by_default;  /* the size was not asked for: a smaller one will do */
    bool stack_by_variable; /* the environment asked for it */
    uint64_t seed;
    char name[HEIST__NAME_SIZE];
    heist_fences fences;
    char *topology;          /* owned; NULL: this machine */
    bool topology_by_caller; /* else the environment's, and one that cannot be read is ignored */
    size_t inbox;
    size_t slots;
    bool strict;
    uint64_t watch;  /* seconds; 0: none */
    bool check;      /* look at every spawn and join, HEIST_CHECK */
    uint64_t stress; /* seed of HEIST_STRESS; 0: no stress */
} heist__settings;

/* Whether a sized struct ends within a field. Where that field is a pointer no version can be meant, and half of a
 * pointer cannot be used. */
#define HEIST__ENDS_WITHIN(size, type, field)                                                                          \
    ((size) > offsetof(type, field) && (size) < offsetof(type, field) + sizeof(((type *)0)->field))

/* Returns 0, or -EINVAL or -ENOMEM with the sentence kept for heist_explain. */
int heist__settings_read(heist__settings *s, const heist_options *options);
void heist__settings_free(heist__settings *s);

/* Sets the default size of stacks, as if neither caller nor environment had given one. */
void heist__stack_by_default(heist__settings *s);

/* Whether HEIST_CHECK=1 is in the environment now. */
bool heist__check_wanted(void);

/* Reports on stderr that a variable's value is not as wanted, and is ignored. */
void heist__passed_over(const char *variable, const char *text, const char *wanted);

#endif
