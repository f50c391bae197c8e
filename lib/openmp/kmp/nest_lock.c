/* Nestable locks of libomp: see core/nest_lock.h. libomp takes the thread for the owner, so that any task which a
 * thread runs while it waits would have its locks, too; and heist runs more tasks there. Here a nestable lock is a
 * simple lock of libomp's, with an owner and a count beside it. The program's lock variable is a pointer to that, for C
 * and Fortran alike. */
#include "openmp/core/nest_lock.h"

#include <stdlib.h>

#include "openmp/core/slot.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

struct heist__kmp_nest_lock {
    void *lock; /* libomp's omp_lock_t */
    int count;
    void *owner;
};

/* Whether the program's runtime is another one after all: its locks are its own. */
static inline bool not_ours(void)
{
    return __builtin_expect(!heist__runtime_has(HEIST__SYMBOL___kmpc_fork_call), 0);
}

/* The task; outside heist's regions the thread, as with libomp. */
static void *myself(void)
{
    static __thread char thread;
    heist__omp_slot *self = heist__omp_self;
    return self ? (void *)self->current : &thread;
}

void omp_init_nest_lock(heist__kmp_nest_lock **lock)
{
    if (not_ours()) {
        HEIST__RUNTIME(omp_init_nest_lock)(lock);
        return;
    }
    heist__kmp_nest_lock *l = calloc(1, sizeof *l);
    if (!l) heist__omp_fatal("no memory for a lock");
    HEIST__RUNTIME(omp_init_lock)(&l->lock);
    *lock = l;
}

void omp_init_nest_lock_with_hint(heist__kmp_nest_lock **lock, int hint)
{
    if (not_ours()) {
        HEIST__RUNTIME(omp_init_nest_lock_with_hint)(lock, hint);
        return;
    }
    omp_init_nest_lock(lock);
}

void omp_destroy_nest_lock(heist__kmp_nest_lock **lock)
{
    if (not_ours()) {
        HEIST__RUNTIME(omp_destroy_nest_lock)(lock);
        return;
    }
    HEIST__RUNTIME(omp_destroy_lock)(&(*lock)->lock);
    free(*lock);
    *lock = NULL;
}

void omp_set_nest_lock(heist__kmp_nest_lock **lock)
{
    if (not_ours()) {
        HEIST__RUNTIME(omp_set_nest_lock)(lock);
        return;
    }
    heist__kmp_nest_lock *l = *lock;
    void *me = myself();
    if (heist__omp_nest_lock_again(&l->owner, &l->count, me)) return;
    HEIST__RUNTIME(omp_set_lock)(&l->lock);
    heist__omp_nest_lock_taken(&l->owner, &l->count, me);
}

int omp_test_nest_lock(heist__kmp_nest_lock **lock)
{
    if (not_ours()) return HEIST__RUNTIME(omp_test_nest_lock)(lock);
    heist__kmp_nest_lock *l = *lock;
    void *me = myself();
    if (heist__omp_nest_lock_again(&l->owner, &l->count, me)) return l->count;
    return HEIST__RUNTIME(omp_test_lock)(&l->lock) ? heist__omp_nest_lock_taken(&l->owner, &l->count, me) : 0;
}

void omp_unset_nest_lock(heist__kmp_nest_lock **lock)
{
    if (not_ours()) {
        HEIST__RUNTIME(omp_unset_nest_lock)(lock);
        return;
    }
    heist__kmp_nest_lock *l = *lock;
    if (!heist__omp_nest_lock_over(&l->owner, &l->count)) return;
    HEIST__RUNTIME(omp_unset_lock)(&l->lock);
    heist__omp_lock_given_back();
}

/* ---- the same for Fortran, and as some compilers call them ---- */

void omp_init_nest_lock_(heist__kmp_nest_lock **lock)
{
    omp_init_nest_lock(lock);
}

void omp_init_nest_lock_with_hint_(heist__kmp_nest_lock **lock, const int *hint)
{
    omp_init_nest_lock_with_hint(lock, *hint);
}

void omp_destroy_nest_lock_(heist__kmp_nest_lock **lock)
{
    omp_destroy_nest_lock(lock);
}

void omp_set_nest_lock_(heist__kmp_nest_lock **lock)
{
    omp_set_nest_lock(lock);
}

int omp_test_nest_lock_(heist__kmp_nest_lock **lock)
{
    return omp_test_nest_lock(lock);
}

void omp_unset_nest_lock_(heist__kmp_nest_lock **lock)
{
    omp_unset_nest_lock(lock);
}

void __kmpc_init_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock)
{
    (void)loc;
    (void)gtid;
    omp_init_nest_lock(lock);
}

void __kmpc_init_nest_lock_with_hint(void *loc, int32_t gtid, heist__kmp_nest_lock **lock, uintptr_t hint)
{
    (void)hint;
    __kmpc_init_nest_lock(loc, gtid, lock);
}

void __kmpc_destroy_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock)
{
    (void)loc;
    (void)gtid;
    omp_destroy_nest_lock(lock);
}

void __kmpc_set_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock)
{
    (void)loc;
    (void)gtid;
    omp_set_nest_lock(lock);
}

int __kmpc_test_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock)
{
    (void)loc;
    (void)gtid;
    return omp_test_nest_lock(lock);
}

void __kmpc_unset_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock)
{
    (void)loc;
    (void)gtid;
    omp_unset_nest_lock(lock);
}
