/* Nestable locks belong to tasks. libgomp takes the address of its own task for the owner, which is the implicit
 * task's in all tasks of a thread here; so within heist's regions the owner is told by heist's record. The layout is
 * libgomp's: a lock may be used inside and outside of them. In Fortran a nestable lock is a pointer to one. */
#include "openmp/real.h"
#include "openmp/team.h"

/* The owner is written with the lock held, and compared by whoever wants it: only the owner can find itself there.
 * relaxed throughout: what the lock protects, the lock orders. The layout is not ours, so the field is not an atomic one. */
static bool is_mine(const heist__nest_lock *lock, const heist__omp_slot *self)
{
    return __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == (void *)self->current;
}

static int taken(heist__nest_lock *lock, heist__omp_slot *self)
{
    __atomic_store_n(&lock->owner, (void *)self->current, __ATOMIC_RELAXED);
    heist__omp_took_lock();
    return lock->count = 1;
}

void omp_set_nest_lock(heist__nest_lock *lock)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        HEIST__REAL(omp_set_nest_lock)(lock);
    } else if (is_mine(lock, self)) {
        lock->count++;
    } else {
        HEIST__REAL(omp_set_lock)(&lock->lock);
        taken(lock, self);
    }
}

int omp_test_nest_lock(heist__nest_lock *lock)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return HEIST__REAL(omp_test_nest_lock)(lock);
    if (is_mine(lock, self)) return ++lock->count;
    return HEIST__REAL(omp_test_lock)(&lock->lock) ? taken(lock, self) : 0;
}

void omp_unset_nest_lock(heist__nest_lock *lock)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        HEIST__REAL(omp_unset_nest_lock)(lock);
    } else if (--lock->count == 0) {
        __atomic_store_n(&lock->owner, NULL, __ATOMIC_RELAXED);
        HEIST__REAL(omp_unset_lock)(&lock->lock);
        heist__omp_gave_lock();
    }
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
