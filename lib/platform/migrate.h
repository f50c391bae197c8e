/* Moving a thread to another CPU. The system may leave two threads of a program on one CPU for ten milliseconds while
 * another CPU is idle: it starts a woken thread near its waker, and moves threads that have just run only reluctantly.
 * A thread that finds that it shares its CPU with a thread that computes does better to move by itself. */
#ifndef HEIST_PLATFORM_MIGRATE_H
#define HEIST_PLATFORM_MIGRATE_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* Moves a thread, which must exist, to a CPU that is not among `taken`, if there is such a CPU that it may use. The
 * thread's mask is the same afterwards, or the one that another thread has set meanwhile. Takes some ten microseconds.
 * Returns whether the thread was told to move. */
bool heist__migrate(pthread_t thread, const cpu_set_t *taken);

#endif
