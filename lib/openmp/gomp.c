/* libgomp's entries that are little more than a call of the core: barriers, taskgroups, waits, cancel; and how gcc
 * lays out depend clauses. */
#include "openmp/group.h"
#include "openmp/real.h"

void GOMP_barrier(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        heist__omp_barrier(self, HEIST__BAR_WITHIN);
    } else {
        HEIST__REAL(GOMP_barrier)();
    }
}

bool GOMP_barrier_cancel(void)
{
    heist__omp_slot *self = heist__omp_self;
    return self ? heist__omp_barrier(self, HEIST__BAR_WITHIN) : HEIST__REAL(GOMP_barrier_cancel)();
}

void GOMP_taskwait(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (__builtin_expect(!self, 0)) {
        HEIST__REAL(GOMP_taskwait)();
        return;
    }
    heist__omp_taskwait(self);
}

void GOMP_taskyield(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        heist__omp_taskyield(self);
    } else {
        HEIST__REAL(GOMP_taskyield)();
    }
}

void GOMP_taskgroup_start(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        heist__omp_group_begin(self);
    } else {
        HEIST__REAL(GOMP_taskgroup_start)();
    }
}

void GOMP_taskgroup_end(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        heist__omp_group_end(self);
    } else {
        HEIST__REAL(GOMP_taskgroup_end)();
    }
}

bool GOMP_cancellation_point(int which)
{
    heist__omp_slot *self = heist__omp_self;
    return self ? heist__omp_cancellation_point(self, which) : HEIST__REAL(GOMP_cancellation_point)(which);
}

bool GOMP_cancel(int which, bool active)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return HEIST__REAL(GOMP_cancel)(which, active);
    if (!active) return heist__omp_cancellation_point(self, which);
    bool cancelled = heist__omp_cancel(self, which);
    /* libgomp is told, so that it frees what threads leave behind in the middle of a loop. */
    if (cancelled && (which & HEIST__CANCEL_PARALLEL)) HEIST__REAL(GOMP_cancel)(which, true);
    return cancelled;
}

/* ---- depend clauses ---- */

/* Kinds in an omp_depend_t. */
enum { DEPOBJ_IN = 1, DEPOBJ_OUT = 2, DEPOBJ_INOUT = 3, DEPOBJ_MUTEXINOUTSET = 4, DEPOBJ_INOUTSET = 5 };

typedef struct layout {
    size_t total;      /* uses and depobjs */
    size_t out, mutex; /* how many come first of each kind */
    size_t plain;      /* how many are addresses, and not depobjs */
    void *const *items;
} layout;

static layout layout_of(void *const *depend)
{
    if (depend[0]) {
        size_t total = (size_t)(uintptr_t)depend[0];
        return (layout){total, (size_t)(uintptr_t)depend[1], 0, total, depend + 2};
    }
    size_t out = (size_t)(uintptr_t)depend[2], mutex = (size_t)(uintptr_t)depend[3], in = (size_t)(uintptr_t)depend[4];
    return (layout){(size_t)(uintptr_t)depend[1], out, mutex, out + mutex + in, depend + 5};
}

static heist__omp_use kind_of_depobj(void *const *object)
{
    switch ((uintptr_t)object[1]) {
    case DEPOBJ_IN: return HEIST__USE_IN;
    case DEPOBJ_INOUTSET: return HEIST__USE_SET;
    case DEPOBJ_MUTEXINOUTSET: return HEIST__USE_MUTEX;
    case DEPOBJ_OUT:
    case DEPOBJ_INOUT: return HEIST__USE_OUT;
    default: heist__omp_fatal("an omp_depend_t of a kind that heist does not know");
    }
}

size_t heist__omp_use_count(const void *clauses)
{
    return layout_of(clauses).total;
}

heist__omp_use heist__omp_use_at(const void *clauses, size_t i, void **address)
{
    layout c = layout_of(clauses);
    if (i >= c.plain) {
        void *const *object = c.items[i];
        *address = object[0];
        return kind_of_depobj(object);
    }
    *address = c.items[i];
    return i < c.out ? HEIST__USE_OUT : i < c.out + c.mutex ? HEIST__USE_MUTEX : HEIST__USE_IN;
}

void GOMP_taskwait_depend(void **depend)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        heist__omp_depend_wait(self, depend);
    } else {
        HEIST__REAL(GOMP_taskwait_depend)(depend);
    }
}

static void nothing(void *data)
{
    (void)data;
}

void GOMP_taskwait_depend_nowait(void **depend)
{
    if (heist__omp_self) {
        GOMP_task(nothing, NULL, NULL, 0, 1, true, HEIST__GOMP_DEPEND, depend, 0, NULL);
    } else {
        HEIST__REAL(GOMP_taskwait_depend_nowait)(depend);
    }
}
