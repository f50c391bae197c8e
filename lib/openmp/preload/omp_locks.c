/* OpenMP's simple locks, under names that both runtimes have: counted, see lock_depth.h. */
#include "openmp/core/lock_depth.h"
#include "openmp/preload/runtime_symbols.h"

/* Both libraries count, where both are preloaded: a task of either runtime may be created with the lock held. */
#define IN_TURN(name)                                                                                                  \
    ((__typeof__(&name))(uintptr_t)heist__runtime_in_turn(HEIST__SYMBOL_##name, __builtin_return_address(0)))

#define LOCK(set, unset, test)                                                                                         \
    void set(void *lock)                                                                                               \
    {                                                                                                                  \
        IN_TURN(set)(lock);                                                                                            \
        heist__omp_lock_taken();                                                                                       \
    }                                                                                                                  \
    void unset(void *lock)                                                                                             \
    {                                                                                                                  \
        IN_TURN(unset)(lock);                                                                                          \
        heist__omp_lock_given_back();                                                                                  \
    }                                                                                                                  \
    int test(void *lock)                                                                                               \
    {                                                                                                                  \
        int got = IN_TURN(test)(lock);                                                                                 \
        if (got) heist__omp_lock_taken();                                                                              \
        return got;                                                                                                    \
    }
LOCK(omp_set_lock, omp_unset_lock, omp_test_lock)
LOCK(omp_set_lock_, omp_unset_lock_, omp_test_lock_)
