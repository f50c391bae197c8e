/* Locks that are not OpenMP's, of POSIX and C11 (and so of C++): counted as those are (held.c), for the same reason. A program that creates
 * tasks with a mutex that they want is on thin ice, since every runtime may run a task at once; but libgomp and libomp seldom do before
 * there are hundreds.
 *
 * All that happens here is the call itself and, in a region of heist's, the count. Waiting for a condition gives the mutex back and takes it again
 * inside the C library: nothing to count. Who gives back what another thread took leaves counts that are wrong, and tasks that are put
 * off or run at once when the contrary were better. */
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "openmp/api.h"
#include "openmp/real.h"
#include "openmp/team.h"

/* Name, parameters, arguments. Those that take a lock, where 0 is success, and those that give it back. */
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
        entry = heist__real_next(names[number]);
        heist__store_relaxed(&found[number], entry);
    }
    return entry;
}

void heist__omp_locks_init(void)
{
    for (unsigned i = 0; i < NUMBERS; i++) find(i);
}

/* The owner of a robust mutex may have died: then it is taken all the same. */
#define DEFINE(name, parameters, arguments)                                                                            \
    HEIST__ENTRY int name parameters                                                                                   \
    {                                                                                                                  \
        int(*next) parameters = (int(*) parameters)(uintptr_t)find(NUMBER_##name);                                     \
        if (!next) return ENOSYS;                                                                                      \
        int result = next arguments;                                                                                   \
        if (result == 0 || result == EOWNERDEAD) heist__omp_took_lock();                                               \
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
        if (result == 0) heist__omp_gave_lock();                                                                       \
        return result;                                                                                                 \
    }
GIVING(DEFINE)
#undef DEFINE
