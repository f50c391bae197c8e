/* Locks of POSIX and C11, and so of C++: counted as OpenMP's own locks are (lock_depth.h), for the same reason. A
 * program that creates tasks while it holds a mutex that they want relies on luck, since every runtime may run a task
 * at once; but libgomp and libomp seldom do before there are hundreds.
 *
 * A wrapper calls the function and, in a region of heist's, counts. Waiting for a condition gives the mutex back and
 * takes it again inside the C library: nothing to count. A thread that gives back a lock which another thread took
 * leaves wrong counts; then tasks are put off, or run at once, where the contrary would be better. */
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "openmp/core/lock_depth.h"
#include "openmp/core/own_lock.h"
#include "openmp/preload/pthread_wrappers.h"
#include "openmp/preload/runtime_symbols.h"

/* Name, parameters, arguments: of functions that take a lock, where 0 is success, and of those that give one back. */
#define TAKING(X)                                                                                                      \
    X(pthread_mutex_lock, (pthread_mutex_t * l), (l))                                                                  \
    X(pthread_mutex_trylock, (pthread_mutex_t * l), (l))                                                               \
    X(pthread_mutex_timedlock, (pthread_mutex_t * l, const struct timespec *t), (l, t))                                \
    X(pthread_mutex_clocklock, (pthread_mutex_t * l, clockid_t c, const struct timespec *t), (l, c, t))                \
    X(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))                                                              \
    X(pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))                                                           \
    X(pthread_rwlock_timedrdlock, (pthread_rwlock_t * l, const struct timespec *t), (l, t))                            \
    X(pthread_rwlock_clockrdlock, (pthread_rwlock_t * l, clockid_t c, const struct timespec *t), (l, c, t))            \
    X(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))                                                              \
    X(pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))                                                           \
    X(pthread_rwlock_timedwrlock, (pthread_rwlock_t * l, const struct timespec *t), (l, t))                            \
    X(pthread_rwlock_clockwrlock, (pthread_rwlock_t * l, clockid_t c, const struct timespec *t), (l, c, t))            \
    X(pthread_spin_lock, (pthread_spinlock_t * l), (l))                                                                \
    X(pthread_spin_trylock, (pthread_spinlock_t * l), (l))                                                             \
    X(mtx_lock, (mtx_t * l), (l))                                                                                      \
    X(mtx_trylock, (mtx_t * l), (l))                                                                                   \
    X(mtx_timedlock, (mtx_t * l, const struct timespec *t), (l, t))

#define GIVING(X)                                                                                                      \
    X(pthread_mutex_unlock, (pthread_mutex_t * l), (l))                                                                \
    X(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))                                                              \
    X(pthread_spin_unlock, (pthread_spinlock_t * l), (l))                                                              \
    X(mtx_unlock, (mtx_t * l), (l))

enum {
#define NUMBER(name, parameters, arguments) NUMBER_##name,
    TAKING(NUMBER) GIVING(NUMBER) NUMBERS
#undef NUMBER
};

static const char *const names[NUMBERS] = {
#define NAME(name, parameters, arguments) #name,
    TAKING(NAME) GIVING(NAME)
#undef NAME
};

static HEIST__ATOMIC(void *) found[NUMBERS]; /* relaxed throughout: code, which does not change */

static void *find(unsigned number)
{
    void *entry = heist__load_relaxed(&found[number]);
    if (__builtin_expect(!entry, 0)) {
        entry = heist__next_symbol(names[number]);
        heist__store_relaxed(&found[number], entry);
    }
    return entry;
}

void heist__omp_pthread_locks_init(void)
{
    for (unsigned i = 0; i < NUMBERS; i++) find(i);
}

/* The library's own locks, without the count. A C library without the functions cannot be. */
static void call_uncounted(unsigned number, pthread_mutex_t *lock)
{
    ((int (*)(pthread_mutex_t *))(uintptr_t)find(number))(lock);
}

void heist__own_lock(pthread_mutex_t *lock)
{
    call_uncounted(NUMBER_pthread_mutex_lock, lock);
}

void heist__own_unlock(pthread_mutex_t *lock)
{
    call_uncounted(NUMBER_pthread_mutex_unlock, lock);
}

/* A robust mutex whose owner has died is taken all the same. */
#define DEFINE(name, parameters, arguments)                                                                            \
    HEIST__ENTRY int name parameters                                                                                   \
    {                                                                                                                  \
        int(*next) parameters = (int(*) parameters)(uintptr_t)find(NUMBER_##name);                                     \
        if (!next) return ENOSYS;                                                                                      \
        int result = next arguments;                                                                                   \
        if (result == 0 || result == EOWNERDEAD) heist__omp_lock_taken();                                              \
        return result;                                                                                                 \
    }
TAKING(DEFINE)
#undef DEFINE

#define DEFINE(name, parameters, arguments)                                                                            \
    HEIST__ENTRY int name parameters                                                                                   \
    {                                                                                                                  \
        int(*next) parameters = (int(*) parameters)(uintptr_t)find(NUMBER_##name);                                     \
        if (!next) return ENOSYS;                                                                                      \
        int result = next arguments;                                                                                   \
        if (result == 0) heist__omp_lock_given_back();                                                                 \
        return result;                                                                                                 \
    }
GIVING(DEFINE)
#undef DEFINE
