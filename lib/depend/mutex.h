/* Mutual exclusion of the tasks of a mutexinoutset: one at a time, in any order. No thread blocks: a task that finds
 * the mutex held is put into its list, and is handed the mutex when its turn comes.
 *
 * M1: all that one holder did, before the next holder runs. M2: a waiter's fields, before it is handed the mutex. M3:
 * all uses of a mutex, before it is freed. */
#ifndef HEIST_DEPEND_MUTEX_H
#define HEIST_DEPEND_MUTEX_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

typedef struct heist__depend_waiter {
    struct heist__depend_waiter *next; /* Written by: the thread that pushes it. Read by: the holder. */
} heist__depend_waiter;

typedef struct heist__depend_mutex {
    /* NULL: free. HELD: held, and no task waits. Otherwise held, and the last task that came to wait. Written by: all
     * threads, by CAS. Only the holder takes a task out, so the task that it finds first stays first, or moves down the
     * list. */
    HEIST__ATOMIC(heist__depend_waiter *) state;
    HEIST__ATOMIC(uint32_t) references; /* entries of tables, and nodes. Written by: all threads. */
} heist__depend_mutex;

/* Makes a free mutex with one reference. NULL: no memory. */
heist__depend_mutex *heist__depend_mutex_new(void);
void heist__depend_mutex_keep(heist__depend_mutex *mutex);
void heist__depend_mutex_drop(heist__depend_mutex *mutex);
/* True: the task holds the mutex from now on. False: `waiter` is in the list, and another thread may hand it the mutex
 * at once. */
bool heist__depend_mutex_take(heist__depend_mutex *mutex, heist__depend_waiter *waiter);
/* Holder: passes the mutex on. Returns the waiter that holds it now; NULL: it is free. */
heist__depend_waiter *heist__depend_mutex_pass(heist__depend_mutex *mutex);

#endif
