/* schedule/victim.h: the order in which a thief tries its victims. Pure: plain data, a seeded generator, and a function
 * that tells a worker's load; nothing here waits, allocates during a search, or touches a deque.
 *
 * Each thief has its victims in an array, nearest first, cut into rings: one for each level of the machine that has
 * victims in it, and the far level into some more where the distances of the nodes are known. A search is a sequence of
 * picks, at most one for each victim, that ends when the caller has got something or heist__search_next says so. All of
 * it belongs to the thief alone, apart from the values that `load` reads.
 *
 * Usage:
 *     heist__search search;
 *     heist__search_begin(&search, &victims, &state, &random, load, pool);
 *     while (heist__search_next(&search, &victim, &level)) {
 *         bool got = ... try to steal from `victim` ...
 *         heist__strategy_report(&state, got);
 *         if (got) break;
 *     } */
#ifndef HEIST_SCHEDULE_VICTIM_H
#define HEIST_SCHEDULE_VICTIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/random.h"
#include "topology/machine.h"

/* Workers are numbered in 16 bits: each thief has an array of all the others. */
#define HEIST__WORKERS_MAX 65535u

enum {
    HEIST__FAR_RINGS = 4, /* the nearest far nodes, the next, the one after, all the rest */
    HEIST__RINGS = HEIST__LEVELS - 1 + HEIST__FAR_RINGS
};

typedef struct heist__victims {
    unsigned count;
    uint16_t *worker;                  /* nearest ring first; within a ring from the thief's next number on, round */
    unsigned level_end[HEIST__LEVELS]; /* worker[0 .. level_end[l] - 1] are at level l or nearer */
    unsigned ring_count;               /* no ring is empty */
    unsigned ring_end[HEIST__RINGS];
    uint8_t ring_level[HEIST__RINGS];
} heist__victims;

/* Orders the victims of `thief`, one of `workers` workers that are placed on the PUs pu_of[0 .. workers - 1] of `m`.
 * `alloc` (NULL: malloc) is called at most once. Returns 0, -EINVAL for too many workers or a thief that is none of
 * them, or -ENOMEM; on failure there is nothing to free. */
int heist__victims_init(heist__victims *v, const heist__machine *m, const unsigned *pu_of, unsigned workers,
                        unsigned thief, void *(*alloc)(size_t size));

/* `release` (NULL: free) frees the memory that `alloc` gave. */
void heist__victims_free(heist__victims *v, void (*release)(void *));

typedef enum {
    HEIST__STEAL_NEAR,         /* "near": ring by ring; in a ring each once, from a random one on */
    HEIST__STEAL_RANDOM,       /* "random": any victim */
    HEIST__STEAL_MOST_LOADED,  /* "most-loaded": by load, the greatest first; the nearer of equals */
    HEIST__STEAL_LEAST_LOADED, /* "least-loaded": by load, the smallest first that is not 0; the nearer of equals */
    HEIST__STEAL_POWER_OF_TWO, /* "power-of-two": the more loaded of two random ones; the nearer ring of equals */
    HEIST__STEAL_ADAPTIVE      /* "adaptive": near at first, then by success, see heist__strategy_report */
} heist__strategy;

/* The word for each of the above, then NULL. */
extern const char *const heist__strategy_words[];

/* The state that a thief keeps from search to search. */
typedef struct {
    heist__strategy chosen;       /* as in the options */
    heist__strategy now;          /* the next search's strategy; never adaptive */
    uint32_t attempts, successes; /* since the last evaluation */
} heist__strategy_state;

enum {
    HEIST__ADAPTIVE_WINDOW = 100, /* attempts between evaluations */
    HEIST__ADAPTIVE_PERCENT = 30  /* of successes: with fewer it is worth looking for the loaded */
};

void heist__strategy_init(heist__strategy_state *state, heist__strategy chosen);

/* Says how an attempt ended. Only adaptive uses it: after every hundred attempts it goes on with most-loaded when fewer
 * than 30 of them got something, and with power-of-two otherwise. */
void heist__strategy_report(heist__strategy_state *state, bool success);

/* How many tasks `worker` seems to have; may be out of date. A worker whose load reads 0 is not picked by most-loaded
 * and least-loaded, so a worker that parks must look at all victims itself. */
typedef size_t heist__load(const void *context, unsigned worker);

typedef struct {
    const heist__victims *victims;
    heist__random *random;
    heist__load *load;
    const void *context;
    heist__strategy how;
    unsigned tried;       /* picks so far */
    unsigned ring, start; /* near: the current ring, and the first pick's place in that ring */
    size_t last_load;     /* most- and least-loaded: the pick before, in the order of the picks */
    unsigned last_place;
} heist__search;

/* Begins a search. With load NULL, strategies that want a load search as near does. */
void heist__search_begin(heist__search *s, const heist__victims *victims, const heist__strategy_state *state,
                         heist__random *random, heist__load *load, const void *context);

/* Picks the next victim and tells how near it is. Returns false when the search is over; it ends after at most as many
 * picks as there are victims. near picks each of them once. Most- and least-loaded look at every victim's load for each
 * pick, the others at two at most. */
bool heist__search_next(heist__search *s, unsigned *victim, unsigned *level);

#endif
