/* Two layouts of depend clauses. Without depobj and mutexinoutset: the number of uses, the number of out uses, the
 * addresses, out ones first. With them: 0, the number of uses, of out, of mutexinoutset and of in uses, the addresses
 * in that order, and then the addresses of depobjs. */
#include "openmp/gomp/clauses.h"

#include "openmp/core/depend.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

/* Kinds in an omp_depend_t. */
enum { DEPOBJ_IN = 1, DEPOBJ_OUT = 2, DEPOBJ_INOUT = 3, DEPOBJ_MUTEXINOUTSET = 4, DEPOBJ_INOUTSET = 5 };

typedef struct layout {
    size_t out, mutex; /* how many of each kind come first */
    size_t plain;      /* how many are addresses, and not depobjs */
    void *const *items;
} layout;

static layout layout_of(void *const *depend)
{
    if (depend[0]) {
        return (layout){(size_t)(uintptr_t)depend[1], 0, (size_t)(uintptr_t)depend[0], depend + 2};
    }
    size_t out = (size_t)(uintptr_t)depend[2], mutex = (size_t)(uintptr_t)depend[3], in = (size_t)(uintptr_t)depend[4];
    return (layout){out, mutex, out + mutex + in, depend + 5};
}

static heist__depend_use kind_of_depobj(void *const *object)
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

heist__depend_use heist__gomp_use_at(const void *depend, size_t i, void **address)
{
    layout c = layout_of(depend);
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
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_taskwait_depend, (depend));
    heist__depend_clauses clauses = heist__gomp_clauses(depend);
    heist__omp_depend_wait(self, &clauses);
}

static void nothing(void *data)
{
    (void)data;
}

void GOMP_taskwait_depend_nowait(void **depend)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_taskwait_depend_nowait, (depend));
    GOMP_task(nothing, NULL, NULL, 0, 1, true, HEIST__GOMP_DEPEND, depend, 0, NULL);
}
