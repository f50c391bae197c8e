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

/* The task; outside heist's regions the thread, as with libomp. */
static void *myself(void)
{
    static __thread char thread;
    heist__omp_slot *self = heist__omp_self;
    return self ? (void *)self->current : &thread;
}

static void init(heist__kmp_nest_lock **lock)
{
    heist__kmp_nest_lock *l = calloc(1, sizeof *l);
    if (!l) heist__omp_fatal("no memory for a lock");
    HEIST__RUNTIME(omp_init_lock)(&l->lock);
    *lock = l;
}

static void destroy(heist__kmp_nest_lock **lock)
{
    HEIST__RUNTIME(omp_destroy_lock)(&(*lock)->lock);
    free(*lock);
    *lock = NULL;
}

static void set(heist__kmp_nest_lock **lock)
{
    heist__kmp_nest_lock *l = *lock;
    void *me = myself();
    if (heist__omp_nest_lock_again(&l->owner, &l->count, me)) return;
    HEIST__RUNTIME(omp_set_lock)(&l->lock);
    heist__omp_nest_lock_taken(&l->owner, &l->count, me);
}

static int test(heist__kmp_nest_lock **lock)
{
    heist__kmp_nest_lock *l = *lock;
    void *me = myself();
    if (heist__omp_nest_lock_again(&l->owner, &l->count, me)) return l->count;
    return HEIST__RUNTIME(omp_test_lock)(&l->lock) ? heist__omp_nest_lock_taken(&l->owner, &l->count, me) : 0;
}

static void unset(heist__kmp_nest_lock **lock)
{
    heist__kmp_nest_lock *l = *lock;
    if (!heist__omp_nest_lock_over(&l->owner, &l->count)) return;
    HEIST__RUNTIME(omp_unset_lock)(&l->lock);
    heist__omp_lock_given_back();
}

/* ---- names that libgomp has, too: the program may mean that, and its locks are its own ---- */

#define BY_BOTH_NAMES(name, function)                                                                                  \
    void name(heist__kmp_nest_lock **lock)                                                                             \
    {                                                                                                                  \
        HEIST__IF_MEANT_OTHERWISE_VOID(name, (lock));                                                                  \
        function(lock);                                                                                                \
    }                                                                                                                  \
    void name##_(heist__kmp_nest_lock **lock)                                                                          \
    {                                                                                                                  \
        HEIST__IF_MEANT_OTHERWISE_VOID(name##_, (lock));                                                               \
        function(lock);                                                                                                \
    }
BY_BOTH_NAMES(omp_init_nest_lock, init)
BY_BOTH_NAMES(omp_destroy_nest_lock, destroy)
BY_BOTH_NAMES(omp_set_nest_lock, set)
BY_BOTH_NAMES(omp_unset_nest_lock, unset)

int omp_test_nest_lock(heist__kmp_nest_lock **lock)
{
    HEIST__IF_MEANT_OTHERWISE(omp_test_nest_lock, (lock));
    return test(lock);
}

int omp_test_nest_lock_(heist__kmp_nest_lock **lock)
{
    HEIST__IF_MEANT_OTHERWISE(omp_test_nest_lock_, (lock));
    return test(lock);
}

void omp_init_nest_lock_with_hint(heist__kmp_nest_lock **lock, int hint)
{
    HEIST__IF_MEANT_OTHERWISE_VOID(omp_init_nest_lock_with_hint, (lock, hint));
    init(lock);
}

void omp_init_nest_lock_with_hint_(heist__kmp_nest_lock **lock, const int *hint)
{
    HEIST__IF_MEANT_OTHERWISE_VOID(omp_init_nest_lock_with_hint_, (lock, hint));
    init(lock);
}

/* ---- as some compilers call them ---- */

void __kmpc_init_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock)
{
    (void)loc;
    (void)gtid;
    init(lock);
}

void __kmpc_init_nest_lock_with_hint(void *loc, int32_t gtid, heist__kmp_nest_lock **lock, uintptr_t hint)
{
    (void)loc;
    (void)gtid;
    (void)hint;
    init(lock);
}

void __kmpc_destroy_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock)
{
    (void)loc;
    (void)gtid;
    destroy(lock);
}

void __kmpc_set_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock)
{
    (void)loc;
    (void)gtid;
    set(lock);
}

int __kmpc_test_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock)
{
    (void)loc;
    (void)gtid;
    return test(lock);
}

void __kmpc_unset_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock)
{
    (void)loc;
    (void)gtid;
    unset(lock);
}
