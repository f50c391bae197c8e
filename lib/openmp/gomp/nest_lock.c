/* Nestable locks in libgomp's layout: see core/nest_lock.h. A lock may be used inside and outside of heist's regions.
 * In Fortran a nestable lock is a pointer to one. */
#include "openmp/core/nest_lock.h"

#include "openmp/core/slot.h"
#include "openmp/preload/runtime_symbols.h"

static void set(heist__nest_lock *lock)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, omp_set_nest_lock, (lock));
    if (heist__omp_nest_lock_again(&lock->owner, &lock->count, self->current)) return;
    HEIST__RUNTIME(omp_set_lock)(&lock->lock);
    heist__omp_nest_lock_taken(&lock->owner, &lock->count, self->current);
}

static int test(heist__nest_lock *lock)
{
    HEIST__SELF_OR_RUNTIME(self, omp_test_nest_lock, (lock));
    if (heist__omp_nest_lock_again(&lock->owner, &lock->count, self->current)) return lock->count;
    if (!HEIST__RUNTIME(omp_test_lock)(&lock->lock)) return 0;
    return heist__omp_nest_lock_taken(&lock->owner, &lock->count, self->current);
}

static void unset(heist__nest_lock *lock)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, omp_unset_nest_lock, (lock));
    if (!heist__omp_nest_lock_over(&lock->owner, &lock->count)) return;
    HEIST__RUNTIME(omp_unset_lock)(&lock->lock);
    heist__omp_lock_given_back();
}

/* Names that libomp has, too. Its locks have another layout. */

void omp_set_nest_lock(heist__nest_lock *lock)
{
    HEIST__IF_MEANT_OTHERWISE_VOID(omp_set_nest_lock, (lock));
    set(lock);
}

void omp_unset_nest_lock(heist__nest_lock *lock)
{
    HEIST__IF_MEANT_OTHERWISE_VOID(omp_unset_nest_lock, (lock));
    unset(lock);
}

int omp_test_nest_lock(heist__nest_lock *lock)
{
    HEIST__IF_MEANT_OTHERWISE(omp_test_nest_lock, (lock));
    return test(lock);
}

void omp_set_nest_lock_(heist__nest_lock **lock)
{
    HEIST__IF_MEANT_OTHERWISE_VOID(omp_set_nest_lock_, (lock));
    set(*lock);
}

void omp_unset_nest_lock_(heist__nest_lock **lock)
{
    HEIST__IF_MEANT_OTHERWISE_VOID(omp_unset_nest_lock_, (lock));
    unset(*lock);
}

int omp_test_nest_lock_(heist__nest_lock **lock)
{
    HEIST__IF_MEANT_OTHERWISE(omp_test_nest_lock_, (lock));
    return test(*lock);
}
