/* Nestable locks belong to tasks. libomp takes the thread for the owner, so that any task which a thread runs while it
 * waits would have its locks, too; and heist runs more of them there. Here a nestable lock is a simple one of libomp's,
 * with an owner and a count beside it. What the program calls a lock is a pointer to that, for C and Fortran alike. */
#include <stdlib.h>

#include "openmp/kmp/kmp.h"

struct heist__kmp_nest_lock {
    void *lock; /* libomp's omp_lock_t */
    int count;
    /* Written by: who has the lock. Read by: who wants it; only the owner can find itself there. relaxed: what the lock
     * protects, the lock orders */
    HEIST__ATOMIC(const void *) owner;
};

/* Whether the program's runtime is another one after all: its locks are its own. */
static inline bool not_ours(void)
{
    return __builtin_expect(!heist__real_has(HEIST__NO___kmpc_fork_call), 0);
}

/* The task; outside heist's regions the thread, as libomp does. */
static const void *myself(void)
{
    static __thread char thread;
    heist__omp_slot *self = heist__omp_self;
    return self ? (const void *)self->current : &thread;
}

void omp_init_nest_lock(heist__kmp_nest_lock **lock)
{
    if (not_ours()) {
        HEIST__REAL(omp_init_nest_lock)(lock);
        return;
    }
    heist__kmp_nest_lock *l = calloc(1, sizeof *l);
    if (!l) heist__omp_fatal("no memory for a lock");
    HEIST__REAL(omp_init_lock)(&l->lock);
    *lock = l;
}

void omp_init_nest_lock_with_hint(heist__kmp_nest_lock **lock, int hint)
{
    if (not_ours()) {
        HEIST__REAL(omp_init_nest_lock_with_hint)(lock, hint);
        return;
    }
    omp_init_nest_lock(lock);
}

void omp_destroy_nest_lock(heist__kmp_nest_lock **lock)
{
    if (not_ours()) {
        HEIST__REAL(omp_destroy_nest_lock)(lock);
        return;
    }
    HEIST__REAL(omp_destroy_lock)(&(*lock)->lock);
    free(*lock);
    *lock = NULL;
}

static int taken(heist__kmp_nest_lock *l, const void *me)
{
    heist__store_relaxed(&l->owner, me);
    heist__omp_took_lock();
    return l->count = 1;
}

void omp_set_nest_lock(heist__kmp_nest_lock **lock)
{
    if (not_ours()) {
        HEIST__REAL(omp_set_nest_lock)(lock);
        return;
    }
    heist__kmp_nest_lock *l = *lock;
    const void *me = myself();
    if (heist__load_relaxed(&l->owner) == me) {
        l->count++;
    } else {
        HEIST__REAL(omp_set_lock)(&l->lock);
        taken(l, me);
    }
}

int omp_test_nest_lock(heist__kmp_nest_lock **lock)
{
    if (not_ours()) return HEIST__REAL(omp_test_nest_lock)(lock);
    heist__kmp_nest_lock *l = *lock;
    const void *me = myself();
    if (heist__load_relaxed(&l->owner) == me) return ++l->count;
    return HEIST__REAL(omp_test_lock)(&l->lock) ? taken(l, me) : 0;
}

void omp_unset_nest_lock(heist__kmp_nest_lock **lock)
{
    if (not_ours()) {
        HEIST__REAL(omp_unset_nest_lock)(lock);
        return;
    }
    heist__kmp_nest_lock *l = *lock;
    if (--l->count > 0) return;
    heist__store_relaxed(&l->owner, NULL);
    HEIST__REAL(omp_unset_lock)(&l->lock);
    heist__omp_gave_lock();
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
