/* Control variables that belong to a task's data environment. libgomp keeps them in its own task, of which it knows
 * only the implicit one here. When a task sets one, all are noted, and that note goes with the task and with the
 * children that it creates from then on; whenever a thread begins or resumes a task with another note than what
 * libgomp has, they are set again. Most programs never do, and pay one comparison a task. */
#include <stdlib.h>

#include "openmp/real.h"
#include "openmp/team.h"

#define SCHEDULE_STATIC 1 /* omp_sched_static */

struct heist__omp_icvs { /* constant once made */
    heist__omp_icv_values values;
    heist__omp_icvs *next; /* in the list of the slot that made it */
};

void heist__omp_icvs_read(heist__omp_icv_values *values)
{
    values->threads = HEIST__REAL(omp_get_max_threads)();
    values->dynamic = HEIST__REAL(omp_get_dynamic)();
    values->levels = HEIST__REAL(omp_get_max_active_levels)();
    HEIST__REAL(omp_get_schedule)(&values->schedule, &values->chunk);
    values->device = HEIST__REAL(omp_get_default_device)();
}

void heist__omp_icvs_write(const heist__omp_icv_values *values)
{
    HEIST__REAL(omp_set_num_threads)(values->threads);
    HEIST__REAL(omp_set_dynamic)(values->dynamic);
    HEIST__REAL(omp_set_max_active_levels)(values->levels);
    HEIST__REAL(omp_set_schedule)(SCHEDULE_STATIC, values->chunk); /* libgomp leaves the chunk alone when it is auto */
    HEIST__REAL(omp_set_schedule)(values->schedule, values->chunk);
    HEIST__REAL(omp_set_default_device)(values->device);
}

/* NULL: no memory. */
static heist__omp_icvs *note(heist__omp_slot *self)
{
    heist__omp_icvs *icvs = malloc(sizeof *icvs);
    if (!icvs) return NULL;
    heist__omp_icvs_read(&icvs->values);
    icvs->next = self->icvs_made;
    self->icvs_made = icvs;
    return icvs;
}

/* Before libgomp's are changed for the first time. */
static void keep_base(heist__omp_slot *self)
{
    if (!self->icvs && !self->icvs_base) self->icvs_base = note(self);
}

void heist__omp_icvs_install(heist__omp_slot *self, heist__omp_icvs *icvs)
{
    keep_base(self);
    const heist__omp_icvs *set = icvs ? icvs : self->icvs_base;
    if (set) heist__omp_icvs_write(&set->values); /* without memory for the region's, what was set last stays */
    self->icvs = icvs;
}

void heist__omp_icvs_free(heist__omp_slot *self)
{
    while (self->icvs_made) {
        heist__omp_icvs *next = self->icvs_made->next;
        free(self->icvs_made);
        self->icvs_made = next;
    }
    self->icvs_base = NULL;
}

/* Before and after a change by the program. */
static heist__omp_slot *before_change(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) keep_base(self);
    return self;
}

static void after_change(heist__omp_slot *self)
{
    heist__omp_icvs *icvs = self ? note(self) : NULL;
    if (icvs) self->icvs = self->current->icvs = icvs; /* no memory: it stays set for what the thread does next */
}

#define SETTER(name)                                                                                                   \
    void name(int value)                                                                                               \
    {                                                                                                                  \
        heist__omp_slot *self = before_change();                                                                       \
        HEIST__REAL(name)(value);                                                                                      \
        after_change(self);                                                                                            \
    }                                                                                                                  \
    void name##_(const int *value)                                                                                     \
    {                                                                                                                  \
        name(*value);                                                                                                  \
    }                                                                                                                  \
    void name##_8_(const int64_t *value)                                                                               \
    {                                                                                                                  \
        name(*value > INT32_MAX ? INT32_MAX : *value < INT32_MIN ? INT32_MIN : (int)*value);                           \
    }
SETTER(omp_set_num_threads)
SETTER(omp_set_dynamic)
SETTER(omp_set_nested)
SETTER(omp_set_max_active_levels)
SETTER(omp_set_default_device)

void omp_set_schedule(int kind, int chunk)
{
    heist__omp_slot *self = before_change();
    HEIST__REAL(omp_set_schedule)(kind, chunk);
    after_change(self);
}

void omp_set_schedule_(const int *kind, const int *chunk)
{
    omp_set_schedule(*kind, *chunk);
}

void omp_set_schedule_8_(const int *kind, const int64_t *chunk)
{
    omp_set_schedule(*kind, *chunk > INT32_MAX ? INT32_MAX : *chunk < INT32_MIN ? INT32_MIN : (int)*chunk);
}

#ifdef HEIST__OMP_LLVM

/* Names by which C reaches them where Fortran has the others. */
void ompc_set_num_threads(int n)
{
    omp_set_num_threads(n);
}

void ompc_set_dynamic(int on)
{
    omp_set_dynamic(on);
}

void ompc_set_nested(int on)
{
    omp_set_nested(on);
}

void ompc_set_max_active_levels(int levels)
{
    omp_set_max_active_levels(levels);
}

void ompc_set_schedule(int kind, int chunk)
{
    omp_set_schedule(kind, chunk);
}

#endif
