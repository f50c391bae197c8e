/* A pool's options after the caller's struct, the environment and the defaults have been put together. */
#ifndef HEIST_SCHEDULE_OPTIONS_H
#define HEIST_SCHEDULE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/pool.h>

#include "schedule/victim.h"
#include "topology/place.h"

#define HEIST__NAME_SIZE 32
#define HEIST__DEFAULT_SPIN 16 /* the default: with the yields after it, about what parking and waking cost */

typedef struct heist__settings {
    unsigned workers; /* 0: not said; the pool asks the machine */
    heist__bind bind;
    heist__strategy strategy;
    heist_amount amount;
    unsigned spin;         /* of who searches */
    unsigned waiting_spin; /* of who waits for a child or a scope; 0: see pool.c */
    unsigned sharing_spin; /* the same where another worker is awake on the same CPU */
    size_t stack_size;
    bool stack_by_default; /* nobody asked for this size: a smaller one will do */
    uint64_t seed;
    char name[HEIST__NAME_SIZE];
    heist_fences fences;
    char *topology;          /* owned; NULL: this machine */
    bool topology_by_caller; /* else the environment's: rubbish there is passed over */
    size_t inbox;
    size_t slots;
    bool strict;
} heist__settings;

/* Whether a sized struct ends within a field. Where that is a pointer no version can be meant, and half of it cannot be used. */
#define HEIST__ENDS_WITHIN(size, type, field)                                                                          \
    ((size) > offsetof(type, field) && (size) < offsetof(type, field) + sizeof(((type *)0)->field))

/* Returns 0, or -EINVAL or -ENOMEM with the sentence kept for heist_explain. */
int heist__settings_read(heist__settings *s, const heist_options *options);
void heist__settings_free(heist__settings *s);

/* Tells on stderr that a variable's value was not what is wanted, and is ignored. */
void heist__passed_over(const char *variable, const char *text, const char *wanted);

#endif
