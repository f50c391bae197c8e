/* What keeps tasks with depend(mutexinoutset: x) apart: one at a time, in any order. Nobody blocks: who finds it taken
 * is put in its list, and is handed it when its turn comes. */
#ifndef HEIST_OPENMP_MUTEX_H
#define HEIST_OPENMP_MUTEX_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/atomic.h>

typedef struct heist__omp_waiter {
    struct heist__omp_waiter *next; /* Written by: who pushes it. Read by: who holds the mutex. */
} heist__omp_waiter;

typedef struct heist__omp_mutex {
    /* NULL: free. TAKEN: held, nobody waits. Else held, and the last who came to wait. Written by: all, by CAS; only
     * the holder takes somebody out, so what it finds first stays first, or goes down the list. */
    HEIST__ATOMIC(heist__omp_waiter *) state;
    HEIST__ATOMIC(uint32_t) references; /* places in tables, and nodes. Written by: all. */
} heist__omp_mutex;

/* Free, with one reference. NULL: no memory. */
heist__omp_mutex *heist__omp_mutex_new(void);
void heist__omp_mutex_keep(heist__omp_mutex *mutex);
void heist__omp_mutex_drop(heist__omp_mutex *mutex);
/* True: held from now on. False: `waiter` is in the list, and may be handed the mutex by another thread at once. */
bool heist__omp_mutex_take(heist__omp_mutex *mutex, heist__omp_waiter *waiter);
/* By its holder. Returns who holds it now, or NULL: nobody. */
heist__omp_waiter *heist__omp_mutex_pass(heist__omp_mutex *mutex);

#endif
