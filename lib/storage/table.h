/* storage/table.h: a table with an entry, a view, for each worker and each other thread that uses it.
 *
 * An entry belongs to an id of schedule/thread_ids.h. Only the worker or thread with that id makes and uses its view;
 * the one that gets the id next uses it on. Other threads read the entries when they visit the table. The table grows
 * in levels of which each is twice as large as the one before, and never moves. */
#ifndef HEIST_STORAGE_TABLE_H
#define HEIST_STORAGE_TABLE_H

#include <stdint.h>

#include "schedule/inside.h"

#define HEIST__FIRST_LEVEL 32u
#define HEIST__TABLE_LEVELS 12 /* 131040 entries */

/* Written by: the worker with the id, once, or a thread that alone uses the table. Read by: it, visitors. */
typedef HEIST__ATOMIC(void *) heist__view;

typedef struct heist__table {
    /* Written by: the first thread that needs the level (CAS). Read by: any thread. */
    HEIST__ATOMIC(heist__view *) levels[HEIST__TABLE_LEVELS];
} heist__table;

/* The entry of `id`. NULL: there is none yet. */
heist__view *heist__table_find(heist__table *table, uint32_t id);

/* The same; makes it if need be. NULL: memory is short. */
heist__view *heist__table_entry(heist__table *table, uint32_t id);

/* The view in the calling thread's entry, or in that of `id`, if there is one. */
static inline void *heist__view_of(heist__table *table, uint32_t id)
{
    heist__view *entry = id == HEIST__NO_ID ? NULL : heist__table_find(table, id);
    return entry ? heist__load_acquire(entry) : NULL; /* Z3: pairs with heist__view_set */
}

/* Makes `view` the one of the entry; NULL: it has none. */
static inline void heist__view_set(heist__view *entry, void *view)
{
    heist__store_release(entry, view); /* Z3: the view is whole. Pairs with heist__view_of and heist__table_visit. */
}

/* Calls visit(view, context) for each view, by ascending id. */
void heist__table_visit(heist__table *table, void (*visit)(void *view, void *context), void *context);

/* Frees the levels, not the views. */
void heist__table_destroy(heist__table *table);

#endif
