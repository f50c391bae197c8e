/* Locks and critical sections that a thread is in. A task that is created there must not be run at once, however many wait: it
 * may want the same lock, and its creator would wait for itself. So while a thread holds any, it takes its deque to be short.
 * Waiting for tasks with a lock that they want is the program's own mistake.
 *
 * Counted by slot: what is taken before a region, or in another one, and given back here is not counted. */
#include "openmp/real.h"
#include "openmp/team.h"

/* How long a deque becomes that way: beyond, the runtimes run tasks at once far earlier. */
enum { MOST_HELD = 1 << 16 };

static void begin(heist__omp_slot *self)
{
    int64_t bound = self->plenty < MOST_HELD ? MOST_HELD : self->plenty;
    self->unheld = (heist__omp_enough){self->enough, self->least_enough, self->most_enough, self->plenty};
    self->enough = self->least_enough = self->most_enough = self->plenty = bound;
}

static void end(heist__omp_slot *self)
{
    self->enough = self->unheld.enough;
    self->least_enough = self->unheld.least;
    self->most_enough = self->unheld.most;
    self->plenty = self->unheld.plenty;
}

void heist__omp_took_lock(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self && self->held++ == 0) begin(self);
}

void heist__omp_gave_lock(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self && self->held > 0 && --self->held == 0) end(self);
}

/* ---- locks: names that both runtimes have ---- */

#define OF_EITHER(name) ((__typeof__(&name))(uintptr_t)heist__real_of_either(HEIST__NO_##name))

#define LOCK(set, unset, test)                                                                                         \
    void set(void *lock)                                                                                               \
    {                                                                                                                  \
        OF_EITHER(set)(lock);                                                                                          \
        heist__omp_took_lock();                                                                                        \
    }                                                                                                                  \
    void unset(void *lock)                                                                                             \
    {                                                                                                                  \
        OF_EITHER(unset)(lock);                                                                                        \
        heist__omp_gave_lock();                                                                                        \
    }                                                                                                                  \
    int test(void *lock)                                                                                               \
    {                                                                                                                  \
        int got = OF_EITHER(test)(lock);                                                                               \
        if (got) heist__omp_took_lock();                                                                               \
        return got;                                                                                                    \
    }
LOCK(omp_set_lock, omp_unset_lock, omp_test_lock)
LOCK(omp_set_lock_, omp_unset_lock_, omp_test_lock_)

/* ---- critical sections; and locks, as some compilers call them ---- */

#ifdef HEIST__OMP_LLVM

void __kmpc_critical(void *loc, int32_t gtid, void *name)
{
    HEIST__REAL(__kmpc_critical)(loc, gtid, name);
    heist__omp_took_lock();
}

void __kmpc_critical_with_hint(void *loc, int32_t gtid, void *name, uint32_t hint)
{
    HEIST__REAL(__kmpc_critical_with_hint)(loc, gtid, name, hint);
    heist__omp_took_lock();
}

void __kmpc_end_critical(void *loc, int32_t gtid, void *name)
{
    HEIST__REAL(__kmpc_end_critical)(loc, gtid, name);
    heist__omp_gave_lock();
}

void __kmpc_set_lock(void *loc, int32_t gtid, void *lock)
{
    HEIST__REAL(__kmpc_set_lock)(loc, gtid, lock);
    heist__omp_took_lock();
}

void __kmpc_unset_lock(void *loc, int32_t gtid, void *lock)
{
    HEIST__REAL(__kmpc_unset_lock)(loc, gtid, lock);
    heist__omp_gave_lock();
}

int __kmpc_test_lock(void *loc, int32_t gtid, void *lock)
{
    int got = HEIST__REAL(__kmpc_test_lock)(loc, gtid, lock);
    if (got) heist__omp_took_lock();
    return got;
}

#else

void GOMP_critical_start(void)
{
    HEIST__REAL(GOMP_critical_start)();
    heist__omp_took_lock();
}

void GOMP_critical_end(void)
{
    HEIST__REAL(GOMP_critical_end)();
    heist__omp_gave_lock();
}

void GOMP_critical_name_start(void **name)
{
    HEIST__REAL(GOMP_critical_name_start)(name);
    heist__omp_took_lock();
}

void GOMP_critical_name_end(void **name)
{
    HEIST__REAL(GOMP_critical_name_end)(name);
    heist__omp_gave_lock();
}

#endif
