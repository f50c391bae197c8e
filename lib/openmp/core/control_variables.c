/* Notes of control variables: see control_variables.h. */
#include "openmp/core/control_variables.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/preload/runtime_symbols.h"

#define SCHEDULE_STATIC 1 /* omp_sched_static */

struct heist__omp_icvs { /* constant once made */
    heist__omp_icv_values values;
    heist__omp_icvs *next; /* in one of the lists of the slot that made it */
};

/* A slot's notes are in lists, by a hash of their values. A note is made only if there is none with the same values:
 * programs set few different values, however often. Only the first LOOKED_AT notes of a list are compared; one that
 * is found moves to the front. */
enum { LISTS = 256, LOOKED_AT = 16 };

void heist__omp_icvs_read(heist__omp_icv_values *values)
{
    values->threads = HEIST__RUNTIME(omp_get_max_threads)();
    values->dynamic = HEIST__RUNTIME(omp_get_dynamic)();
    values->levels = HEIST__RUNTIME(omp_get_max_active_levels)();
    HEIST__RUNTIME(omp_get_schedule)(&values->schedule, &values->chunk);
    values->device = HEIST__RUNTIME(omp_get_default_device)();
}

void heist__omp_icvs_write(const heist__omp_icv_values *values)
{
    HEIST__RUNTIME(omp_set_num_threads)(values->threads);
    HEIST__RUNTIME(omp_set_dynamic)(values->dynamic);
    HEIST__RUNTIME(omp_set_max_active_levels)(values->levels);
    HEIST__RUNTIME(omp_set_schedule)(SCHEDULE_STATIC, values->chunk); /* libgomp ignores the chunk of auto */
    HEIST__RUNTIME(omp_set_schedule)(values->schedule, values->chunk);
    HEIST__RUNTIME(omp_set_default_device)(values->device);
}

static heist__omp_icvs **list_of(heist__omp_slot *self, const heist__omp_icv_values *v)
{
    const int parts[] = {v->threads, v->dynamic, v->levels, v->schedule, v->chunk, v->device};
    uint32_t hash = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) hash = (hash ^ (uint32_t)parts[i]) * UINT32_C(0x9e3779b1);
    return &self->icvs_made[hash / (UINT32_MAX / LISTS + 1)];
}

/* Takes a note with the same values out of the list; NULL: there is none. */
static heist__omp_icvs *take_same(heist__omp_icvs **list, const heist__omp_icv_values *values)
{
    for (int i = 0; *list && i < LOOKED_AT; i++, list = &(*list)->next) {
        heist__omp_icvs *icvs = *list;
        if (memcmp(&icvs->values, values, sizeof *values) != 0) continue;
        *list = icvs->next;
        return icvs;
    }
    return NULL;
}

/* NULL: no memory. */
static heist__omp_icvs *note(heist__omp_slot *self)
{
    heist__omp_icv_values values;
    if (!self->icvs_made) self->icvs_made = calloc(LISTS, sizeof *self->icvs_made);
    if (!self->icvs_made) return NULL;
    heist__omp_icvs_read(&values);
    heist__omp_icvs **list = list_of(self, &values), *icvs = take_same(list, &values);
    if (!icvs) icvs = malloc(sizeof *icvs);
    if (!icvs) return NULL;
    icvs->values = values;
    icvs->next = *list;
    *list = icvs;
    return icvs;
}

/* Call before the runtime's variables are changed for the first time in a region. */
static void keep_base(heist__omp_slot *self)
{
    if (!self->icvs && !self->icvs_base) self->icvs_base = note(self);
}

void heist__omp_icvs_install(heist__omp_slot *self, heist__omp_icvs *icvs)
{
    keep_base(self);
    const heist__omp_icvs *set = icvs ? icvs : self->icvs_base;
    if (set) heist__omp_icvs_write(&set->values); /* without memory for the region's note, the last values stay */
    self->icvs = icvs;
}

void heist__omp_icvs_free(heist__omp_slot *self)
{
    for (int i = 0; self->icvs_made && i < LISTS; i++) {
        while (self->icvs_made[i]) {
            heist__omp_icvs *next = self->icvs_made[i]->next;
            free(self->icvs_made[i]);
            self->icvs_made[i] = next;
        }
    }
    free(self->icvs_made);
    self->icvs_made = NULL;
    self->icvs_base = NULL;
}

/* Call before and after a change by the program. */
static heist__omp_slot *before_change(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) keep_base(self);
    return self;
}

static void after_change(heist__omp_slot *self)
{
    heist__omp_icvs *icvs = self ? note(self) : NULL;
    if (icvs) self->icvs = self->current->icvs = icvs; /* no memory: the values stay set for the thread's next task */
}

static int within_int(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int)value;
}

#define SETTER(name)                                                                                                   \
    static void change_##name(int value)                                                                               \
    {                                                                                                                  \
        heist__omp_slot *self = before_change();                                                                       \
        HEIST__RUNTIME(name)(value);                                                                                   \
        after_change(self);                                                                                            \
    }                                                                                                                  \
    void name(int value)                                                                                               \
    {                                                                                                                  \
        HEIST__IF_MEANT_OTHERWISE_VOID(name, (value));                                                                 \
        change_##name(value);                                                                                          \
    }                                                                                                                  \
    void name##_(const int *value)                                                                                     \
    {                                                                                                                  \
        HEIST__IF_MEANT_OTHERWISE_VOID(name, (*value));                                                                \
        change_##name(*value);                                                                                         \
    }                                                                                                                  \
    void name##_8_(const int64_t *value)                                                                               \
    {                                                                                                                  \
        HEIST__IF_MEANT_OTHERWISE_VOID(name, (within_int(*value)));                                                    \
        change_##name(within_int(*value));                                                                             \
    }
SETTER(omp_set_num_threads)
SETTER(omp_set_dynamic)
SETTER(omp_set_nested)
SETTER(omp_set_max_active_levels)
SETTER(omp_set_default_device)

static void change_schedule(int kind, int chunk)
{
    heist__omp_slot *self = before_change();
    HEIST__RUNTIME(omp_set_schedule)(kind, chunk);
    after_change(self);
}

void omp_set_schedule(int kind, int chunk)
{
    HEIST__IF_MEANT_OTHERWISE_VOID(omp_set_schedule, (kind, chunk));
    change_schedule(kind, chunk);
}

void omp_set_schedule_(const int *kind, const int *chunk)
{
    HEIST__IF_MEANT_OTHERWISE_VOID(omp_set_schedule, (*kind, *chunk));
    change_schedule(*kind, *chunk);
}

void omp_set_schedule_8_(const int *kind, const int64_t *chunk)
{
    HEIST__IF_MEANT_OTHERWISE_VOID(omp_set_schedule, (*kind, within_int(*chunk)));
    change_schedule(*kind, within_int(*chunk));
}
