/* loop/loop_costs.h: the cost of a unit of a loop when the loop ran last, remembered by the worker that began it. A
 * loop is known by its body. Everything here is a hint: a wrong one costs time. */
#ifndef HEIST_LOOP_LOOP_COSTS_H
#define HEIST_LOOP_LOOP_COSTS_H

#include <stdint.h>

/* Loops that a worker remembers. Two loops whose bodies have the same place in the table forget each other. */
#define HEIST__LOOP_COSTS 16

typedef struct heist__loop_costs {
    struct {
        uintptr_t body;
        double ns_each;
    } entries[HEIST__LOOP_COSTS];
} heist__loop_costs;

/* Nanoseconds of a unit; 0: not known. */
static inline double heist__loop_costs_get(const heist__loop_costs *c, uintptr_t body)
{
    const unsigned at = (unsigned)((body >> 4) ^ (body >> 8)) % HEIST__LOOP_COSTS;
    return c->entries[at].body == body ? c->entries[at].ns_each : 0;
}

static inline void heist__loop_costs_set(heist__loop_costs *c, uintptr_t body, double ns_each)
{
    const unsigned at = (unsigned)((body >> 4) ^ (body >> 8)) % HEIST__LOOP_COSTS;
    c->entries[at].body = body;
    c->entries[at].ns_each = ns_each;
}

#endif
