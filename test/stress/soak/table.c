/* Cells and marks. */
#include <stdio.h>
#include <stdlib.h>

#include "soak.h"

bool table_new(table *t, uint32_t room)
{
    t->cells = calloc(room, sizeof *t->cells);
    t->room = room;
    atomic_init(&t->used, 0);
    atomic_init(&t->torn, false);
    return t->cells != NULL;
}

void table_free(table *t)
{
    free(t->cells);
}

cell *table_take(table *t)
{
    uint32_t n = atomic_fetch_add(&t->used, 1);
    if (n >= t->room) {
        atomic_fetch_sub(&t->used, 1);
        return NULL;
    }
    cell *c = &t->cells[n];
    c->number = n;
    c->twice = 2 * (uint64_t)n + 1;
    c->inverse = ~(uint64_t)n;
    return c;
}

void table_mark(table *t, cell *c)
{
    uint64_t n = c->number;
    if (c < t->cells || c >= t->cells + t->room || c != &t->cells[n] || c->twice != 2 * n + 1 || c->inverse != ~n)
        atomic_store(&t->torn, true);
    else
        atomic_fetch_add(&c->marks, 1);
    atomic_fetch_add_explicit(&soak_tasks, 1, memory_order_relaxed); /* relaxed: a count for people */
}

const char *table_verdict(table *t, uint64_t missing)
{
    static char what[120]; /* the first failure ends the soak */
    uint32_t used = atomic_load(&t->used), lost = 0, doubled = 0, first = 0;
    if (used > t->room) used = t->room;
    for (uint32_t i = 0; i < used; i++) {
        unsigned marks = atomic_load(&t->cells[i].marks);
        if (marks != 1 && lost + doubled == 0) first = i;
        lost += marks == 0;
        doubled += marks > 1;
    }
    if (!atomic_load(&t->torn) && doubled == 0 && lost == missing) return NULL;
    snprintf(what, sizeof what, "%u tasks: %u lost (%llu may be), %u run twice, %s; the first is %u", used, lost,
             (unsigned long long)missing, doubled, atomic_load(&t->torn) ? "some torn" : "none torn", first);
    return what;
}
