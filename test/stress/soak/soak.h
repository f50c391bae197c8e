/* soak.h: random programs on random pools, for as long as one likes. What they share: chance from a seed, tables in
 * which every task leaves a mark, and the delays. */
#ifndef SOAK_H
#define SOAK_H

#include <heist/heist.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- chance.c: the same seed, the same numbers ---- */

typedef struct {
    uint64_t state;
} chance;

chance chance_from(uint64_t seed, uint64_t stream);
uint64_t chance_draw(chance *c);
uint32_t chance_below(chance *c, uint32_t n);
bool chance_one_in(chance *c, uint32_t n);

/* ---- delay.c: threads are held up at any atomic access of the library ---- */

typedef enum { DELAYS_NONE, DELAYS_SOME, DELAYS_MANY } delay_amount;

/* For the round that begins; `point` (file.c:line, or NULL) is held up for `point_us` each time it is passed. */
void delay_set(delay_amount amount, uint64_t seed, const char *point, unsigned point_us);

/* ---- table.c: every task has a cell, and leaves exactly one mark in it ---- */

typedef struct cell {
    uint64_t number, twice,
        inverse; /* plain, written before the task is given away: a torn one does not fit together */
    atomic_uint marks;
} cell;

typedef struct table {
    cell *cells;
    uint32_t room;
    _Atomic uint32_t used;
    atomic_bool torn;
} table;

bool table_new(table *t, uint32_t room);
void table_free(table *t);
cell *table_take(table *t); /* NULL: full */
void table_mark(table *t, cell *c);
/* NULL if each cell in use has one mark, less `missing` of them that may have none; else what is wrong. */
const char *table_verdict(table *t, uint64_t missing);

/* ---- scenarios.c ---- */

/* One program. Returns NULL, or what went wrong. Called on a thread of its own, outside the pool; several at once. */
typedef const char *scenario(heist_pool *pool, chance c);

typedef struct {
    const char *name;
    scenario *run;
} soak_scenario;

extern const soak_scenario soak_scenarios[];
extern const unsigned soak_scenario_count;

/* Tasks that have run, of all scenarios. */
extern _Atomic uint64_t soak_tasks;

#endif
