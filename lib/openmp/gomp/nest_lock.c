/* Nestable locks in libgomp's layout: see core/nest_lock.h. A lock may be used inside and outside of heist's regions.
 * In Fortran a nestable lock is a pointer to one. */
#include "openmp/core/nest_lock.h"

#include "openmp/core/slot.h"
#include "openmp/preload/runtime_symbols.h"

void omp_set_nest_lock(heist__nest_lock *lock)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, omp_set_nest_lock, (lock));
    if (heist__omp_nest_lock_again(&lock->owner, &lock->count, self->current)) return;
    HEIST__RUNTIME(omp_set_lock)(&lock->lock);
    heist__omp_nest_lock_taken(&lock->owner, &lock->count, self->current);
}

int omp_test_nest_lock(heist__nest_lock *lock)
{
    HEIST__SELF_OR_RUNTIME(self, omp_test_nest_lock, (lock));
    if (heist__omp_nest_lock_again(&lock->owner, &lock->count, self->current)) return lock->count;
    if (!HEIST__RUNTIME(omp_test_lock)(&lock->lock)) return 0;
    return heist__omp_nest_lock_taken(&lock->owner, &lock->count, self->current);
}

void omp_unset_nest_lock(heist__nest_lock *lock)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, omp_unset_nest_lock, (lock));
    if (!heist__omp_nest_lock_over(&lock->owner, &lock->count)) return;
    HEIST__RUNTIME(omp_unset_lock)(&lock->lock);
    heist__omp_lock_given_back();
}

void omp_set_nest_lock_(heist__nest_lock **lock)
{
    omp_set_nest_lock(*lock);
}

void omp_unset_nest_lock_(heist__nest_lock **lock)
{
    omp_unset_nest_lock(*lock);
}

int omp_test_nest_lock_(heist__nest_lock **lock)
{
    return omp_test_nest_lock(*lock);
}
