/* table.c: see table.h. */
#include "storage/table.h"

#include <stdlib.h>

/* Level k has HEIST__FIRST_LEVEL << k entries, and begins with id HEIST__FIRST_LEVEL * (2^k - 1). */
static unsigned level_of(uint32_t id, uint32_t *place)
{
    const uint32_t from_one = id + HEIST__FIRST_LEVEL;
    const unsigned level = 31 - (unsigned)__builtin_clz(from_one / HEIST__FIRST_LEVEL);
    *place = from_one - (HEIST__FIRST_LEVEL << level);
    return level;
}

heist__view *heist__table_find(heist__table *table, uint32_t id)
{
    uint32_t place;
    heist__view *level = heist__load_acquire(&table->levels[level_of(id, &place)]); /* Z2 */
    return level ? &level[place] : NULL;
}

heist__view *heist__table_entry(heist__table *table, uint32_t id)
{
    heist__view *entry = heist__table_find(table, id);
    if (entry) return entry;
    uint32_t place;
    const unsigned number = level_of(id, &place);
    heist__view *made = calloc((size_t)HEIST__FIRST_LEVEL << number, sizeof *made), *there = NULL;
    if (!made) return NULL;
    /* Z2: the level is cleared. Pairs with the loads of levels. */
    if (heist__cas_acq_rel(&table->levels[number], &there, made)) return &made[place];
    free(made);
    return &there[place];
}

void heist__table_visit(heist__table *table, void (*visit)(void *view, void *context), void *context)
{
    for (unsigned number = 0; number < HEIST__TABLE_LEVELS; number++) {
        heist__view *level = heist__load_acquire(&table->levels[number]); /* Z2 */
        for (size_t i = 0; level && i < (size_t)HEIST__FIRST_LEVEL << number; i++) {
            void *view = heist__load_acquire(&level[i]); /* Z3: pairs with heist__view_set */
            if (view) visit(view, context);
        }
    }
}

void heist__table_destroy(heist__table *table)
{
    for (unsigned number = 0; number < HEIST__TABLE_LEVELS; number++) {
        free(heist__load_relaxed(&table->levels[number])); /* relaxed: no other thread uses the table */
        heist__store_relaxed(&table->levels[number], NULL);
    }
}
