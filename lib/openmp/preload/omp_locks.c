/* OpenMP's simple locks, under names that both runtimes have: counted, see lock_depth.h. */
#include "openmp/core/lock_depth.h"
#include "openmp/preload/runtime_symbols.h"

#define OF_EITHER(name) ((__typeof__(&name))(uintptr_t)heist__runtime_of_either(HEIST__SYMBOL_##name))

#define LOCK(set, unset, test)                                                                                         \
    void set(void *lock)                                                                                               \
    {                                                                                                                  \
        OF_EITHER(set)(lock);                                                                                          \
        heist__omp_lock_taken();                                                                                       \
    }                                                                                                                  \
    void unset(void *lock)                                                                                             \
    {                                                                                                                  \
        OF_EITHER(unset)(lock);                                                                                        \
        heist__omp_lock_given_back();                                                                                  \
    }                                                                                                                  \
    int test(void *lock)                                                                                               \
    {                                                                                                                  \
        int got = OF_EITHER(test)(lock);                                                                               \
        if (got) heist__omp_lock_taken();                                                                              \
        return got;                                                                                                    \
    }
LOCK(omp_set_lock, omp_unset_lock, omp_test_lock)
LOCK(omp_set_lock_, omp_unset_lock_, omp_test_lock_)
